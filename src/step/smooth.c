#include "step/smooth.h"

#include "base/memory.h"
#include "base/message.h"
#include "linalg/length.h"
#include "step/tolerances.h"

#include <math.h>
#include <stdlib.h>

enum { NEWTON_STEPS = 20, FIRST_STEPS = 4, REFINEMENTS = 2, HOLD_STEPS = 6 };

static const double SLOW = 0.1;  // contraction from which on the matrix is made anew,
static const double LOW = 0.1;   // what the estimate of lower order counts
static const double CONVERGES = 0.5, DIVERGES = 2;  // what is left is known, nothing is gained

void dls_smooth_free(dls_smooth *s)
{
  if (!s) return;
  dls_stage_matrix_free(s->single);
  dls_stage_matrix_free(s->coupled);
  free(s->memory);
  free(s);
}

static void square_tableau(dls_smooth *s)
{
  const dls_tableau *t = &s->tableau;
  const int stages = t->stages + t->extra;
  for (int i = 0; i < stages; i++)
    for (int j = 0; j < stages; j++) {
      s->bA[j] += t->b[i] * t->A[i][j];
      for (int k = 0; k < stages; k++) s->AA[i][j] += t->A[i][k] * t->A[k][j];
    }
}

// Lagrange's polynomials of the nodes, as coefficients of powers.
static void set_basis(dls_smooth *s)
{
  const dls_tableau *t = &s->tableau;
  for (int i = 0; i < t->stages; i++) {
    double *c = s->basis[i];
    int degree = 0;
    c[0] = 1;
    for (int j = 0; j < t->stages; j++) {  // times (x - c_j) / (c_i - c_j)
      if (j == i) continue;
      const double over = 1 / (t->c[i] - t->c[j]);
      degree++;
      for (int k = degree; k >= 0; k--)
        c[k] = ((k > 0 ? c[k - 1] : 0) - (k < degree ? t->c[j] * c[k] : 0)) * over;
    }
  }
}

static bool only_diagonal(const dls_pattern *M)
{
  for (int k = 0; k < M->cols; k++)
    if (M->p[k + 1] != k + 1 || M->i[k] != k) return false;
  return true;
}

// Of half-explicit methods: a stage counts by its own weight, or for others that do.
static void note_used(dls_smooth *s)
{
  const dls_tableau *t = &s->tableau;
  for (int i = t->stages - 1; i >= 0; i--) {
    s->used[i] = t->b[i] != 0;
    for (int j = i + 1; j < t->stages; j++)
      s->used[i] = s->used[i] || (t->A[j][i] != 0 && s->used[j]);
  }
}

static dls_status set_up(dls_smooth *s)
{
  const ptrdiff_t n = s->n, m = s->m, tangents = s->tangents;
  const ptrdiff_t stages = s->tableau.stages + s->tableau.extra, width = s->width;
  s->memory = dls_alloc(stages * (2 * width + 2 * n + tangents) + 4 * n + 4 * tangents + m + 1,
                        sizeof(double));
  if (!s->memory) return DLS_ERR_MEMORY;
  s->z = s->memory, s->r = s->z + stages * width, s->Q = s->r + stages * width;
  s->V = s->Q + stages * n, s->slip = s->V + stages * n;
  s->error_q = s->slip + stages * tangents, s->error_v = s->error_q + n;
  s->low_q = s->error_v + n, s->low_v = s->low_q + n;
  s->xi = s->low_v + n, s->turn = s->xi + tangents, s->start = s->turn + 2 * tangents;
  dls_status status = dls_stage_matrix_create(s->point, 1, false, &s->single);
  if (status == DLS_OK && s->tableau.implicit)
    status =
        dls_stage_matrix_create(s->point, s->tableau.stages - s->tableau.starts, true, &s->coupled);
  return status;
}

