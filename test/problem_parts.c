// Small problems with plain answers, and their direct sums.
#include "problem_maker.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PN = 3, PM = 4 };

// `holds` lists the letters of what is true:
//   D  M is definite             I  constraints independent   C  bilateral ones compatible
//   Q  MFCQ                      K  M definite on ker G_b^T    U  G_u independent modulo im G_b
//   X  an acceleration exists    A  it is unique               L  the multipliers are unique
typedef struct part {
  const char *name, *holds;
  bool odd;  // spoils some answer
  int n, m_b, m_u, mass_rank, bilateral_rank, constraint_rank;
  double M[PN * PN], F[PN], G_b[PN * PM], b_b[PM], G_u[PN * PM], b_u[PM];
  double z[PN], lambda_b[PM], lambda_u[PM];
  double low_b[PM], high_b[PM], low_u[PM], high_u[PM];
} part;

#define I1 INFINITY
// clang-format off
static const part parts[] = {
    {.name = "free", .holds = "DICQKUXAL", .n = 1, .mass_rank = 1, .M = {2}, .F = {3},
     .z = {-1.5}},
    {.name = "resting", .holds = "DICQKUXAL", .n = 1, .m_u = 1, .mass_rank = 1,
     .constraint_rank = 1, .M = {1}, .F = {1}, .G_u = {1}, .lambda_u = {1}, .low_u = {1},
     .high_u = {1}},
    {.name = "lifting", .holds = "DICQKUXAL", .n = 1, .m_u = 1, .mass_rank = 1,
     .constraint_rank = 1, .M = {1}, .F = {-2}, .G_u = {1}, .z = {2}},
    {.name = "grazing", .holds = "DICQKUXAL", .n = 1, .m_u = 1, .mass_rank = 1,
     .constraint_rank = 1, .M = {3}, .G_u = {1}},
    {.name = "guided", .holds = "DICQKUXAL", .n = 1, .m_b = 1, .mass_rank = 1, .bilateral_rank = 1,
     .constraint_rank = 1, .M = {1}, .F = {1}, .G_b = {1}, .b_b = {2}, .z = {-2}, .lambda_b = {-1},
     .low_b = {-1}, .high_b = {-1}},
    {.name = "guided plane", .holds = "DICQKUXAL", .n = 2, .m_b = 1, .m_u = 1, .mass_rank = 2,
     .bilateral_rank = 1, .constraint_rank = 2, .M = {2, 1, 1, 2}, .F = {1, 1}, .G_b = {1, -1},
     .b_b = {0}, .G_u = {1, 0}, .b_u = {-1}, .z = {1, 1}, .lambda_b = {-4}, .lambda_u = {8},
     .low_b = {-4}, .high_b = {-4}, .low_u = {8}, .high_u = {8}},
    {.name = "nearly parallel", .holds = "DICQKUXAL", .n = 2, .m_u = 2, .mass_rank = 2,
     .constraint_rank = 2, .M = {1, 0, 0, 1}, .F = {2, 0x1p-10}, .G_u = {1, 0, 1, 0x1p-10},
     .lambda_u = {1, 1}, .low_u = {1, 1}, .high_u = {1, 1}},
    {.name = "massless guided", .holds = "ICQKUXAL", .n = 1, .m_b = 1, .bilateral_rank = 1,
     .constraint_rank = 1, .F = {3}, .G_b = {1}, .b_b = {1}, .z = {-1}, .lambda_b = {3},
     .low_b = {3}, .high_b = {3}},
    {.name = "massless supported", .holds = "ICQUXAL", .n = 1, .m_u = 1, .constraint_rank = 1,
     .F = {1}, .G_u = {1}, .b_u = {-2}, .z = {2}, .lambda_u = {1}, .low_u = {1}, .high_u = {1}},
    {.name = "massless in a corner", .holds = "ICQUXAL", .n = 2, .m_u = 2, .constraint_rank = 2,
     .F = {1, 1}, .G_u = {1, 0, 0, 1}, .lambda_u = {1, 1}, .low_u = {1, 1}, .high_u = {1, 1}},
    {.name = "rank one mass, guided", .holds = "ICQKUXAL", .n = 2, .m_b = 1, .mass_rank = 1,
     .bilateral_rank = 1, .constraint_rank = 1, .M = {1, 1, 1, 1}, .F = {2, 1}, .G_b = {1, -1},
     .b_b = {0}, .z = {-0.75, -0.75}, .lambda_b = {0.5}, .low_b = {0.5}, .high_b = {0.5}},
    // from here on some answer is no
    {.name = "redundant guides", .holds = "DCQKUXA", .odd = true, .n = 1, .m_b = 2, .mass_rank = 1,
     .bilateral_rank = 1, .constraint_rank = 1, .M = {1}, .F = {1}, .G_b = {1, 2}, .b_b = {1, 2},
     .z = {-1}, .low_b = {-I1, -I1}, .high_b = {I1, I1}},
    {.name = "incompatible guides", .holds = "DQKU", .odd = true, .n = 1, .m_b = 2, .mass_rank = 1,
     .bilateral_rank = 1, .constraint_rank = 1, .M = {1}, .F = {1}, .G_b = {1, 1}, .b_b = {0, 1}},
    {.name = "zero bilateral gradient", .holds = "DCQKUXA", .odd = true, .n = 1, .m_b = 1,
     .mass_rank = 1, .M = {1}, .F = {2}, .z = {-2}, .low_b = {-I1}, .high_b = {I1}},
    {.name = "zero bilateral gradient, contradiction", .holds = "DQKU", .odd = true, .n = 1,
     .m_b = 1, .mass_rank = 1, .M = {1}, .F = {2}, .b_b = {1}},
    {.name = "zero gradient", .holds = "DCKXA", .odd = true, .n = 1, .m_u = 1, .mass_rank = 1,
     .M = {1}, .F = {2}, .z = {-2}, .high_u = {I1}},
    {.name = "zero gradient, slack", .holds = "DCKXAL", .odd = true, .n = 1, .m_u = 1,
     .mass_rank = 1, .M = {1}, .F = {2}, .b_u = {1}, .z = {-2}},
    {.name = "zero gradient, contradiction", .holds = "DCK", .odd = true, .n = 1, .m_u = 1,
     .mass_rank = 1, .M = {1}, .F = {2}, .b_u = {-1}},
    {.name = "three equal", .holds = "DCQKXA", .odd = true, .n = 1, .m_u = 3, .mass_rank = 1,
     .constraint_rank = 1, .M = {1}, .F = {3}, .G_u = {1, 1, 1}, .lambda_u = {1, 1, 1},
     .high_u = {3, 3, 3}},
    {.name = "three equal, no load", .holds = "DCQKXAL", .odd = true, .n = 1, .m_u = 3,
     .mass_rank = 1, .constraint_rank = 1, .M = {1}, .G_u = {1, 1, 1}},
    {.name = "two equal, one slack", .holds = "DCQKXAL", .odd = true, .n = 1, .m_u = 2,
     .mass_rank = 1, .constraint_rank = 1, .M = {1}, .F = {2}, .G_u = {1, 1}, .b_u = {0, 1},
     .lambda_u = {2}, .low_u = {2}, .high_u = {2}},
    {.name = "squeezed", .holds = "DCKXA", .odd = true, .n = 1, .m_u = 2, .mass_rank = 1,
     .constraint_rank = 1, .M = {1}, .F = {2}, .G_u = {1, -1}, .lambda_u = {3, 1}, .low_u = {2, 0},
     .high_u = {I1, I1}},
    {.name = "squeezed, moving", .holds = "DCKXA", .odd = true, .n = 1, .m_u = 2, .mass_rank = 1,
     .constraint_rank = 1, .M = {1}, .F = {-3}, .G_u = {1, -1}, .b_u = {-1, 1}, .z = {1},
     .lambda_u = {0, 2}, .low_u = {0, 2}, .high_u = {I1, I1}},
    {.name = "between planes", .holds = "DCKXAL", .odd = true, .n = 1, .m_u = 2, .mass_rank = 1,
     .constraint_rank = 1, .M = {4}, .F = {-2}, .G_u = {1, -1}, .b_u = {1, 1}, .z = {0.5}},
    {.name = "crushed", .holds = "DCK", .odd = true, .n = 1, .m_u = 2, .mass_rank = 1,
     .constraint_rank = 1, .M = {1}, .G_u = {1, -1}, .b_u = {-1, 0}},
    {.name = "massless pushed", .holds = "ICQU", .odd = true, .n = 1, .F = {1}},
    {.name = "massless at rest", .holds = "ICQUXL", .odd = true, .n = 1},
    {.name = "massless pushed off", .holds = "ICQU", .odd = true, .n = 1, .m_u = 1,
     .constraint_rank = 1, .F = {-1}, .G_u = {1}},
    {.name = "massless above a plane", .holds = "ICQUXL", .odd = true, .n = 1, .m_u = 1,
     .constraint_rank = 1, .G_u = {1}, .b_u = {1}},
    {.name = "massless between planes", .holds = "CXL", .odd = true, .n = 1, .m_u = 2,
     .constraint_rank = 1, .G_u = {1, -1}, .b_u = {1, 1}},
    {.name = "massless squeezed", .holds = "CXA", .odd = true, .n = 1, .m_u = 2,
     .constraint_rank = 1, .F = {1}, .G_u = {1, -1}, .lambda_u = {2, 1}, .low_u = {1, 0},
     .high_u = {I1, I1}},
    {.name = "massless squeezed, no load", .holds = "CXA", .odd = true, .n = 1, .m_u = 2,
     .constraint_rank = 1, .G_u = {1, -1}, .lambda_u = {1, 1}, .high_u = {I1, I1}},
    {.name = "massless slides along", .holds = "ICQUXL", .odd = true, .n = 2, .m_u = 1,
     .constraint_rank = 1, .F = {1, 0}, .G_u = {1, 0}, .lambda_u = {1}, .low_u = {1},
     .high_u = {1}},
    {.name = "third between two", .holds = "DCQKXA", .odd = true, .n = 2, .m_u = 3, .mass_rank = 2,
     .constraint_rank = 2, .M = {1, 0, 0, 1}, .F = {2, 2}, .G_u = {1, 0, 0, 1, 1, 1},
     .lambda_u = {1, 1, 1}, .high_u = {2, 2, 2}},
    {.name = "caged", .holds = "DCKXA", .odd = true, .n = 2, .m_u = 3, .mass_rank = 2,
     .constraint_rank = 2, .M = {1, 0, 0, 1}, .G_u = {1, 0, -1, 1, 0, -1}, .lambda_u = {1, 1, 1},
     .high_u = {I1, I1, I1}},
    {.name = "caged loosely", .holds = "DCKXAL", .odd = true, .n = 2, .m_u = 3, .mass_rank = 2,
     .constraint_rank = 2, .M = {1, 0, 0, 1}, .G_u = {1, 0, -1, 1, 0, -1}, .b_u = {1, 1, 1}},
    {.name = "caged, contradiction", .holds = "DCK", .odd = true, .n = 2, .m_u = 3, .mass_rank = 2,
     .constraint_rank = 2, .M = {1, 0, 0, 1}, .G_u = {1, 0, -1, 1, 0, -1}, .b_u = {-1, 0, 0}},
    {.name = "pyramid", .holds = "DCQKXA", .odd = true, .n = 3, .m_u = 4, .mass_rank = 3,
     .constraint_rank = 3, .M = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .F = {0, 0, 4},
     .G_u = {1, 0, 1, -1, 0, 1, 0, 1, 1, 0, -1, 1}, .lambda_u = {1, 1, 1, 1},
     .high_u = {2, 2, 2, 2}},
    {.name = "pyramid pinned by signs", .holds = "DCQKXAL", .odd = true, .n = 3, .m_u = 4,
     .mass_rank = 3, .constraint_rank = 3, .M = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .F = {1, 1, 2},
     .G_u = {1, 0, 1, -1, 0, 1, 0, 1, 1, 0, -1, 1}, .lambda_u = {1, 0, 1, 0},
     .low_u = {1, 0, 1, 0}, .high_u = {1, 0, 1, 0}},
    {.name = "guided and resting", .holds = "DCKXA", .odd = true, .n = 1, .m_b = 1, .m_u = 1,
     .mass_rank = 1, .bilateral_rank = 1, .constraint_rank = 1, .M = {1}, .F = {2}, .G_b = {1},
     .G_u = {1}, .lambda_b = {1}, .lambda_u = {1}, .low_b = {-I1}, .high_b = {2}, .high_u = {I1}},
    {.name = "guided, slack", .holds = "DCKXAL", .odd = true, .n = 1, .m_b = 1, .m_u = 1,
     .mass_rank = 1, .bilateral_rank = 1, .constraint_rank = 1, .M = {1}, .F = {2}, .G_b = {1},
     .G_u = {1}, .b_u = {1}, .lambda_b = {2}, .low_b = {2}, .high_b = {2}},
    {.name = "guided into a wall", .holds = "DCK", .odd = true, .n = 1, .m_b = 1, .m_u = 1,
     .mass_rank = 1, .bilateral_rank = 1, .constraint_rank = 1, .M = {1}, .F = {2}, .G_b = {1},
     .G_u = {1}, .b_u = {-1}},
};
// clang-format on
enum { PARTS = sizeof parts / sizeof parts[0] };

