// The motion of an impact by Poisson's law: both phases of it.              eq (poi.1), (poi.2)
//
// The compression is Moreau's law with e = 0 and is checked as that. What the whole motion has more
// is the second phase, a contact problem in its jump with p' = p_r - e p_c. The friction of e p_c
// is that of a weight of its own, eq (dry.1), and the friction of p_r is shared out between the
// two in proportion, which no disc feels: what lies in a disc of radius mu (a + b) lies, shared so,
// in discs of radius mu a and mu b, and its direction stays.
#include "verify/claim_poisson.h"

#include "verify/motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct phase {
  const dls_poisson_claim *claim;
  dls_trial *x;  // of the compression
  dls_finding *f;
  dls_trial trial;  // of the second phase
  dls_trial_point first, total;
  double *normal, *slip;  // velocities after the first phase
  double *given;          // m_u: e p_c
  int *weighed, weights, tangents;
} phase;

static bool has_weight(const phase *p, int u)
{
  const dls_data *d = &p->x->data;
  return p->given[u] > 0 && dls_has_friction(d, d->m_b + u);
}

static bool read_numbers(phase *p, const json_t *both, const char *const *names, double *out)
{
  const dls_data *d = &p->x->data;
  return dls_read_named(p->x, p->f, json_object_get(both, "after"), "after", names, d->m - d->m_b,
                        out);
}

// Velocities after the compression, and what it gives on.
static bool read_first(phase *p, const json_t *compression)
{
  dls_trial *x = p->x;
  const dls_data *d = &x->data;
  const int m_u = d->m - d->m_b;
  const json_t *first = dls_json_item(json_object_get(compression, "solutions"), 0);
  if (!json_is_object(first)) return dls_fails(x, p->f, "no compression is shown");
  if (!dls_check_motion(p->claim->before, x, p->f, first, &p->first)) return false;
  p->normal = dls_trial_alloc(x, m_u, sizeof *p->normal);
  p->given = dls_trial_alloc(x, m_u, sizeof *p->given);
  p->weighed = dls_trial_alloc(x, m_u, sizeof *p->weighed);
  p->slip = dls_trial_alloc(x, d->tangents, sizeof *p->slip);
  if (!p->normal || !p->given || !p->weighed || !p->slip) return false;
  const char *const *names = (const char *const *)d->contact_name + d->m_b;
  if (!read_numbers(p, json_object_get(first, "normal_velocities"), names, p->normal)) return false;
  if (d->tangents > 0) {
    const double *slip =
        dls_read_slips(x, p->f, json_object_get(first, "slip_velocities"), "after");
    if (!slip) return false;
    dls_copy(p->slip, slip, d->tangents);
  }
  p->tangents = d->tangents;
  for (int u = 0; u < m_u; u++) {
    const double e = p->claim->E[u * ((ptrdiff_t)p->claim->m_u + 1)];
    p->given[u] = e * p->first.lambda[d->m_b + u];
    if (!has_weight(p, u)) continue;
    p->weighed[p->weights++] = u;
    p->tangents += dls_tangents_of(d, d->m_b + u);
  }
  return true;
}

// ---- the problem of the second phase ------------------------------------------------------------

typedef struct arrays {
  double *M, *F, *G, *b, *H, *b_t, *mu, *mu_s, *zeros;
  int *first;
  bool *sliding;
  const char **name;
} arrays;

static bool take_arrays(phase *p, ptrdiff_t n, ptrdiff_t m, arrays *a)
{
  dls_trial *x = p->x;
  const ptrdiff_t tangents = p->tangents;
  a->M = dls_trial_alloc(x, n * n, sizeof(double));
  a->F = dls_trial_alloc(x, n, sizeof(double));
  a->G = dls_trial_alloc(x, n * m, sizeof(double));
  a->b = dls_trial_alloc(x, m, sizeof(double));
  a->H = dls_trial_alloc(x, n * tangents, sizeof(double));
  a->b_t = dls_trial_alloc(x, tangents, sizeof(double));
  a->mu = dls_trial_alloc(x, 2 * m, sizeof(double));
  a->zeros = dls_trial_alloc(x, m + tangents, sizeof(double));
  a->first = dls_trial_alloc(x, m + 1, sizeof(int));
  a->sliding = dls_trial_alloc(x, m, sizeof(bool));
  a->name = dls_trial_alloc(x, n + m, sizeof *a->name);
  a->mu_s = a->mu ? a->mu + m : NULL;
  return a->M && a->F && a->G && a->b && a->H && a->b_t && a->mu && a->zeros && a->first &&
         a->sliding && a->name;
}

