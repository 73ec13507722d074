// Friction so weak that there is one solution at most.                              eq (fri.11)
//
// With K = [M -B; B^T 0] both matrices are parts of solutions, enclosed: B the gradients of
// frictionless bilateral contacts, A = H^T Z of K (Z; Y) = (H; 0); and B all gradients and slips
// with friction, Phi the multipliers of K (Z; Phi) = (0; E), E one column for each contact with
// friction.
#include "verify/checks.h"

#include <math.h>

typedef struct weak {
  dls_trial *x;
  const double *k;  // m, scaled
  int contacts;     // with friction
  int *contact;     // their numbers
  int slips;        // of these
  int *slip, *of;   // slips: column of H, and number of the contact
} weak;

static bool read_weights(dls_trial *x, dls_finding *f, const json_t *witness, weak *w)
{
  const dls_data *d = &x->data;
  double *k = dls_read_contacts(x, f, witness, "weight_b", "weight_u");
  w->contact = dls_trial_alloc(x, d->m, sizeof *w->contact);
  w->slip = dls_trial_alloc(x, d->tangents, sizeof *w->slip);
  w->of = dls_trial_alloc(x, d->tangents, sizeof *w->of);
  if (!k || !w->contact || !w->slip || !w->of) return false;
  w->k = k;
  for (int j = 0; j < d->m; j++) {
    const char *name = d->contact_name[j];
    if (d->mu[j] != d->mu_s[j])
      return dls_fails(x, f, "static friction at %.60s: the proof says nothing of it", name);
    if (!dls_has_friction(d, j)) continue;
    const double unit = d->C[j] * d->S[j];
    k[j] *= unit * unit;
    if (!(k[j] > 0) || !isfinite(k[j]))
      return dls_fails(x, f, "the weight of contact %.60s is not positive", name);
    for (int t = d->first[j]; t < d->first[j + 1]; t++)
      w->slip[w->slips] = t, w->of[w->slips++] = j;
    w->contact[w->contacts++] = j;
  }
  return true;
}

// Column c of K's right part, -B, and its transpose: the column a, scaled.
static void fill_column(const dls_data *d, const double *a, double unit, int c, dls_intervals K)
{
  for (int i = 0; i < d->n; i++) {
    mpfi_set_d(dls_at(K, d->n + c, i), d->D[i] * a[i] * unit);
    mpfi_set_d(dls_at(K, i, d->n + c), -(d->D[i] * a[i] * unit));
  }
}

static void fill_mass(const dls_data *d, dls_intervals K)
{
  const dls_scaled M = dls_scaled_mass(d);
  dls_intervals_fill(K, &M);
}

// part < diag(bound)
static bool is_below(const double *bound, const dls_intervals part)
{
  const int size = part->rows;
  dls_intervals A;
  dls_intervals_init(A, size, size, DLS_BITS);
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) {
      // bound^-1/2 before rows and columns, by powers of two next to it, leaves the order as it is
      const double unit = dls_data_unit(1 / sqrt(bound[i])) * dls_data_unit(1 / sqrt(bound[j]));
      mpfi_ptr a = dls_at(A, i, j);
      mpfi_add(a, dls_at(part, i, j), dls_at(part, j, i));
      mpfi_mul_d(a, a, -0.5);
      if (i == j) mpfi_add_d(a, a, bound[i]);
      mpfi_mul_d(a, a, unit);
    }
  const bool below = dls_intervals_definite(A, clearly_below);
  dls_intervals_clear(A);
  return below;
}

