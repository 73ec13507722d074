#include "certify/modes.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

dls_status dls_polyhedron_work_points(dls_polyhedra *c, dls_polyhedron_work *work)
{
  dls_status status = dls_point_create(c->x, c, &work->point);
  if (status == DLS_OK) status = dls_point_create(c->x, c, &work->user);
  return status == DLS_OK ? dls_point_create(c->x, c, &work->rounded) : status;
}

dls_status dls_polyhedron_work_create(dls_polyhedra *c, dls_polyhedron_work *work)
{
  dls_context *x = c->x;
  const ptrdiff_t size = ((ptrdiff_t)c->n + c->m + c->tangents);
  dls_status status = dls_polyhedron_create(c, &work->polyhedron);
  work->y = dls_context_work(x, size), work->w = dls_context_work(x, size);
  work->turned = dls_context_work(x, size * size), work->target = dls_context_work(x, size);
  if (status == DLS_OK) status = dls_polyhedron_work_points(c, work);
  if (status == DLS_OK) status = dls_proof_create(x, c, &work->proof);
  return x->out_of_memory ? DLS_ERR_MEMORY : status;
}

static void round_off(double *x, int count, double zero)
{
  for (int i = 0; i < count; i++)
    if (fabs(x[i]) <= zero) x[i] = 0;
}

double dls_point_size(const dls_polyhedra *c, const dls_point *p)
{
  const double force = fmax(dls_norm_max(c->m, p->lambda), dls_norm_max(c->tangents, p->tau));
  return fmax(c->load, fmax(dls_norm_max(c->n, p->z), force));
}

bool dls_modes_spatial(const dls_polyhedra *c)
{
  for (int j = 0; j < c->m; j++)
    if (c->touch[j] == DLS_TOUCH_CANDIDATE && dls_polyhedra_tangents(c, j) == 2) return true;
  return false;
}

double dls_polyhedron_open(const dls_polyhedra *c, const dls_point *p)
{
  const double size = c->load > 0 ? dls_point_size(c, p) / c->load : 1;
  return fmin(c->loose, c->margin * size);
}

// What is only rounding becomes zero first: where nothing else moves it would count in full.
static double residual_of(const dls_polyhedra *c, dls_polyhedron_work *work)
{
  const double noise = entry_roundings * c->x->basic.noise;
  dls_point *p = &work->point, *rounded = &work->rounded;
  dls_point_copy(c, p, rounded);
  const double force = fmax(dls_norm_max(c->m, p->lambda), dls_norm_max(c->tangents, p->tau));
  // accelerations are known as far as forces that balance each other are
  round_off(rounded->z, c->n, noise * fmax(fmax(c->load, force), dls_norm_max(c->n, p->z)));
  round_off(rounded->lambda, c->m, noise * fmax(c->load, force));
  round_off(rounded->tau, c->tangents, noise * fmax(c->load, force));
  const double clean = dls_point_residual(c, rounded, &work->user),
               open = dls_polyhedron_open(c, p);
  if (clean <= open) dls_point_copy(c, rounded, p);
  if (clean <= open) return clean;
  const double left = dls_point_residual(c, p, &work->user);
  if (left <= open || !(clean <= c->loose)) return left;
  dls_point_copy(c, rounded, p);
  return clean;
}

dls_status dls_polyhedron_accept(const dls_polyhedra *c, const unsigned char *mode,
                                 dls_polyhedron_work *work, bool *good)
{
  dls_exact_outcome outcome = DLS_EXACT_LARGE;
  const double residual = residual_of(c, work);
  *good = residual <= dls_polyhedron_open(c, &work->point) && !c->doubtful;
  if (*good || !(residual <= c->loose)) return DLS_OK;
  // gradients that are parallel but for a little have their solutions elsewhere
  const dls_polyhedron_region here = {
      .near = &work->point, .radius = next_to * c->tolerance * dls_point_size(c, &work->point)};
  dls_point *exact = &work->rounded;
  const dls_status status = dls_polyhedron_exact(c, mode, &here, NULL, exact, &outcome);
  *good = outcome == DLS_EXACT_POINT;
  if (!*good || status != DLS_OK) return status;
  const double left = dls_point_residual(c, exact, &work->user);
  if (left <= fmax(residual, c->margin)) dls_point_copy(c, exact, &work->point);
  return DLS_OK;
}

