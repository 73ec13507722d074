#define _XOPEN_SOURCE 700
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t noting, came;
static char *volatile unfinished;

void interrupt_remove(void)
{
  if (unfinished) unlink(unfinished);
}

static void handle(int number)
{
  if (noting && !came) {
    came = 1;
    return;
  }
  interrupt_remove();
  signal(number, SIG_DFL);
  raise(number);
}

// What is ignored stays so, under nohup.
static void install(void)
{
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    struct sigaction old, next = {.sa_flags = (int)SA_RESTART};
    if (sigaction(numbers[i], NULL, &old) || old.sa_handler != SIG_DFL) continue;
    next.sa_handler = handle;
    sigemptyset(&next.sa_mask);
    sigaction(numbers[i], &next, NULL);
  }
}

void interrupt_begin(void)
{
  came = 0;
  noting = 1;
  install();
}

bool interrupt_came(void)
{
  return came != 0;
}

void interrupt_end(void)
{
  noting = 0;
}

void interrupt_removes(char *path)
{
  unfinished = path;
  if (path) install();
}