// In powers of two, the least mass over the square of an entry of the slips.
static double weight_of(const dls_problem *s, int contact)
{
  double least = 0;
  for (int k = s->friction->first[contact]; k < s->friction->first[contact + 1]; k++)
    for (ptrdiff_t i = 0; i < s->n; i++) {
      const double entry = fabs(s->friction->H[i + s->n * (ptrdiff_t)k]);
      const double mass = s->M[i * ((ptrdiff_t)s->n + 1)];
      if (!(entry > 0) || !(mass > 0)) continue;
      const double ratio = dls_data_unit(mass) / dls_data_unit(entry) / dls_data_unit(entry);
      if (isfinite(ratio) && ratio > 0 && (least == 0 || ratio < least)) least = ratio;
    }
  return least > 0 ? least : 1;
}

static void put(ptrdiff_t n, const double *from, double *to)
{
  for (ptrdiff_t i = 0; i < n; i++) to[i] = from[i];
}

static void fill_contacts(const phase *p, const dls_problem *s, ptrdiff_t n, const arrays *a)
{
  const ptrdiff_t own = s->n;
  const int m = s->m_b + s->m_u;
  for (ptrdiff_t i = 0; i < own; i++) {
    put(own, s->M + own * i, a->M + n * i);
    a->name[i] = s->coordinates[i];
  }
  for (int j = 0; j < m; j++) {
    const bool bilateral = j < s->m_b;
    const ptrdiff_t u = (ptrdiff_t)j - s->m_b;
    put(own, bilateral ? s->G_b + own * j : s->G_u + own * u, a->G + n * j);
    for (ptrdiff_t i = 0; !bilateral && i < own; i++) a->F[i] -= s->G_u[i + own * u] * p->given[u];
    a->b[j] = bilateral ? 0 : p->normal[u];
    a->first[j + 1] = s->friction->first[j + 1];
    a->mu[j] = s->friction->mu[j], a->mu_s[j] = s->friction->mu_s[j];
    a->name[n + j] = p->x->data.contact_name[j];
  }
  for (ptrdiff_t k = 0; k < s->friction->tangents; k++) {
    put(own, s->friction->H + own * k, a->H + n * k);
    a->b_t[k] = p->slip[k];
  }
}

static void fill_weights(const phase *p, const dls_problem *s, ptrdiff_t n, const arrays *a)
{
  int slip = s->friction->tangents;
  for (int k = 0; k < p->weights; k++) {
    const int u = p->weighed[k], j = s->m_b + u, to = s->m_b + s->m_u + k;
    const ptrdiff_t at = s->n + (ptrdiff_t)k;
    const double most = s->friction->mu_s[j];
    a->M[at * (n + 1)] = weight_of(s, j);
    a->F[at] = most * p->given[u];
    a->G[at + n * to] = 1;
    a->mu[to] = s->friction->mu[j] / most, a->mu_s[to] = 1;
    a->name[at] = a->name[n + to] = p->x->data.contact_name[j];
    for (int l = s->friction->first[j]; l < s->friction->first[j + 1]; l++, slip++) {
      put(s->n, s->friction->H + (ptrdiff_t)s->n * l, a->H + n * slip);
      a->b_t[slip] = p->slip[l];
    }
    a->first[to + 1] = slip;
  }
}

static bool make_problem(phase *p)
{
  dls_trial *x = p->x;
  const dls_problem *s = &x->state->problem;
  const ptrdiff_t n = (ptrdiff_t)s->n + p->weights, m = (ptrdiff_t)s->m_b + s->m_u + p->weights;
  arrays a = {0};
  dls_problem *out = dls_trial_alloc(x, 1, sizeof *out);
  dls_friction *f = dls_trial_alloc(x, 1, sizeof *f);
  if (!out || !f || !take_arrays(p, n, m, &a)) return false;
  fill_contacts(p, s, n, &a);
  fill_weights(p, s, n, &a);
  *f = (dls_friction){.tangents = p->tangents,
                      .first = a.first,
                      .H = a.H,
                      .b_t = a.b_t,
                      .mu = a.mu,
                      .mu_s = a.mu_s,
                      .xi = a.zeros,
                      .sliding = a.sliding,
                      .w_n = a.zeros,
                      .w_t = a.zeros};
  *out = (dls_problem){.n = (int)n,
                       .m_b = s->m_b,
                       .m_u = s->m_u + p->weights,
                       .M = a.M,
                       .F = a.F,
                       .G_b = a.G,
                       .b_b = a.b,
                       .G_u = a.G + n * s->m_b,
                       .b_u = a.b + s->m_b,
                       .coordinates = a.name,
                       .bilateral = a.name + n,
                       .unilateral = a.name + n + s->m_b,
                       .friction = f};
  return dls_trial_other(x, out, &p->trial);
}