dls_status dls_smooth_create(dls_snapshot *point, const dls_tableau *tableau, dls_smooth **out,
                             dls_message *message)
{
  *out = NULL;
  if (tableau->implicit && !point->derivatives)
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "the scheme `%s` needs the derivatives of the system, and it has none",
                    tableau->name);
  dls_smooth *s = dls_alloc(1, sizeof *s);
  if (!s) return DLS_ERR_MEMORY;
  s->point = point, s->tableau = *tableau;
  s->enough = stage_solved;
  s->n = point->system->n, s->m = point->system->m, s->tangents = point->system->tangents;
  s->width = s->n + s->m + s->tangents;
  square_tableau(s);
  note_used(s);
  s->diagonal = only_diagonal(&point->system->mass);
  if (tableau->implicit) set_basis(s);
  const dls_status status = set_up(s);
  if (status == DLS_OK) *out = s;
  else dls_smooth_free(s);
  return status;
}

// --- accelerations and forces at a point ---

// xi at the slip velocities of the point, and how the force of sliding turns with them. In a plane,
// and where sliding in space goes straight, it keeps its direction when the slip velocity changes
// its own: a step may go beyond the end of sliding, and the end is found. Where it turns there is
// no motion beyond. What is as slow as rest has the direction that it is going to have.
static void set_directions(dls_smooth *s, const dls_contact_modes *modes, const double *z)
{
  const dls_values *x = s->point->values;
  for (int j = 0; j < s->m; j++) {
    const int k = s->point->first[j], tangents = s->point->first[j + 1] - k;
    for (int l = 0; l < tangents; l++) {
      s->xi[k + l] = modes->xi[k + l];
      s->turn[2 * (k + l)] = s->turn[2 * (k + l) + 1] = 0;
    }
    if (tangents < 2 || modes->kind[j] != DLS_SLIDING || modes->straight[j]) continue;
    const double speed = dls_length(x->slip[k], x->slip[k + 1]);
    if (speed <= s->rest) continue;
    if (!(x->slip[k] * modes->xi[k] + x->slip[k + 1] * modes->xi[k + 1] > 0)) {
      s->beyond = s->beyond || dls_snapshot_rubs(s->point, j);
      continue;
    }
    const double normal = modes->side[j] * (z ? z[s->n + j] : 0);
    const double force = (x->friction[j] * normal + x->friction_force[j]) / speed;
    const double e[2] = {x->slip[k] / speed, x->slip[k + 1] / speed};
    s->xi[k] = e[0], s->xi[k + 1] = e[1];
    s->turn[2 * k] = force * e[1] * e[1];
    s->turn[2 * k + 1] = s->turn[2 * k + 2] = -force * e[0] * e[1];
    s->turn[2 * k + 3] = force * e[0] * e[0];
  }
}

// r = -(left-hand sides) of eq (rkm.5) where the point stands.
static void set_residual(const dls_smooth *s, const dls_contact_modes *modes, const double *W,
                         const double *z, double *r)
{
  const dls_snapshot *p = s->point;
  const dls_values *x = p->values;
  const double *lambda = z + s->n, *tau = lambda + s->m;
  dls_snapshot_mass(p, z, r);
  for (int i = 0; i < s->n; i++) r[i] = -(r[i] + x->F[i]);
  for (int j = 0; j < s->m; j++) {
    const bool closed = dls_mode_holds(p, modes, j);
    dls_snapshot_add_J(p, j, 0, lambda[j], r);
    r[s->n + j] = closed ? -(dls_snapshot_Jt_times(p, j, 0, z) + x->b_n[j]) : -W[j] * lambda[j];
    for (int k = p->first[j]; k < p->first[j + 1]; k++) {
      double *row = r + s->n + s->m + k;
      dls_snapshot_add_J(p, j, 1 + k - p->first[j], tau[k], r);
      if (modes->kind[j] == DLS_STICKING) {
        *row = -(dls_snapshot_Jt_times(p, j, 1 + k - p->first[j], z) + x->b_t[k]);
      } else {
        const double size = x->friction[j] * modes->side[j] * lambda[j] + x->friction_force[j];
        const double slides = modes->kind[j] == DLS_SLIDING ? size * s->xi[k] : 0;
        *row = -W[s->m + k] * (tau[k] + slides);
      }
    }
  }
}

