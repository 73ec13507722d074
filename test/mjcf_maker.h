// Random MJCF texts of what rigid bodies can be, as MuJoCo 2.2.2 understands them, too.
#ifndef TEST_MJCF_MAKER_H
#define TEST_MJCF_MAKER_H

#include <stdbool.h>
#include <stdio.h>

// Writes a model; random numbers are those of numbers.h. simple: no body whose inertia has to be
// diagonalized.
void mjcf_make(FILE *out, bool simple);

#endif
