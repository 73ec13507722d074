#define _XOPEN_SOURCE 700
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static const int numbers[] = {SIGINT, SIGTERM};
enum { COUNT = sizeof numbers / sizeof numbers[0] };

static volatile sig_atomic_t came;

static void note(int number)
{
  (void)number;
  came = 1;
}

// Replaces one way of handling the signals by another, where it is the one in place.
static void exchange(void (*from)(int), void (*to)(int))
{
  for (int i = 0; i < COUNT; i++) {
    struct sigaction old, next = {.sa_flags = (int)SA_RESETHAND};
    if (sigaction(numbers[i], NULL, &old) || old.sa_handler != from) continue;
    next.sa_handler = to;
    sigemptyset(&next.sa_mask);
    sigaction(numbers[i], &next, NULL);
  }
}

void interrupt_begin(void)
{
  came = 0;
  exchange(SIG_DFL, note);
}

bool interrupt_came(void)
{
  return came != 0;
}

void interrupt_end(void)
{
  exchange(note, SIG_DFL);
}