int dls_smooth_sign(const dls_smooth *s)
{
  return s->direct ? 1 : dls_stage_matrix_sign(s->single);
}

void dls_smooth_start_anew(dls_smooth *s)
{
  dls_clear(s->start, s->m + s->tangents);
}

// No accelerations, and the forces from which those that are not unique are sought.
static void set_start(const dls_smooth *s, const dls_contact_modes *modes, double *z)
{
  dls_clear(z, s->width);
  for (int j = 0; j < s->m; j++) {
    if (!dls_mode_holds(s->point, modes, j)) continue;
    z[s->n + j] = s->start[j];
    for (int k = s->point->first[j]; k < s->point->first[j + 1]; k++)
      z[s->n + s->m + k] = s->start[s->m + k];
  }
}

static bool any_closed(const dls_smooth *s, const dls_contact_modes *modes)
{
  for (int j = 0; j < s->m; j++)
    if (dls_mode_closed(modes, j)) return true;
  return false;
}

// M a = -F; false where a mass is not positive.
static bool divide(const dls_smooth *s, double *z)
{
  const dls_values *x = s->point->values;
  for (int k = 0; k < s->n; k++) {
    z[k] = -x->F[k] / x->M[k];
    if (!(x->M[k] > 0) || !isfinite(z[k])) return false;
  }
  dls_clear(z + s->n, s->m + s->tangents);
  return true;
}

bool dls_smooth_accelerations(dls_smooth *s, const dls_contact_modes *modes, double *z)
{
  s->direct = false;
  if (!s->diagonal || any_closed(s, modes) || !divide(s, z)) return dls_smooth_forces(s, modes, z);
  dls_stage_matrix_begin(s->single);
  s->direct = true;
  return true;
}

bool dls_smooth_forces(dls_smooth *s, const dls_contact_modes *modes, double *z)
{
  s->direct = false;
  const double *W = dls_stage_matrix_delassus(s->single);
  set_start(s, modes, z);
  set_directions(s, modes, NULL);
  dls_stage_matrix_begin(s->single);
  dls_stage_matrix_fill(s->single, 0, modes, true, s->xi, NULL, NULL, NULL);
  if (!dls_stage_matrix_factor(s->single)) return false;
  for (int k = 0; k <= REFINEMENTS; k++) {
    set_residual(s, modes, W, z, s->r);
    dls_stage_matrix_solve(s->single, s->r);
    for (int i = 0; i < s->width; i++) z[i] += s->r[i];
  }
  for (int i = 0; i < s->width; i++)
    if (!isfinite(z[i])) return false;
  return true;
}

// --- projection of velocities ---

static double violation(const dls_smooth *s, const dls_contact_modes *modes)
{
  const dls_values *x = s->point->values;
  double most = 0;
  for (int j = 0; j < s->m; j++) {
    if (dls_mode_closed(modes, j)) most = fmax(most, fabs(x->h_dot[j]));
    if (modes->kind[j] != DLS_STICKING) continue;
    for (int k = s->point->first[j]; k < s->point->first[j + 1]; k++)
      most = fmax(most, fabs(x->slip[k]));
  }
  return most;
}

dls_failure dls_smooth_project_velocities(dls_smooth *s, const dls_contact_modes *modes,
                                          double enough, double t, const double *q, double *v,
                                          dls_message *message)
{
  const dls_values *x = s->point->values;
  double now = violation(s, modes);
  if (now <= enough) return DLS_FAILURE_NONE;
  dls_stage_matrix_begin(s->single);
  dls_stage_matrix_fill(s->single, 0, modes, false, modes->xi, NULL, NULL, NULL);
  if (!dls_stage_matrix_factor(s->single)) return DLS_FAILURE_SINGULAR;
  for (int k = 0; k < HOLD_STEPS && now > enough; k++) {
    dls_clear(s->r, s->width);
    for (int j = 0; j < s->m; j++) {
      if (dls_mode_holds(s->point, modes, j)) s->r[s->n + j] = -x->h_dot[j];
      if (modes->kind[j] != DLS_STICKING) continue;
      for (int l = s->point->first[j]; l < s->point->first[j + 1]; l++)
        s->r[s->n + s->m + l] = -x->slip[l];
    }
    dls_stage_matrix_solve(s->single, s->r);
    for (int i = 0; i < s->n; i++) v[i] += s->r[i];
    if (!dls_snapshot_evaluate(s->point, t, q, v, message)) return DLS_FAILURE_NUMBER;
    const double before = now;
    now = violation(s, modes);
    if (!(now < before)) break;
  }
  return now <= held_at_rounding * enough ? DLS_FAILURE_NONE : DLS_FAILURE_CONSTRAINT;
}