// ---- its point ----------------------------------------------------------------------------------

static bool make_point(phase *p, dls_trial_point *point)
{
  dls_trial *x = p->x;
  const dls_data *d = &x->data, *to = &p->trial.data;
  double *z = dls_trial_alloc(x, to->n, sizeof *z);
  double *lambda = dls_trial_alloc(x, to->m, sizeof *lambda);
  double *tau = dls_trial_alloc(x, to->tangents, sizeof *tau);
  if (!z || !lambda || !tau) return false;
  for (int i = 0; i < d->n; i++) z[i] = p->total.z[i] - p->first.z[i];
  for (int j = 0; j < d->m; j++) {
    lambda[j] = p->total.lambda[j] - p->first.lambda[j];
    if (j >= d->m_b) lambda[j] -= p->given[j - d->m_b];
    // rounding of percussions that are given, and no more
    const double most = fabs(p->total.lambda[j]) + 2 * fabs(p->first.lambda[j]);
    if (j >= d->m_b && fabs(lambda[j]) <= x->tolerance * most && lambda[j] < 0) lambda[j] = 0;
    for (int k = d->first[j]; k < d->first[j + 1]; k++)
      tau[k] = (p->total.tau[k] - p->first.tau[k]) * d->S[j] / to->S[j];
  }
  for (int k = 0, slip = d->tangents; k < p->weights; k++) {
    const int j = d->m_b + p->weighed[k], at = d->m + k;
    const double given = p->given[p->weighed[k]], part = given / (given + lambda[j]);
    lambda[at] = dls_static_friction_of(d, j) * given;
    for (int l = d->first[j]; l < d->first[j + 1]; l++, slip++) {
      tau[slip] = part * tau[l] * to->S[j] / to->S[at];
      tau[l] *= 1 - part;
    }
  }
  *point = (dls_trial_point){z, lambda, tau};
  return true;
}

// What contacts do, in words, beside their percussions and slips.
static bool check_modes(const phase *p, const json_t *object)
{
  const dls_data *d = &p->x->data;
  const json_t *slips = json_object_get(object, "slip_velocities");
  const double *after = d->tangents ? dls_read_slips(p->x, p->f, slips, "after") : NULL;
  if (d->tangents && !after) return false;
  for (int j = 0; j < d->m; j++) {
    const json_t *one = json_object_get(json_object_get(object, "percussions"), d->contact_name[j]);
    const char *mode = json_string_value(json_object_get(one, "mode"));
    const bool rubs = dls_has_friction(d, j);
    bool none = p->total.lambda[j] == 0, still = true;
    for (int k = d->first[j]; k < d->first[j + 1]; k++) {
      none = none && p->total.tau[k] == 0;
      still = still && after && after[k] == 0;
    }
    const bool good = !mode                               ? false
                      : strcmp(mode, "detach") == 0       ? none && !dls_is_bilateral(d, j)
                      : strcmp(mode, "frictionless") == 0 ? !rubs
                      : strcmp(mode, "stick") == 0        ? rubs && still
                      : strcmp(mode, "slide") == 0        ? rubs
                                                          : false;
    if (!good)
      return dls_fails(p->x, p->f, "contact %.60s does not %.20s", d->contact_name[j],
                       mode ? mode : "anything");
  }
  return true;
}

bool dls_check_poisson(const dls_poisson_claim *claim, dls_trial *x, dls_finding *f,
                       const json_t *object)
{
  phase p = {.claim = claim, .x = x, .f = f};
  dls_trial_point point;
  if (!read_first(&p, json_object_get(object, "compression")) ||
      !dls_read_motion(x, f, object, &p.total) || !make_problem(&p))
    return false;
  const bool good = make_point(&p, &point) &&
                    dls_check_solves(&p.trial, f, &point, false, "the restitution phase") &&
                    dls_check_velocities(claim->before, x, f, &p.total, object) &&
                    check_modes(&p, object);
  x->out_of_memory |= p.trial.out_of_memory;
  dls_sum_clear(&p.trial.sum);
  return good;
}