// With K^T w = sum kappa_k l_k the value of that sum at every point of the polyhedron is w^T r + e:
// the proof is d = -w_z, (alpha, sigma) = -w_c, and kappa itself on accelerations.   eq (fri.4)
void dls_polyhedron_proof(const dls_polyhedra *c, dls_polyhedron_work *work, const double *kappa)
{
  const dls_polyhedron *polyhedron = &work->polyhedron;
  const dls_proof *proof = &work->proof;
  for (int i = 0; i < c->n; i++) proof->d[i] = -work->w[i];
  for (int j = 0; j < c->m; j++) {
    const int at = polyhedron->force_at[j];
    proof->alpha[j] = at < 0 ? 0 : -work->w[at];
    for (int k = 0; k < dls_polyhedra_tangents(c, j); k++)
      proof->sigma[c->first[j] + k] = k + 1 < polyhedron->columns[j] ? -work->w[at + 1 + k] : 0;
  }
  for (int k = 0; kappa && k < polyhedron->inequalities; k++) {
    const int j = polyhedron->owner[k];
    if (polyhedron->kind[k] == 1) proof->alpha[j] += kappa[k];
    else if (polyhedron->kind[k])
      proof->sigma[c->first[j]] += polyhedron->kind[k] > 0 ? kappa[k] : -kappa[k];
  }
}

// --- a polyhedron whose equations determine one point --------------------------------------------

// The row of a spatial cone, mu lambda - |tau| >= 0, linearised at the point.
static void set_cone_rows(dls_polyhedron_work *work)
{
  dls_polyhedron *polyhedron = &work->polyhedron;
  for (int k = 0; k < polyhedron->inequalities; k++) {
    if (polyhedron->tau_norm[k] < 0) continue;
    const int at = polyhedron->force_at[polyhedron->tau_norm[k]];
    const double size = hypot(work->y[at + 1], work->y[at + 2]);
    double *row = polyhedron->L + (ptrdiff_t)k * polyhedron->size;
    for (int d = 1; d <= 2; d++) row[at + d] = size > 0 ? -work->y[at + d] / size : 0;
  }
}

// The inequality that is violated most, relative to its row; -1 when all hold.
static int worst_inequality(const dls_polyhedron_work *work, const bool *tried)
{
  const dls_polyhedron *polyhedron = &work->polyhedron;
  int worst = -1;
  double least = 0;
  for (int k = 0; k < polyhedron->inequalities; k++) {
    const double *row = polyhedron->L + (ptrdiff_t)k * polyhedron->size;
    const double size = dls_norm_max(polyhedron->size, row);
    const double value = dls_dot(polyhedron->size, row, work->y) + polyhedron->e[k];
    const double relative = size > 0 ? value / size : value;
    if (!tried[k] && relative < least) least = relative, worst = k;
  }
  return worst;
}

// Proves a polyhedron empty whose only point violates an inequality.
static dls_status prove_violated(const dls_polyhedra *c, const unsigned char *mode,
                                 dls_polyhedron_work *work, double *margin)
{
  enum { TRIES = 3 };
  dls_polyhedron *polyhedron = &work->polyhedron;
  const ptrdiff_t N = polyhedron->size;
  double *kappa = dls_alloc(polyhedron->inequalities, sizeof *kappa), rcond = 0;
  bool *tried = dls_alloc(polyhedron->inequalities, sizeof *tried);
  dls_status status = kappa && tried ? DLS_OK : DLS_ERR_MEMORY;
  *margin = 0;
  for (ptrdiff_t i = 0; i < N; i++)
    for (ptrdiff_t j = 0; j < N; j++) work->turned[j + N * i] = polyhedron->K[i + N * j];
  for (int t = 0; status == DLS_OK && t < TRIES && !(*margin > c->tolerance); t++) {
    const int k = worst_inequality(work, tried);
    if (k < 0) break;
    tried[k] = true;
    status = dls_solve(polyhedron->size, 1, work->turned, polyhedron->L + k * N, work->w, &rcond);
    if (status != DLS_OK || !(rcond > 0)) break;
    dls_clear(kappa, polyhedron->inequalities);
    kappa[k] = 1;
    dls_polyhedron_proof(c, work, kappa);
    *margin = dls_proof_check_far(c, mode, &work->proof);
  }
  if (status == DLS_OK) status = dls_polyhedron_refute(c, mode, &work->proof, margin);
  free(kappa), free(tried);
  return status;
}