// --- a step ---

static double *stage(const dls_smooth *s, int i)
{
  return s->z + (ptrdiff_t)i * s->width;
}

// Q_i and V_i from the accelerations of the first `count` stages, and the point there.
static bool go_to_stage(dls_smooth *s, int i, int count, double t, double h, const double *q0,
                        const double *v0, dls_message *message)
{
  const dls_tableau *w = &s->tableau;
  const ptrdiff_t n = s->n, tangents = s->tangents, at = i;
  double *Q = s->Q + at * n, *V = s->V + at * n;
  dls_clear(Q, n), dls_clear(V, n);
  for (int j = 0; j < count; j++) {
    const double by_v = w->A[i][j], by_q = s->AA[i][j], *a = stage(s, j);
    if (by_v == 0 && by_q == 0) continue;
    for (ptrdiff_t k = 0; k < n; k++) V[k] += by_v * a[k], Q[k] += by_q * a[k];
  }
  for (ptrdiff_t k = 0; k < n; k++) {
    V[k] = v0[k] + h * V[k];
    Q[k] = q0[k] + h * (w->c[i] * v0[k] + h * Q[k]);
  }
  if (!dls_snapshot_evaluate(s->point, t + w->c[i] * h, Q, V, message)) return false;
  dls_copy(s->slip + at * tangents, s->point->values->slip, tangents);
  return true;
}

static dls_failure explicit_stage(dls_smooth *s, const dls_contact_modes *modes, bool free, int i,
                                  double t, double h, const double *q0, const double *v0,
                                  dls_message *message)
{
  if (!go_to_stage(s, i, i, t, h, q0, v0, message)) return DLS_FAILURE_NUMBER;
  if (!(free && divide(s, stage(s, i))) && !dls_smooth_forces(s, modes, stage(s, i)))
    return DLS_FAILURE_SINGULAR;
  return DLS_FAILURE_NONE;
}

// The end is not a stage here: it is where constraints hold, and its forces follow later.
static dls_failure explicit_stages(dls_smooth *s, const dls_contact_modes *modes, bool estimate,
                                   double t, double h, const double *q0, const double *v0,
                                   dls_message *message)
{
  const dls_tableau *w = &s->tableau;
  const bool free = s->diagonal && !any_closed(s, modes);
  s->beyond = false;
  for (int i = 1; i < w->stages - w->ends; i++) {
    if (!estimate && !s->used[i]) {
      dls_clear(stage(s, i), s->width);
      continue;
    }
    const dls_failure failure = explicit_stage(s, modes, free, i, t, h, q0, v0, message);
    if (failure != DLS_FAILURE_NONE) return failure;
    if (s->look) s->look(s->self, i);
  }
  if (w->ends) dls_clear(stage(s, w->stages - 1), s->width);
  return DLS_FAILURE_NONE;
}

