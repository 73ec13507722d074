#include "lcp_problem.h"

#include "numbers.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const lcp_real_name[LCP_REAL] = {"lcp_CPS_1",     "lcp_CPS_2",
                                             "lcp_CPS_3",     "lcp_CPS_4",
                                             "lcp_CPS_5",     "lcp_Pang_isolated_sol",
                                             "lcp_mmc",       "lcp_Pang_isolated_sol_perturbed",
                                             "lcp_exp_murty", "lcp_tobenna"};

const char *const lcp_family_name[LCP_FAMILIES] = {"definite",       "singular",   "monotone",
                                                   "P, unsymmetric", "copositive", "any"};

static lcp_problem create(int n, int free_rows)
{
  lcp_problem p = {.M = vector(n * n), .q = vector(n), .z = vector(n)};
  p.lcp = (dls_mlcp){n, free_rows, p.M, p.q};
  return p;
}

void lcp_drop(lcp_problem *p)
{
  free(p->M), free(p->q), free(p->z);
}

lcp_problem lcp_read(const char *name)
{
  char path[1000];
  const char *root = getenv("DELASSUS_SOURCE");
  snprintf(path, sizeof path, "%s/test/data/lcp/%s.json", root ? root : ".", name);
  json_t *file = json_load_file(path, 0, NULL);
  const json_t *M = json_object_get(file, "M"), *q = json_object_get(file, "q");
  lcp_problem p = {.lcp = {.n = -1}};
  if (M && q) {
    const size_t n = json_array_size(q);
    p = create((int)n, 0);
    for (size_t i = 0; i < n; i++) {
      p.q[i] = json_number_value(json_array_get(q, i));
      for (size_t j = 0; j < n; j++)
        p.M[i + n * j] = json_number_value(json_array_get(json_array_get(M, i), j));
    }
  }
  json_decref(file);
  return p;
}

static void add_gram(int n, int rank, double *M)
{
  double *A = vector(n * rank);
  for (int k = 0; k < n * rank; k++) A[k] = uniform();
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < rank; k++) M[i + n * j] += A[i + n * k] * A[j + n * k];
  free(A);
}

static void fill(lcp_family family, int n, double *M)
{
  switch (family) {
  case LCP_DEFINITE:
    add_gram(n, n, M);
    for (int i = 0; i < n; i++) M[i * (n + 1)] += 0.1;
    break;
  case LCP_SINGULAR: add_gram(n, (n + 1) / 2, M); break;
  case LCP_MONOTONE:
    add_gram(n, (n + 1) / 2, M);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) {
        const double x = 2 * uniform();
        M[i + n * j] += x, M[j + n * i] -= x;
      }
    break;
  case LCP_P:
    // all principal minors of a triangular matrix are products of diagonal entries; the order of
    // rows and columns does not matter
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        const int a = i * 7 % n, b = j * 7 % n;
        if (n % 7 == 0 ? i < j : a < b) M[i + n * j] = 4 * uniform() / (1 + n / 10.0);
        if (i == j) M[i + n * j] = 0.5 + fabs(uniform());
      }
    break;
  case LCP_COPOSITIVE:
    for (int k = 0; k < n * n; k++) M[k] = fabs(uniform());
    for (int i = 0; i < n; i++) M[i * (n + 1)] += 0.05;
    break;
  default:
    for (int k = 0; k < n * n; k++) M[k] = uniform();
  }
}

lcp_problem lcp_draw(lcp_family family, int n, int free_rows, double size, bool degenerate)
{
  lcp_problem p = create(n, free_rows);
  fill(family, n, p.M);
  for (int k = 0; k < n * n; k++) p.M[k] *= size;
  for (int i = 0; i < n; i++) {
    const double value = 0.1 + fabs(uniform());
    const int kind = below(degenerate ? 3 : 2);
    double w = 0;
    if (i < free_rows) p.z[i] = uniform();
    else if (kind == 0) p.z[i] = value;
    else if (kind == 1) w = value * size;
    p.q[i] = w;
  }
  // q = w - M z
  for (int i = 0; i < n; i++) {
    long double sum = p.q[i];
    for (int j = 0; j < n; j++) sum -= (long double)p.M[i + n * j] * p.z[j];
    p.q[i] = (double)sum;
  }
  return p;
}