int maker_part_count(void)
{
  return PARTS;
}

void maker_empty(maker *p)
{
  *p = (maker){.has_solution = true,
               .has_intervals = true,
               .has_intervals_b = true,
               .kernel_definite = true};
  for (int q = 0; q < MADE_QUESTIONS; q++) p->answer[q] = DLS_YES;
}

// Makes room for more rows: columns of length n become columns of length n + more.
static void widen(double *A, int n, int cols, int more)
{
  for (int j = cols - 1; j >= 0; j--) {
    memmove(A + j * (n + more), A + j * n, (size_t)n * sizeof *A);
    memset(A + j * (n + more) + n, 0, (size_t)more * sizeof *A);
  }
}

static void copy_columns(const double *from, int rows, int cols, double *to, int n, int row)
{
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < n; i++)
      to[i + j * n] = i >= row && i < row + rows ? from[i - row + j * rows] : 0;
}

static void spoil(maker *p, dls_question q, const part *a, char letter)
{
  if (strchr(a->holds, letter) == NULL) p->answer[q] = DLS_NO;
}

// Which questions are asked, and what follows from what.
static void settle(maker *p, const part *a)
{
  spoil(p, DLS_MASS_DEFINITE, a, 'D');
  spoil(p, DLS_CONSTRAINTS_INDEPENDENT, a, 'I');
  spoil(p, DLS_CONSTRAINTS_COMPATIBLE, a, 'C');
  spoil(p, DLS_MFCQ, a, 'Q');
  spoil(p, DLS_DELASSUS_DEFINITE, a, 'U');
  spoil(p, DLS_ACCELERATION_EXISTS, a, 'X');
  spoil(p, DLS_ACCELERATION_UNIQUE, a, 'A');
  spoil(p, DLS_FORCES_UNIQUE, a, 'L');
  if (strchr(a->holds, 'K') == NULL) p->kernel_definite = false;
  if (p->answer[DLS_ACCELERATION_EXISTS] == DLS_NO)
    p->answer[DLS_ACCELERATION_UNIQUE] = p->answer[DLS_FORCES_UNIQUE] = DLS_NO;
  p->has_solution = p->has_intervals = p->has_intervals_b =
      p->answer[DLS_ACCELERATION_EXISTS] == DLS_YES;
}

