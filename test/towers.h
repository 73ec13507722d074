// Discs in towers of two above a floor, for tests of systems with more declared contacts than
// closed ones.
#ifndef TEST_TOWERS_H
#define TEST_TOWERS_H

#include <stdbool.h>
#include <stddef.h>

// The text of a model: `towers` towers, each from a height of its own. pairs: all pairs of discs
// are contacts; else those of a tower alone. It needs some 200 characters for each disc and
// contact.
void towers_text(int towers, bool pairs, char *text, size_t size);

#endif
