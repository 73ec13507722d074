#define _XOPEN_SOURCE 700
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t noting, came;
static char *volatile unfinished[INTERRUPT_FILES];

void interrupt_remove(void)
{
  for (int i = 0; i < INTERRUPT_FILES; i++) {
    const char *path = unfinished[i];
    if (path) unlink(path);
  }
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

bool interrupt_removes(char *path)
{
  for (int i = 0; i < INTERRUPT_FILES; i++) {
    if (unfinished[i]) continue;
    unfinished[i] = path;
    install();
    return true;
  }
  return false;
}

void interrupt_keeps(const char *path)
{
  for (int i = 0; path && i < INTERRUPT_FILES; i++)
    if (unfinished[i] == path) unfinished[i] = NULL;
}