// Does an acceleration have the wrong sign, by more than rounding of its own terms? It may be
// rounding beside the load all the same.
static bool has_wrong_sign(const dls_polyhedra *c, const dls_polyhedron_work *work)
{
  const dls_polyhedron *p = &work->polyhedron;
  const double *z = work->point.z, size = dls_norm_max(c->n, z);
  for (int k = 0; k < p->inequalities; k++) {
    const double *row = p->L + (ptrdiff_t)k * p->size;
    const double value = dls_dot(c->n, row, z) + p->e[k];
    const double terms = dls_norm_max(c->n, row) * size + fabs(p->e[k]);
    if (p->kind[k] != 0 && value < -c->margin * terms) return true;
  }
  return false;
}

// A point of the polyhedron to rounding beside the load. Where a sign is wrong beside its own terms
// whole numbers have to find one next to it.                                          eq (num.1)
static dls_status accept_signs(const dls_polyhedra *c, const unsigned char *mode,
                               dls_polyhedron_work *work, bool *good)
{
  dls_exact_outcome outcome;
  dls_status status = dls_polyhedron_accept(c, mode, work, good);
  if (status != DLS_OK || !*good || !has_wrong_sign(c, work)) return status;
  const dls_polyhedron_region here = {
      .near = &work->point, .radius = next_to * c->tolerance * dls_point_size(c, &work->point)};
  status = dls_polyhedron_exact(c, mode, &here, NULL, NULL, &outcome);
  *good = outcome == DLS_EXACT_POINT;
  return status;
}

static dls_status analyse(dls_polyhedra *c, const unsigned char *mode, dls_polyhedron_work *work,
                          dls_set *set, double *margin, dls_polyhedron_outcome *outcome)
{
  *outcome = DLS_POLYHEDRON_DOUBT, *margin = 0;
  *set = (dls_set){.certain = true};
  if (!dls_polyhedron_set(c, mode, &work->polyhedron)) {
    const dls_status status = dls_polyhedron_relaxed(c, mode, &work->proof, margin);
    if (*margin > c->tolerance) *outcome = DLS_POLYHEDRON_EMPTY;
    return status;
  }
  double rcond = 0;
  dls_status status =
      dls_solve(work->polyhedron.size, 1, work->polyhedron.K, work->polyhedron.r, work->y, &rcond);
  if (status == DLS_ERR_NUMBER) return DLS_OK;
  if (status != DLS_OK) return status;
  if (!(rcond > c->tolerance)) {
    set->degenerate = true;
    return dls_polyhedron_degenerate(c, mode, work, set, margin, outcome);
  }

  set_cone_rows(work);
  dls_polyhedron_expand(c, mode, &work->polyhedron, work->y, &work->point);
  bool good = false;
  status = accept_signs(c, mode, work, &good);
  if (good) *outcome = DLS_POLYHEDRON_SET;
  if (good || status != DLS_OK) return status;
  status = prove_violated(c, mode, work, margin);
  if (*margin > c->tolerance) *outcome = DLS_POLYHEDRON_EMPTY;
  return status;
}

dls_status dls_polyhedron_analyse(dls_polyhedra *c, const unsigned char *mode,
                                  dls_polyhedron_work *work, dls_set *set, double *margin,
                                  dls_polyhedron_outcome *outcome)
{
  const dls_status status = analyse(c, mode, work, set, margin, outcome);
  if (status == DLS_OK && *outcome == DLS_POLYHEDRON_SET && c->load > 0 &&
      dls_point_size(c, &work->point) > far_solutions * c->load)
    *outcome = DLS_POLYHEDRON_DOUBT;
  return status;
}

