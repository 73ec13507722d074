// Polytopes of solutions, in fractions.                                          eq (chk.14)
#include "verify/program.h"

#include <math.h>

enum { MOST = 40 };

// sign times the row, with the slack.
static void add_row(dls_exact_program *e, const dls_exact_question *q, const double *from,
                    bool equation, int sign)
{
  mpq_t *row = dls_exact_row(e, equation), work;
  for (int j = 0; j < e->size; j++) mpq_set_d(row[j], sign * from[j]);
  if (q->ray) return;
  mpq_init(work);
  mpq_set_d(row[e->size], sign * from[e->size]);
  mpq_set_d(work, q->slack * q->size);
  mpq_add(row[e->size], row[e->size], work);
  mpq_clear(work);
}

static void add_box(dls_exact_program *e, double most)
{
  for (int i = 0; i < e->size; i++)
    for (int side = -1; side <= 1; side += 2) {
      mpq_t *row = dls_exact_row(e, false);
      mpq_set_si(row[i], side, 1);
      mpq_set_d(row[e->size], most);
    }
}

static void add_cost(dls_exact_program *e, const double *cost)
{
  mpq_t *row = dls_exact_row(e, true);
  for (int j = 0; j < e->size; j++) mpq_set_d(row[j], cost[j]);
  mpq_set_si(row[e->size], -1, 1);
}

dls_exact dls_polytope_decide(dls_trial *x, const dls_polytope *p, const dls_exact_question *q)
{
  const ptrdiff_t width = (ptrdiff_t)p->size + 1;
  for (ptrdiff_t k = 0; k < width * p->equation.count; k++)
    if (!isfinite(p->equation.row[k])) return DLS_EXACT_UNKNOWN;
  for (ptrdiff_t k = 0; k < width * p->inequality.count; k++)
    if (!isfinite(p->inequality.row[k])) return DLS_EXACT_UNKNOWN;
  const int rows = 2 * p->equation.count + p->inequality.count + 2 * p->size + 1;
  dls_exact_program e;
  if (p->size > MOST || !dls_exact_program_create(x, p->size, rows, &e)) return DLS_EXACT_UNKNOWN;
  for (int i = 0; i < p->equation.count; i++) {
    const double *row = p->equation.row + width * i;
    add_row(&e, q, row, q->slack == 0, 1);
    if (q->slack > 0) add_row(&e, q, row, false, -1);
  }
  for (int i = 0; i < p->inequality.count; i++)
    add_row(&e, q, p->inequality.row + width * i, false, 1);
  if (q->ray) add_cost(&e, q->ray);
  if (!q->anywhere) add_box(&e, q->ray ? DLS_DECISIVE : DLS_DECISIVE * q->size);
  const dls_exact found = dls_exact_program_decide(x, &e);
  dls_exact_program_clear(&e);
  return found;
}