// Residuals of all stages; with `anew` the matrix too.
static dls_failure set_stages(dls_smooth *s, const dls_contact_modes *modes, bool anew, double t,
                              double h, const double *q0, const double *v0, dls_message *message)
{
  const dls_tableau *w = &s->tableau;
  const int first = w->starts;
  s->beyond = false;
  for (int i = first; i < w->stages; i++) {
    double by_v[DLS_RK_STAGES], by_q[DLS_RK_STAGES], *z = stage(s, i);
    if (!go_to_stage(s, i, w->stages, t, h, q0, v0, message)) return DLS_FAILURE_NUMBER;
    set_directions(s, modes, z);
    if (anew) {
      if (i == first) dls_stage_matrix_begin(s->coupled);
      const ptrdiff_t at = (ptrdiff_t)i * s->n;
      if (!dls_snapshot_differentiate(s->point, t + w->c[i] * h, s->Q + at, s->V + at, z, z + s->n,
                                      z + s->n + s->m, message))
        return DLS_FAILURE_NUMBER;
      for (int j = first; j < w->stages; j++)
        by_v[j - first] = h * w->A[i][j], by_q[j - first] = h * h * s->AA[i][j];
      dls_stage_matrix_fill(s->coupled, i - first, modes, true, s->xi, s->turn, by_v, by_q);
    }
    set_residual(s, modes, dls_stage_matrix_delassus(s->coupled), z,
                 s->r + (ptrdiff_t)i * s->width);
  }
  if (anew && !dls_stage_matrix_factor(s->coupled)) return DLS_FAILURE_SINGULAR;
  return DLS_FAILURE_NONE;
}

// In the kinetic metric, by the diagonal of M, with the first mass as its unit.
static double length(const dls_smooth *s, const double *a)
{
  const double *D = dls_stage_matrix_scale(s->coupled);
  double sum = 0;
  for (int i = 0; i < s->n; i++) sum += a[i] / D[i] * (a[i] / D[i]);
  return sqrt(sum);
}

// What Newton's iteration measures its corrections by: the accelerations, those of the applied
// forces alone, and the change of velocity that would be seen.
static double scale_of(const dls_smooth *s, double size, double h, const double *v0)
{
  const double *D = dls_stage_matrix_scale(s->coupled), *F = s->point->values->F;
  const double mass = dls_stage_matrix_mass(s->coupled);
  double sum = 0;
  for (int i = 0; i < s->n; i++) {
    const double a = F[i] * D[i] / mass;
    sum += a * a;
  }
  return size + sqrt(sum) + length(s, v0) / h;
}

// Adds the correction; its length is *change, the accelerations' is *size.
static void correct(dls_smooth *s, double *change, double *size)
{
  *change = *size = 0;
  for (int i = s->tableau.starts; i < s->tableau.stages; i++) {
    const double *r = s->r + (ptrdiff_t)i * s->width;
    for (int k = 0; k < s->width; k++) stage(s, i)[k] += r[k];
    const double now = length(s, r);
    *change = now > *change || isnan(now) ? now : *change;
    *size = fmax(*size, length(s, stage(s, i)));
  }
}

static dls_failure implicit_stages(dls_smooth *s, const dls_contact_modes *modes, double t,
                                   double h, const double *q0, const double *v0,
                                   dls_message *message)
{
  double before = 0;
  bool anew = true;
  for (int k = 0; k < NEWTON_STEPS; k++) {
    const dls_failure failure = set_stages(s, modes, anew, t, h, q0, v0, message);
    if (failure != DLS_FAILURE_NONE) return failure;
    dls_stage_matrix_solve(s->coupled, s->r + (ptrdiff_t)s->tableau.starts * s->width);
    double change, size;
    correct(s, &change, &size);
    const double scale = scale_of(s, size, h, v0), rate = k > 0 ? change / before : 1;
    if (!isfinite(change)) return DLS_FAILURE_NEWTON;
    if (change <= s->enough * scale) return DLS_FAILURE_NONE;
    if (rate < CONVERGES && rate * change <= s->enough * scale) return DLS_FAILURE_NONE;
    if (rate >= CONVERGES && k > 0 && change <= stage_stalled * scale) return DLS_FAILURE_NONE;
    if (rate > DIVERGES && k >= FIRST_STEPS) return DLS_FAILURE_NEWTON;
    anew = rate > SLOW && k > 0;
    before = change;
  }
  return DLS_FAILURE_NEWTON;
}

