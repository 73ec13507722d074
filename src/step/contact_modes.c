#include "step/contact_modes.h"

#include "linalg/length.h"
#include "step/tolerances.h"

#include <math.h>

// sum |column| |F| / M_ii: the size of the acceleration that the applied forces give a contact.
static double load(const dls_smooth *s, const dls_pattern *a, const double *x, int c)
{
  const double *by = dls_stage_matrix_mobility(s->single), *F = s->point->values->F;
  double sum = 0;
  for (int e = a->p[c]; e < a->p[c + 1]; e++) sum += fabs(x[e]) * by[a->i[e]] * fabs(F[a->i[e]]);
  return sum;
}

double dls_modes_normal_scale(const dls_smooth *s, int j)
{
  const dls_values *x = s->point->values;
  return (load(s, &s->point->system->normal, x->G, j) + fabs(x->b_n[j])) /
         dls_stage_matrix_delassus(s->single)[j];
}

static double tangent_scale(const dls_smooth *s, int j)
{
  const dls_values *x = s->point->values;
  double most = 0;
  for (int k = s->point->first[j]; k < s->point->first[j + 1]; k++)
    most = fmax(most, (load(s, &s->point->system->tangent, x->H, k) + fabs(x->b_t[k])) /
                          dls_stage_matrix_delassus(s->single)[s->m + k]);
  return most;
}

static double norm(const dls_smooth *s, int j, const double *x)
{
  const int k = s->point->first[j], tangents = s->point->first[j + 1] - k;
  return tangents == 0 ? 0 : tangents == 1 ? fabs(x[k]) : dls_length(x[k], x[k + 1]);
}

static double relative(double x, double scale)
{
  return x == 0 ? 0 : x / (scale + fabs(x));
}

void dls_modes_margins(const dls_smooth *s, const dls_contact_modes *modes, const double *z,
                       double *margin)
{
  const dls_values *x = s->point->values;
  const double *lambda = z + s->n, *tau = lambda + s->m;
  for (int j = 0; j < s->m; j++) {
    const bool bilateral = s->point->system->contacts[j].kind == DLS_BILATERAL;
    const int first = s->point->first[j], end = s->point->first[j + 1];
    const bool sticks = modes->kind[j] == DLS_STICKING;
    const double mu = end > first ? dls_snapshot_mu(s->point, j, sticks) : 0;
    const double given = end > first ? dls_snapshot_given(s->point, j, sticks) : 0;
    double *out = margin + 2 * j;
    out[0] = out[1] = 1;
    if (!dls_mode_closed(modes, j)) {
      out[0] = x->h[j];
      continue;
    }
    const double scale = dls_modes_normal_scale(s, j);
    if (!bilateral) out[0] = relative(lambda[j], scale);
    else if (!sticks && mu > 0) out[0] = relative(modes->side[j] * lambda[j], scale);
    if (end == first) continue;
    if (sticks) {
      const double force = norm(s, j, tau);
      out[1] = relative(mu * fabs(lambda[j]) + given - force,
                        force + mu * scale + given + tangent_scale(s, j));
    } else if ((mu > 0 || given > 0) && (end - first == 1 || modes->straight[j])) {
      out[1] = 0;
      for (int k = first; k < end; k++) out[1] += x->slip[k] * modes->xi[k];
    }
  }
}

// Where forces are not unique some legs of a body at rest are on the cone: they do not move either.
bool dls_modes_at_rest(const dls_smooth *s, const dls_contact_modes *modes, int j, const double *z,
                       double rest)
{
  const dls_values *x = s->point->values;
  const double *W = dls_stage_matrix_delassus(s->single);
  const int first = s->point->first[j], end = s->point->first[j + 1];
  const double force =
      dls_snapshot_friction(s->point, j, dls_modes_normal_scale(s, j)) + tangent_scale(s, j);
  if (modes->kind[j] != DLS_SLIDING || norm(s, j, x->slip) > rest) return false;
  for (int k = first; k < end; k++) {
    const double a = dls_snapshot_Jt_times(s->point, j, 1 + k - first, z) + x->b_t[k];
    if (!(fabs(a) <= no_sign * force * W[s->m + k])) return false;
  }
  return true;
}

// --- modes at rest ---

static bool closed_kind(unsigned char kind)
{
  return kind == DLS_SLIDING || kind == DLS_STICKING;
}

// The problem of accelerations in the place of velocities; candidates without friction slide. part:
// of the friction that sticking contacts are given.
// A contact that slides by friction with a given bound: that force is known, and added to x.
static void add_given(const dls_snapshot *p, const dls_contact_modes *modes, int j, double *x)
{
  for (int k = p->first[j]; k < p->first[j + 1]; k++)
    dls_snapshot_add_J(p, j, 1 + k - p->first[j], -p->values->friction_force[j] * modes->xi[k], x);
}

