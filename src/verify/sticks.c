#include "verify/sticks.h"

#include <math.h>

enum { MOST_UNKNOWNS = 60, MOST_SIGNED = 6 };

typedef struct sticking {
  dls_trial *x;
  mpq_srcptr mu;
  double most;     // of forces, over the loads
  bool cancel;     // forces that may grow without end are looked for
  unsigned signs;  // of the bilateral contacts with friction, one bit each: pulling
  dls_exact_program p;
  mpq_t work;
} sticking;

static bool is_held(const dls_data *d, int j)
{
  return dls_tangents_of(d, j) > 0 && !d->sliding[j];
}

static bool is_signed(const dls_data *d, int j)
{
  return dls_is_bilateral(d, j) && dls_tangents_of(d, j) > 0;
}

static void add(mpq_t to, mpq_t work, double value)
{
  mpq_set_d(work, value);
  mpq_add(to, to, work);
}

// M z + F = G lambda + H tau; without loads where forces grow without end. Accelerations may grow
// with them: where contacts slide, or where something has no mass, they need not cancel.
static void add_balance(sticking *s)
{
  const dls_data *d = &s->x->data;
  const int normal = d->n;
  for (int i = 0; i < d->n; i++) {
    mpq_t *row = dls_exact_row(&s->p, true);
    for (int k = 0; k < d->n; k++) mpq_set_d(row[k], d->M[i + (ptrdiff_t)d->n * k]);
    for (int j = 0; j < d->m; j++) mpq_set_d(row[normal + j], -d->g[j][i]);
    for (int k = 0; k < d->tangents; k++)
      mpq_set_d(row[normal + d->m + k], -dls_slip_column(d, k)[i]);
    if (!s->cancel) mpq_set_d(row[s->p.size], d->F[i]);
  }
}

static void add_still(sticking *s, const double *column, double b)
{
  mpq_t *row = dls_exact_row(&s->p, true);
  for (int i = 0; i < s->x->data.n; i++) mpq_set_d(row[i], column[i]);
  if (!s->cancel) mpq_set_d(row[s->p.size], b);
}

// sign lambda >= 0 and sign mu lambda +- tau >= 0, or tau = -sign mu xi lambda.
static void add_law(sticking *s, int j, int sign)
{
  const dls_data *d = &s->x->data;
  const int at = d->n + j, tau = at - j + d->m;
  if (!dls_is_bilateral(d, j) || is_signed(d, j))
    mpq_set_si(dls_exact_row(&s->p, false)[at], sign, 1);
  for (int k = d->first[j]; k < d->first[j + 1] && d->sliding[j]; k++) {
    mpq_t *row = dls_exact_row(&s->p, true);
    mpq_set_d(row[at], d->mu[j]);
    mpq_set_d(s->work, sign * d->xi[k]);
    mpq_mul(row[at], row[at], s->work);
    mpq_set_ui(row[tau + k], 1, 1);
  }
  for (int side = -1; side <= 1 && is_held(d, j); side += 2) {
    mpq_t *row = dls_exact_row(&s->p, false);
    mpq_set_d(s->work, 1 / d->S[j]);
    mpq_mul(row[at], s->mu, s->work);
    if (sign < 0) mpq_neg(row[at], row[at]);
    mpq_set_si(row[tau + d->first[j]], side, 1);
  }
}

// -most load <= lambda <= most load.
static void add_box(sticking *s, int j)
{
  const dls_data *d = &s->x->data;
  const int part = d->contact_part[j];
  const double load = dls_larger(d->force_floor[part], d->acceleration_floor[part]);
  const double bound = s->most * load * d->C[j];
  for (int side = -1; side <= 1 && isfinite(bound); side += 2) {
    mpq_t *row = dls_exact_row(&s->p, false);
    mpq_set_si(row[d->n + j], side, 1);
    mpq_set_d(row[s->p.size], bound);
  }
}

static void fill(sticking *s)
{
  const dls_data *d = &s->x->data;
  mpq_t *sum = s->cancel ? dls_exact_row(&s->p, true) : NULL;
  int bit = 0;
  add_balance(s);
  for (int j = 0; j < d->m; j++) {
    const int sign = is_signed(d, j) && s->signs >> bit++ & 1 ? -1 : 1;
    add_law(s, j, sign);
    if (s->cancel && (!dls_is_bilateral(d, j) || is_signed(d, j)))
      mpq_set_si(sum[d->n + j], sign, 1);
    add_still(s, d->g[j], d->b[j]);
    for (int k = d->first[j]; k < d->first[j + 1] && is_held(d, j); k++)
      add_still(s, dls_slip_column(d, k), d->b_t[k]);
    if (isfinite(s->most)) add_box(s, j);
  }
  if (sum) add(sum[s->p.size], s->work, -1);  // which is 1
}

// One choice of signs.
static dls_exact decide(sticking *s)
{
  const dls_data *d = &s->x->data;
  const int size = d->n + d->m + d->tangents;
  dls_exact found = DLS_EXACT_UNKNOWN;
  if (!dls_exact_program_create(s->x, size, 1 + d->n + 6 * d->m + 2 * d->tangents, &s->p))
    return found;
  mpq_init(s->work);
  fill(s);
  found = dls_exact_program_decide(s->x, &s->p);
  mpq_clear(s->work);
  dls_exact_program_clear(&s->p);
  return found;
}

static dls_exact decide_all(sticking *s)
{
  const dls_data *d = &s->x->data;
  dls_exact all = DLS_EXACT_NO;
  int bits = 0;
  for (int j = 0; j < d->m; j++) {
    bits += is_signed(d, j);
    if (is_held(d, j) && dls_tangents_of(d, j) > 1) return DLS_EXACT_UNKNOWN;
  }
  if (bits > MOST_SIGNED || d->n + d->m + d->tangents > MOST_UNKNOWNS) return DLS_EXACT_UNKNOWN;
  for (s->signs = 0; s->signs < 1u << bits; s->signs++) {
    if (!dls_trial_borrow(s->x)) return DLS_EXACT_UNKNOWN;
    const dls_exact found = decide(s);
    dls_trial_return(s->x);
    if (found == DLS_EXACT_YES || s->x->out_of_memory) return found;
    if (found == DLS_EXACT_UNKNOWN) all = DLS_EXACT_UNKNOWN;
  }
  return all;
}

dls_exact dls_sticks(dls_trial *x, mpq_srcptr mu, double most)
{
  sticking s = {.x = x, .mu = mu, .most = most};
  return decide_all(&s);
}

dls_exact dls_squeezes(dls_trial *x, mpq_srcptr mu)
{
  sticking s = {.x = x, .mu = mu, .most = INFINITY, .cancel = true};
  return decide_all(&s);
}