// --- which polyhedra touch -----------------------------------------------------------------------

static double distance(const dls_polyhedra *c, const dls_point *a, const dls_point *b)
{
  double far = 0, size = c->load;
  const struct {
    const double *a, *b;
    int count;
  } parts[] = {{a->z, b->z, c->n}, {a->lambda, b->lambda, c->m}, {a->tau, b->tau, c->tangents}};
  for (ptrdiff_t p = 0; p < 3; p++)
    for (int i = 0; i < parts[p].count; i++) {
      far = fmax(far, fabs(parts[p].a[i] - parts[p].b[i]));
      size = fmax(size, fmax(fabs(parts[p].a[i]), fabs(parts[p].b[i])));
    }
  return far == 0 ? 0 : far / size;
}

// The point lies in the polyhedron of these modes: no program is needed to see that two polyhedra
// touch.
static bool lies_in(const dls_polyhedra *c, const dls_point *p, const unsigned char *mode)
{
  const ptrdiff_t n = c->n;
  const double zero = entry_roundings * c->x->basic.noise * fmax(dls_point_size(c, p), not_zero);
  for (int j = 0; j < c->m; j++) {
    const int kind = mode[j] & ~DLS_MODE_PULLING, first = c->first[j];
    const double lambda = mode[j] & DLS_MODE_PULLING ? -p->lambda[j] : p->lambda[j];
    const double a = dls_dot(c->n, c->G + n * j, p->z) + c->b[j], mu = c->mu[j], mu_s = c->mu_s[j];
    const bool closed = fabs(a) <= zero, pushes = lambda >= -zero || kind == DLS_MODE_CLOSED;
    if (kind == DLS_MODE_DETACH) {
      if (fabs(p->lambda[j]) > zero || a < -zero) return false;
      continue;
    }
    if (!closed || !pushes) return false;
    if (kind == DLS_MODE_CLOSED || c->touch[j] != DLS_TOUCH_CANDIDATE) continue;
    if (dls_polyhedra_tangents(c, j) != 1) return false;
    const double s = dls_dot(c->n, c->H + n * first, p->z) + c->b_t[first];
    const double tau = p->tau[first], reach = fmax(1, mu_s) * zero;
    if (kind == DLS_MODE_STICK && (fabs(s) > zero || fabs(tau) > mu_s * lambda + reach))
      return false;
    if (kind == DLS_MODE_SLIDE_PLUS && (s < -zero || fabs(tau + mu * lambda) > reach)) return false;
    if (kind == DLS_MODE_SLIDE_MINUS && (s > zero || fabs(tau - mu * lambda) > reach)) return false;
  }
  return true;
}

// A point that a linear program found in two polyhedra lies in both beyond its tolerances.
static bool lies_in_both(const dls_polyhedra *c, double *y, const dls_set *a, const dls_set *b)
{
  const dls_point p = {y, y + c->n, y + c->n + c->m};
  for (int j = 0; j < c->m; j++)
    if (c->touch[j] == DLS_TOUCH_CANDIDATE && dls_polyhedra_tangents(c, j) != 1)
      return true;  // not told
  return lies_in(c, &p, a->mode) && lies_in(c, &p, b->mode);
}

// Where the polyhedra meet may be far away, and points that are near each other may be two: whole
// numbers tell. Without them what a program does not see is apart.
static dls_status meet_exactly(dls_modes *m, const dls_set *a, const dls_set *b, bool *touching)
{
  const dls_polyhedron_region both = {.other = b->mode};
  dls_exact_outcome outcome;
  const dls_status status =
      dls_polyhedron_exact(m->polyhedra, a->mode, &both, NULL, NULL, &outcome);
  if (outcome == DLS_EXACT_POINT) *touching = true;
  else if (*touching) m->ambiguous = true;
  return status;
}

// Rounding of a larger point may be more than the load.
static bool is_moderate(const dls_polyhedra *c, const dls_point *p)
{
  return dls_point_size(c, p) <= moderate_point * c->load;
}