static bool solve(dls_moreau *w, const dls_contact_modes *modes, double part)
{
  const dls_snapshot *p = w->point;
  const dls_values *x = p->values;
  dls_step_problem *c = w->contacts;
  const int n = p->system->n;
  if (!dls_step_kkt_factor(w->kkt, 0, 0, 0, NULL)) return false;
  for (int i = 0; i < n; i++) w->x[i] = -x->F[i];
  for (int j = 0; j < p->system->m; j++)
    if (modes->kind[j] == DLS_SLIDING) add_given(p, modes, j, w->x);
  int held;
  const int *contact = dls_step_kkt_held(w->kkt, &held);
  for (int k = 0; k < held; k++) w->x[n + k] = -x->b_n[contact[k]];
  dls_step_kkt_solve(w->kkt, w->x);
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i], tangents = dls_step_problem_tangents(c, i);
    c->active[i] = dls_mode_closed(modes, j);
    const bool sliding = modes->kind[j] == DLS_SLIDING;
    dls_step_problem_set_law(c, i, sliding);
    c->mu[i] = dls_snapshot_mu(p, j, !sliding) * (sliding ? 1 : part);
    c->bound[i] = sliding ? 0 : dls_snapshot_given(p, j, true) * part;
    for (int k = 0; k < c->dimension - 1; k++)
      c->direction[i * (c->dimension - 1) + k] = k < tangents ? modes->xi[p->first[j] + k] : 0;
    for (int k = 0; k < c->dimension; k++) {
      c->r[i * c->dimension + k] = 0;
      w->w[i * c->dimension + k] = k == 0          ? x->b_n[j]
                                   : k <= tangents ? x->b_t[p->first[j] + k - 1]
                                                   : 0;
    }
  }
  c->frictionless = false;
  return dls_step_problem_meet(c, w->w, w->x);
}

static double largest(int count, const double *x)
{
  double most = 0;
  for (int k = 0; k < count; k++) most = fmax(most, fabs(x[k]));
  return most;
}

static void set_direction(const dls_smooth *s, dls_contact_modes *modes, int j, const double *u,
                          double by)
{
  const int first = s->point->first[j], tangents = s->point->first[j + 1] - first;
  const double size = tangents == 1 ? fabs(u[0]) : dls_length(u[0], u[1]);
  modes->kind[j] = DLS_SLIDING;
  for (int k = 0; k < tangents; k++) modes->xi[first + k] = by * u[k] / size;
}

static void decide(dls_moreau *w, const dls_smooth *s, dls_contact_modes *modes)
{
  const dls_step_problem *c = w->contacts;
  const double scale = largest(c->rows, c->q), *W = dls_stage_matrix_delassus(s->single);
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i], tangents = dls_step_problem_tangents(c, i);
    const double *r = c->r + i * c->dimension, *u = c->u + i * c->dimension;
    if (!c->active[i]) continue;
    if (w->bilateral[j]) {
      modes->side[j] = r[0] < 0 ? -1 : 1;
    } else if (r[0] * W[j] <= no_sign_iterative * scale && u[0] > no_sign_iterative * scale) {
      modes->kind[j] = DLS_SEPARATING;
      continue;
    }
    if (modes->kind[j] == DLS_SLIDING || tangents == 0) continue;
    const double force = tangents == 1 ? fabs(r[1]) : dls_length(r[1], r[2]);
    const double speed = tangents == 1 ? fabs(u[1]) : dls_length(u[1], u[2]);
    if (force >= (1 - no_sign_iterative) * dls_step_problem_limit(c, i, r[0]) &&
        speed > no_sign_iterative * scale)
      set_direction(s, modes, j, u + 1, 1);
  }
}

// --- forces that are not unique ---

enum { FINEST = 24, MOST_SEARCHES = 4, PATIENCE = 8 };

bool dls_modes_forced(const dls_smooth *s, const dls_contact_modes *modes, const double *margin)
{
  if (dls_smooth_sign(s) != 0) return false;
  for (int j = 0; j < s->m; j++) {
    if (!dls_mode_closed(modes, j)) continue;
    if (margin[2 * j] < -no_sign) return true;
    if (modes->kind[j] == DLS_STICKING && margin[2 * j + 1] < -no_sign) return true;
  }
  return false;
}

// Does the solution leave every contact its mode?
static bool keeps(const dls_moreau *w, const dls_contact_modes *modes)
{
  const dls_step_problem *c = w->contacts;
  const double most = no_sign_iterative * largest(c->rows, c->q);
  for (int i = 0; i < c->count; i++) {
    const double *u = c->u + i * c->dimension;
    if (!c->active[i]) continue;
    if (!(fabs(u[0]) <= most)) return false;
    const bool sticks = modes->kind[c->contact[i]] == DLS_STICKING;
    for (int k = 1; k <= dls_step_problem_tangents(c, i) && sticks; k++)
      if (!(fabs(u[k]) <= most)) return false;
  }
  return true;
}

static bool holds(dls_moreau *w, const dls_contact_modes *modes, double part)
{
  return solve(w, modes, part) && keeps(w, modes);
}