// H^T M_c^-1 H < 2 diag(k), frictionless bilateral contacts kept.
static bool slips_little(const weak *w)
{
  const dls_data *d = &w->x->data;
  const int n = d->n;
  int size = n;
  for (int j = 0; j < d->m_b; j++) size += !dls_has_friction(d, j);
  double *bound = dls_trial_alloc(w->x, w->slips, sizeof *bound);
  if (!bound) return false;
  dls_intervals K, R, X, A;
  dls_intervals_init(K, size, size, DLS_BITS), dls_intervals_init(R, size, w->slips, DLS_BITS);
  dls_intervals_init(X, size, w->slips, DLS_BITS);
  dls_intervals_init(A, w->slips, w->slips, DLS_BITS);
  fill_mass(d, K);
  for (int j = 0, c = 0; j < d->m_b; j++)
    if (!dls_has_friction(d, j)) fill_column(d, d->g[j], d->C[j], c++, K);
  for (int s = 0; s < w->slips; s++) {
    const double *h = dls_slip_column(d, w->slip[s]), unit = d->C[w->of[s]];
    for (int i = 0; i < n; i++) mpfi_set_d(dls_at(R, i, s), d->D[i] * h[i] * unit);
    bound[s] = 2 * w->k[w->of[s]];
  }
  bool good = dls_intervals_solve(X, K, R, d->noise);
  for (int r = 0; r < w->slips && good; r++)
    for (int s = 0; s < w->slips; s++)
      for (int i = 0; i < n; i++)
        dls_add_product(dls_at(A, r, s), dls_at(R, i, r), dls_at(X, i, s));
  good = good && is_below(bound, A);
  dls_intervals_clear(K), dls_intervals_clear(R), dls_intervals_clear(X), dls_intervals_clear(A);
  return good;
}

// The part of (B^T M^-1 B)^-1 at normal forces < 2 diag(1/(mu^2 k)).
static bool presses_little(const weak *w)
{
  const dls_data *d = &w->x->data;
  const int n = d->n, size = n + d->m + w->slips;
  double *bound = dls_trial_alloc(w->x, w->contacts, sizeof *bound);
  if (!bound) return false;
  dls_intervals K, R, X, A;
  dls_intervals_init(K, size, size, DLS_BITS), dls_intervals_init(R, size, w->contacts, DLS_BITS);
  dls_intervals_init(X, size, w->contacts, DLS_BITS);
  dls_intervals_init(A, w->contacts, w->contacts, DLS_BITS);
  fill_mass(d, K);
  for (int j = 0; j < d->m; j++) fill_column(d, d->g[j], d->C[j], j, K);
  for (int s = 0; s < w->slips; s++)
    fill_column(d, dls_slip_column(d, w->slip[s]), d->C[w->of[s]], d->m + s, K);
  for (int c = 0; c < w->contacts; c++) {
    const int j = w->contact[c];
    mpfi_set_si(dls_at(R, n + j, c), 1);
    bound[c] = dls_quotient(2 * a_little_shorter, d->mu[j] * d->mu[j] * w->k[j]);
  }
  bool good = dls_intervals_solve(X, K, R, d->noise);
  for (int r = 0; r < w->contacts; r++)
    for (int c = 0; c < w->contacts; c++)
      mpfi_set(dls_at(A, r, c), dls_at(X, n + w->contact[r], c));
  good = good && is_below(bound, A);
  dls_intervals_clear(K), dls_intervals_clear(R), dls_intervals_clear(X), dls_intervals_clear(A);
  return good;
}

void dls_check_weak(dls_trial *x, dls_finding *f, const json_t *witness, bool forces)
{
  weak w = {.x = x};
  if (!x->solved) {
    dls_fails(x, f, "no solution is proven to exist");
    return;
  }
  if (!read_weights(x, f, witness, &w) || !dls_prove_mass(x, f)) return;
  if (!w.k || w.contacts == 0 || !slips_little(&w) || !presses_little(&w)) {
    dls_fails(x, f, "the weights do not show that friction is weak");
    return;
  }
  if (forces && !dls_all_stay_independent(x, f)) return;
  dls_proves(x, f,
             "friction is weak: no other solution, whatever the load; products of norms "
             "below 1, in intervals");
}