void maker_add_part(maker *p, int which)
{
  const part *a = &parts[which];
  int n = p->n, more = a->n;
  widen(p->M, n, n, more);
  widen(p->G_b, n, p->m_b, more);
  widen(p->G_u, n, p->m_u, more);
  copy_columns(a->M, a->n, a->n, p->M + n * (n + more), n + more, n);
  copy_columns(a->G_b, a->n, a->m_b, p->G_b + p->m_b * (n + more), n + more, n);
  copy_columns(a->G_u, a->n, a->m_u, p->G_u + p->m_u * (n + more), n + more, n);
  for (int i = 0; i < a->n; i++) p->F[n + i] = a->F[i], p->z[n + i] = a->z[i];
  for (int j = 0; j < a->m_b; j++) {
    p->b_b[p->m_b + j] = a->b_b[j];
    p->lambda_b[p->m_b + j] = a->lambda_b[j];
    p->low_b[p->m_b + j] = a->low_b[j];
    p->high_b[p->m_b + j] = a->high_b[j];
  }
  for (int j = 0; j < a->m_u; j++) {
    p->b_u[p->m_u + j] = a->b_u[j];
    p->lambda_u[p->m_u + j] = a->lambda_u[j];
    p->low_u[p->m_u + j] = a->low_u[j];
    p->high_u[p->m_u + j] = a->high_u[j];
  }
  p->n += a->n;
  p->m_b += a->m_b;
  p->m_u += a->m_u;
  p->mass_rank += a->mass_rank;
  p->bilateral_rank += a->bilateral_rank;
  p->constraint_rank += a->constraint_rank;
  settle(p, a);
  size_t used = strlen(p->name);
  (void)snprintf(p->name + used, sizeof p->name - used, "%s%s", used ? " + " : "", a->name);
}

void maker_sum(maker *p, rng *r, int count, int odd)
{
  maker_empty(p);
  for (int k = 0; k < count; k++) {
    int which = rng_int(r, 0, PARTS - 1);
    for (; parts[which].odd && odd == 0;) which = rng_int(r, 0, PARTS - 1);
    if (parts[which].odd) odd--;
    maker_add_part(p, which);
  }
}
