// GMP, and with it MPFR and MPFI, end the program when memory runs out. Within the guard they do
// not: the work is given up, and what they have taken is given back. So it is when the caller wants
// it stopped.
#ifndef DLS_VERIFY_GUARD_H
#define DLS_VERIFY_GUARD_H

#include <stdbool.h>

// Runs the work; false when it was given up. The work must own nothing that is not freed by others:
// its functions are left without returning. Threads may do so at the same time; the functions by
// which GMP takes memory are what they were before as soon as no thread is inside.
// stop: true gives the work up; may be NULL.
bool dls_guard(void (*work)(void *data), bool (*stop)(void *data), void *data);

// Asks, now and then, whether to stop; does not return then. Nothing outside the guard.
void dls_guard_look(void);

#endif
