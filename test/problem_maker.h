// Contact problems whose answers are known by construction, and the changes of coordinates and
// units under which the answers must not change.
//
// Two ways of making them: direct sums of small parts whose answers are plain to see, mixed by
// exact changes of coordinates; and random integer data built around a drawn solution, a drawn
// contradiction or a drawn push along a massless direction.
#ifndef TEST_PROBLEM_MAKER_H
#define TEST_PROBLEM_MAKER_H

#include <delassus/check.h>
#include <stdint.h>

typedef struct rng {
  uint64_t s[2];
} rng;

rng rng_create(uint64_t seed);
int rng_int(rng *r, int low, int high);  // uniform, both ends included
bool rng_chance(rng *r, double p);
double rng_real(rng *r);  // uniform in (-1, 1)

enum { MAKER_N = 40, MAKER_M = 40, ANSWER_UNKNOWN = -1 };
enum { MADE_QUESTIONS = DLS_FORCES_UNIQUE + 1 };  // those about the problem without friction

typedef struct maker {
  int n, m_b, m_u;
  double M[MAKER_N * MAKER_N], F[MAKER_N];
  double G_b[MAKER_N * MAKER_M], b_b[MAKER_M];
  double G_u[MAKER_N * MAKER_M], b_u[MAKER_M];

  // What is known: answers (ANSWER_UNKNOWN where not), ranks (-1), a solution, the intervals.
  int answer[DLS_QUESTION_COUNT];
  int mass_rank, bilateral_rank, constraint_rank;
  bool kernel_definite;  // M is definite on the kernel of G_b^T
  bool has_solution, has_intervals, has_intervals_b;
  double z[MAKER_N], lambda_b[MAKER_M], lambda_u[MAKER_M];
  double low_b[MAKER_M], high_b[MAKER_M], low_u[MAKER_M], high_u[MAKER_M];
  // M = B^T B with a small integer B, when drawn so (rows of B in columns, n x mass_rows).
  int mass_rows;
  double B[MAKER_N * MAKER_N];
  char name[96];
} maker;

dls_problem maker_problem(const maker *p);
void maker_print(const maker *p);  // the data, in full

// Direct sums of parts with known answers. `odd`: how many parts that spoil some answer at most.
int maker_part_count(void);
void maker_empty(maker *p);
void maker_add_part(maker *p, int part);
void maker_sum(maker *p, rng *r, int parts, int odd);

// Random small integers; n, m_b, m_u, rank of M are given. Answers left open are unknown.
void maker_random(maker *p, rng *r, int n, int m_b, int m_u, int rank);    // no structure
void maker_feasible(maker *p, rng *r, int n, int m_b, int m_u, int rank);  // around a solution
void maker_contradiction(maker *p, rng *r, int n, int m_b, int m_u, int rank);
void maker_push(maker *p, rng *r, int n, int m_b, int m_u);  // along a massless direction
void maker_mfcq(maker *p, rng *r, int n, int m_b, int m_u);  // with a direction that opens all
void maker_real(maker *p, rng *r, int n, int m_b, int m_u);  // real data, M definite, feasible

// Rank of an integer matrix (rows x cols, column-major), exact but for a chance of 1e-16.
int integer_rank(int rows, int cols, const double *A);

// z_i = y_i + a y_j, and the like; the known answers and solutions are carried along.
void maker_shear(maker *p, int i, int j, double a);
void maker_reflect(maker *p, const double *v);  // z = (I - 2 v v^T / v^T v) y
void maker_scale_coordinate(maker *p, int i, double s);
void maker_swap_coordinates(maker *p, int i, int j);
void maker_scale_bilateral(maker *p, int j, double s);
void maker_scale_unilateral(maker *p, int j, double s);  // s > 0
void maker_swap_bilateral(maker *p, int i, int j);
void maker_swap_unilateral(maker *p, int i, int j);
void maker_mass_unit(maker *p, double s);
void maker_time_unit(maker *p, double s);
void maker_mix_bilateral(maker *p, int i, int j, double a);  // column i += a column j
void maker_add_bilateral(maker *p, int u, int b, double a);  // unilateral u += a bilateral b

// Exact mixing by shears with factors +-1, permutations and powers of two; and generic mixing by
// reflections, that leaves redundancy only to rounding.
void maker_mix_exact(maker *p, rng *r);
void maker_mix_generic(maker *p, rng *r);
void maker_permute(maker *p, rng *r);

#endif