// Forces inside cones of 1 - 2^-k of the friction leave room to go on: for the least k that does.
bool dls_modes_distribute(dls_moreau *moreau, dls_smooth *s, const dls_contact_modes *modes)
{
  const dls_step_problem *c = moreau->contacts;
  int low = 0, high = FINEST;
  if (!holds(moreau, modes, 1)) return false;
  while (high - low > 1) {
    const int k = (low + high) / 2;
    if (holds(moreau, modes, 1 - ldexp(1, -k))) high = k;
    else low = k;
  }
  if (!holds(moreau, modes, 1 - ldexp(1, -high)) && !holds(moreau, modes, 1)) return false;
  for (int i = 0; i < c->count; i++) {
    const double *r = c->r + i * c->dimension;
    const int j = c->contact[i], first = s->point->first[j];
    const bool slides = modes->kind[j] == DLS_SLIDING;  // then the friction follows from r_N
    s->start[j] = r[0];
    for (int l = 0; l < dls_step_problem_tangents(c, i); l++)
      s->start[s->m + first + l] = slides ? 0 : r[1 + l];
  }
  return true;
}

// Accelerations, forces and margins; where a choice of the forces breaks a law, another choice may
// not.
static bool set_forces(dls_moreau *moreau, dls_smooth *s, const dls_contact_modes *modes,
                       int *searches, double *margin, double *z)
{
  if (!dls_smooth_forces(s, modes, z)) return false;
  dls_modes_margins(s, modes, z, margin);
  if (*searches == MOST_SEARCHES || !dls_modes_forced(s, modes, margin)) return true;
  ++*searches;
  if (!dls_modes_distribute(moreau, s, modes)) return true;
  if (!dls_smooth_forces(s, modes, z)) return false;
  dls_modes_margins(s, modes, z, margin);
  return true;
}

// Where a sign does not agree, the mode that it asks for.
static bool agree(const dls_smooth *s, dls_contact_modes *modes, const unsigned char *candidate,
                  const double *z, const double *margin)
{
  const dls_values *x = s->point->values;
  const double *W = dls_stage_matrix_delassus(s->single), *tau = z + s->n + s->m;
  bool all = true;
  for (int j = 0; j < s->m; j++) {
    if (!closed_kind(candidate[j])) continue;
    const int first = s->point->first[j], tangents = s->point->first[j + 1] - first;
    const double scale = dls_modes_normal_scale(s, j);
    if (!dls_mode_closed(modes, j)) {
      const double a = dls_snapshot_Jt_times(s->point, j, 0, z) + x->b_n[j];
      if (a >= -no_sign * (scale * W[j] + fabs(a))) continue;
      modes->kind[j] = candidate[j];
      all = false;
    } else if (margin[2 * j] < -no_sign) {
      if (s->point->system->contacts[j].kind == DLS_BILATERAL) modes->side[j] *= -1;
      else modes->kind[j] = DLS_SEPARATING;
      all = false;
    } else if (modes->kind[j] == DLS_STICKING && tangents > 0 && margin[2 * j + 1] < -no_sign) {
      if (s->point->system->contacts[j].kind == DLS_BILATERAL)
        modes->side[j] = z[s->n + j] < 0 ? -1 : 1;
      set_direction(s, modes, j, tau + first, -1);
      all = false;
    } else if (modes->kind[j] == DLS_SLIDING && candidate[j] == DLS_STICKING &&
               dls_snapshot_rubs(s->point, j)) {
      double along = 0, size = scale * W[j];
      for (int k = 0; k < tangents; k++) {
        const double a = dls_snapshot_Jt_times(s->point, j, 1 + k, z) + x->b_t[first + k];
        along += a * modes->xi[first + k];
        size += fabs(a);
      }
      if (along >= -no_sign * size) continue;
      modes->kind[j] = DLS_STICKING;
      all = false;
    }
  }
  return all;
}

dls_failure dls_modes_find(dls_moreau *moreau, dls_smooth *s, dls_contact_modes *modes,
                           unsigned char *candidate, double *margin, double *z)
{
  bool any = false;
  dls_smooth_start_anew(s);
  for (int j = 0; j < s->m; j++) {
    const int first = s->point->first[j], end = s->point->first[j + 1];
    const bool frictionless = !dls_snapshot_rubs(s->point, j);
    for (int k = first; k < end && frictionless; k++) modes->xi[k] = 0;
    if (end > first && frictionless && modes->kind[j] == DLS_STICKING) modes->kind[j] = DLS_SLIDING;
    candidate[j] = modes->kind[j];
    modes->side[j] = 1;
    any |= closed_kind(candidate[j]) && (moreau->contacts->of[j] >= 0);
  }
  dls_stage_matrix_begin(s->single);
  if (any && solve(moreau, modes, 1)) decide(moreau, s, modes);
  return dls_modes_settle(moreau, s, modes, candidate, margin, z);
}

dls_failure dls_modes_settle(dls_moreau *moreau, dls_smooth *s, dls_contact_modes *modes,
                             const unsigned char *candidate, double *margin, double *z)
{
  int searches = 0;
  for (int k = 0; k < PATIENCE + 2 * s->m; k++) {
    if (!set_forces(moreau, s, modes, &searches, margin, z)) return DLS_FAILURE_SINGULAR;
    if (agree(s, modes, candidate, z, margin)) return DLS_FAILURE_NONE;
  }
  return DLS_FAILURE_CONTACT;
}