// A point that was found in other modes than it is in to rounding belongs to the polyhedron of
// those if whole numbers say so, too.
static dls_status is_elsewhere(const dls_polyhedra *c, const dls_set *set, bool *elsewhere)
{
  const dls_polyhedron_region both = {.other = set->own};
  dls_exact_outcome outcome;
  *elsewhere = false;
  if (memcmp(set->mode, set->own, dls_bytes(c->m, 1)) == 0) return DLS_OK;
  const dls_status status = dls_polyhedron_exact(c, set->mode, &both, NULL, NULL, &outcome);
  *elsewhere = outcome == DLS_EXACT_EMPTY;
  return status;
}

// Two polyhedra touch, to rounding: that is not certain where accelerations differ by not much more
// than the tolerance and one of the points does not belong to the modes by which they do.
static dls_status doubt_touching(dls_modes *m, const dls_set *a, const dls_set *b)
{
  const dls_polyhedra *c = m->polyhedra;
  const double size = fmax(c->load, dls_norm_max(c->n, a->point.z));
  double far = 0;
  bool first = false, second = false;
  for (int i = 0; i < c->n; i++) far = fmax(far, fabs(a->point.z[i] - b->point.z[i]));
  if (a->moves || b->moves || !(far > c->tolerance * size)) return DLS_OK;
  if (far > next_to * c->tolerance * size) return DLS_OK;
  dls_status status = is_elsewhere(c, a, &first);
  if (status == DLS_OK) status = is_elsewhere(c, b, &second);
  m->ambiguous |= first || second;
  return status;
}

static dls_status touch(dls_modes *m, const dls_set *a, const dls_set *b, bool *touching)
{
  const dls_polyhedra *c = m->polyhedra;
  const double far = distance(c, &a->point, &b->point);
  const bool points = a->dimension == 0 && b->dimension == 0;
  *touching = far <= c->tolerance;
  const bool near = far > solved_roundings * c->x->basic.noise;
  if (*touching && near) return meet_exactly(m, a, b, touching);
  if (*touching || points) return DLS_OK;
  *touching = (is_moderate(c, &a->point) && lies_in(c, &a->point, b->mode)) ||
              (is_moderate(c, &b->point) && lies_in(c, &b->point, a->mode));
  if (*touching) return doubt_touching(m, a, b);
  const dls_polyhedron_region both = {.other = b->mode,
                                      .near = &a->point,
                                      .radius =
                                          far_touching * fmax(1, dls_point_size(c, &a->point))};
  dls_polyhedron_program program;
  dls_status status = dls_polyhedron_program_create(c, a->mode, &both, &program);
  if (status != DLS_OK) return status;
  double value = NAN, *y = dls_alloc(program.cols, sizeof *y);
  const dls_lp_outcome outcome = y ? dls_lp_solve(program.lp, y, NULL, &value) : DLS_LP_FAILED;
  *touching = outcome == DLS_LP_OPTIMAL;
  if (outcome == DLS_LP_FAILED) m->ambiguous = true;
  const bool sure = *touching && lies_in_both(c, y, a, b);
  status = y ? dls_lp_status(program.lp) : DLS_ERR_MEMORY;
  free(y);
  dls_polyhedron_program_free(&program);
  if (status == DLS_OK && !sure) status = meet_exactly(m, a, b, touching);
  else if (status == DLS_OK) status = doubt_touching(m, a, b);
  return status;
}

dls_status dls_modes_connect(dls_modes *m)
{
  for (ptrdiff_t i = 0; i < m->sets; i++) m->set[i].component = (int)i;
  for (ptrdiff_t i = 0; i < m->sets; i++)
    for (ptrdiff_t k = 0; k < i; k++) {
      const int from = m->set[i].component, to = m->set[k].component;
      bool touching = false;
      if (from == to) continue;
      dls_status status = touch(m, &m->set[i], &m->set[k], &touching);
      if (status != DLS_OK) return status;
      for (ptrdiff_t l = 0; touching && l < m->sets; l++)
        if (m->set[l].component == from) m->set[l].component = to;
    }
  for (ptrdiff_t i = 0; i < m->sets; i++) m->components += m->set[i].component == (int)i;
  return DLS_OK;
}