// Sums over the stages, in the order of these: x[k] += weight_i stage_i[k].
static void add_stages(const dls_smooth *s, int stages, const double *weight, const double *of,
                       ptrdiff_t width, double *x)
{
  for (int i = 0; i < stages; i++, of += width)
    for (int k = 0; k < s->n && weight[i] != 0; k++) x[k] += weight[i] * of[k];
}

static void set_end(const dls_smooth *s, double h, const double *q0, const double *v0, double *q1,
                    double *v1)
{
  const ptrdiff_t n = s->n;
  dls_clear(q1, n), dls_clear(v1, n);
  add_stages(s, s->tableau.stages, s->tableau.b, s->z, s->width, v1);
  add_stages(s, s->tableau.stages, s->bA, s->z, s->width, q1);
  for (ptrdiff_t k = 0; k < n; k++) {
    v1[k] = v0[k] + h * v1[k];
    q1[k] = q0[k] + h * (v0[k] + h * q1[k]);
  }
}

static void set_estimate(const dls_smooth *s, const double *e, double e_0, double h,
                         const double *v0, const double *z0, double *error_q, double *error_v)
{
  dls_clear(error_q, s->n), dls_clear(error_v, s->n);
  for (int k = 0; k < s->n && e_0 != 0; k++) error_q[k] = e_0 * v0[k], error_v[k] = e_0 * z0[k];
  add_stages(s, s->tableau.stages, e, s->V, s->n, error_q);
  add_stages(s, s->tableau.stages, e, s->z, s->width, error_v);
  for (int k = 0; k < s->n; k++) error_q[k] *= h, error_v[k] *= h;
}

void dls_smooth_finish(dls_smooth *s, bool estimate, double h, const double *v0, const double *z0,
                       const double *v1, const double *z1)
{
  const dls_tableau *w = &s->tableau;
  if (w->ends && !w->implicit) {
    dls_copy(stage(s, w->stages - 1), z1, s->width);
    dls_copy(s->V + (ptrdiff_t)(w->stages - 1) * s->n, v1, s->n);
  }
  if (!estimate) return;
  set_estimate(s, w->e, w->e_0, h, v0, z0, s->error_q, s->error_v);
  if (w->two) set_estimate(s, w->e_low, 0, h, v0, z0, s->low_q, s->low_v);
}

void dls_smooth_rough_error(const dls_smooth *s, double h, double *error_v)
{
  const dls_tableau *w = &s->tableau;
  dls_clear(error_v, s->n);
  add_stages(s, w->stages, w->rough[0] != 0 ? w->rough : w->e, s->z, s->width, error_v);
  for (int k = 0; k < s->n; k++) error_v[k] *= h;
}

static double largest(const dls_smooth *s, const double *error_q, const double *error_v,
                      const double *allowed_q, const double *allowed_v)
{
  double most = 0;
  for (int k = 0; k < s->n; k++) {
    if (error_q[k] != 0) most = fmax(most, fabs(error_q[k]) / allowed_q[k]);
    if (error_v[k] != 0) most = fmax(most, fabs(error_v[k]) / allowed_v[k]);
  }
  return most;
}

double dls_smooth_error(const dls_smooth *s, const double *allowed_q, const double *allowed_v)
{
  const double error = largest(s, s->error_q, s->error_v, allowed_q, allowed_v);
  if (!s->tableau.two || error == 0) return error;
  const double low = largest(s, s->low_q, s->low_v, allowed_q, allowed_v);
  return error * (error / hypot(error, LOW * low));
}

dls_failure dls_smooth_step(dls_smooth *s, const dls_contact_modes *modes, bool estimate, double t,
                            double h, const double *q0, const double *v0, const double *z0,
                            double *q1, double *v1, dls_message *message)
{
  const dls_tableau *w = &s->tableau;
  const ptrdiff_t width = s->width, n = s->n;
  for (int i = 0; i < (w->implicit ? w->stages : 1); i++) dls_copy(stage(s, i), z0, width);
  if (w->starts) dls_copy(s->Q, q0, n), dls_copy(s->V, v0, n);
  s->extra = 0;
  const dls_failure failure = w->implicit
                                  ? implicit_stages(s, modes, t, h, q0, v0, message)
                                  : explicit_stages(s, modes, estimate, t, h, q0, v0, message);
  if (failure != DLS_FAILURE_NONE) return failure;
  if (s->beyond) return DLS_FAILURE_STEP;
  set_end(s, h, q0, v0, q1, v1);
  for (int i = 0; i < w->stages; i++) s->weight[i] = h * w->b[i];
  return DLS_FAILURE_NONE;
}

