// The laws of contacts once more, by their definitions and in long double.
#ifndef TEST_LAW_ORACLE_H
#define TEST_LAW_ORACLE_H

#include <delassus/incremental.h>

// How far r is from the laws, of a problem in local form: the worst of all conditions, each
// relative to what its velocity is added up from. W: dense, by columns.
double law_miss(const dls_incremental *p, const double *W, const double *r);

// All solutions in the plane, by trying all modes of all contacts and solving for each; up to
// `most` of them, rows numbers each. Returns how many there are; two modes may share one.
int law_enumerate(const dls_incremental *p, const double *W, int most, double *solutions);

#endif
