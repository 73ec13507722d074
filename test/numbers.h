// Numbers for tests: drawn, zeroed, compared.
#ifndef TEST_NUMBERS_H
#define TEST_NUMBERS_H

// The same sequence in every run of a program.
double uniform(void);  // in [-1, 1)
int below(int n);      // 0 ... n-1

double *vector(int n);  // zeroed; free it

// How many of n problems are tried: memory errors show on fewer too, and sanitizers are slow.
#ifdef __SANITIZE_ADDRESS__
#define TRIED(n) ((n) / 4)
#else
#define TRIED(n) (n)
#endif

// Fails the test unless |a - b| <= tolerance.
void close_to(double a, double b, double tolerance);

#endif