static dls_failure add_extra_stages(dls_smooth *s, const dls_contact_modes *modes, double t,
                                    double h, const double *q0, const double *v0,
                                    dls_message *message)
{
  const bool free = s->diagonal && !any_closed(s, modes);
  for (; s->extra < s->tableau.extra; s->extra++) {
    const int i = s->tableau.stages + s->extra;
    const dls_failure failure = explicit_stage(s, modes, free, i, t, h, q0, v0, message);
    if (failure != DLS_FAILURE_NONE) return failure;
  }
  return DLS_FAILURE_NONE;
}

dls_failure dls_smooth_dense(dls_smooth *s, const dls_contact_modes *modes, bool free, double x,
                             double t, double h, const double *q0, const double *v0, double *q,
                             double *v, dls_message *message)
{
  const dls_tableau *w = &s->tableau;
  if (!free) {
    const dls_failure failure = add_extra_stages(s, modes, t, h, q0, v0, message);
    if (failure != DLS_FAILURE_NONE) return failure;
  }
  const int stages = w->stages + s->extra;
  dls_tableau_inside(w, free ? &w->free : &w->dense, x, s->weight);
  for (int i = 0; i < stages; i++) s->weight[i] *= h;
  dls_copy(q, q0, s->n), dls_copy(v, v0, s->n);
  add_stages(s, stages, s->weight, s->z, s->width, v);
  add_stages(s, stages, s->weight, s->V, s->n, q);
  return DLS_FAILURE_NONE;
}

double dls_smooth_free_error(dls_smooth *s, double x, double h, const double *allowed_q,
                             const double *allowed_v)
{
  double *error_q = s->r, *error_v = s->r + s->n;
  if (s->tableau.free.rows == 0) return INFINITY;
  set_estimate(s, s->tableau.free_error, 0, h, error_q, error_v, error_q, error_v);
  return dls_tableau_free_error(&s->tableau, x) *
         largest(s, error_q, error_v, allowed_q, allowed_v);
}

// --- what a step did ---

double dls_smooth_mean_force(const dls_smooth *s, int j, double *most)
{
  double sum = 0;
  *most = 0;
  for (int i = 0; i < s->tableau.stages; i++) {
    const double lambda = stage(s, i)[s->n + j];
    sum += s->tableau.b[i] * lambda;
    *most = fmax(*most, fabs(lambda));
  }
  return sum;
}

double dls_smooth_friction_work(const dls_smooth *s, int j, double h, double rest, double *size)
{
  double work = 0;
  *size = 0;
  for (int i = s->tableau.starts; i < s->tableau.stages; i++) {
    const double *tau = stage(s, i) + s->n + s->m, *slip = s->slip + (ptrdiff_t)i * s->tangents;
    double part = 0, speed = 0;
    for (int k = s->point->first[j]; k < s->point->first[j + 1]; k++) {
      part += h * s->tableau.b[i] * tau[k] * slip[k];
      speed = hypot(speed, slip[k]);
    }
    if (speed > rest) work += part, *size += fabs(part);
  }
  return work;
}

void dls_smooth_add_impulse(const dls_smooth *s, double *impulse)
{
  for (int i = 0; i < s->tableau.stages + s->extra; i++) {
    const double weight = s->weight[i], *lambda = stage(s, i) + s->n;
    for (int j = 0; j < s->m; j++) {
      const int first = s->point->first[j];
      impulse[j + first] += weight * lambda[j];
      for (int k = first; k < s->point->first[j + 1]; k++)
        impulse[j + 1 + k] += weight * lambda[s->m + k];
    }
  }
}
