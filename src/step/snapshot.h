// A system at a point (t, q, v): its values and derivatives, and how often they were asked for.
#ifndef DLS_STEP_SNAPSHOT_H
#define DLS_STEP_SNAPSHOT_H

#include <delassus/integrator.h>
#include <delassus/system.h>
#include <math.h>

typedef struct dls_snapshot {
  const dls_system *system;
  dls_values *values;
  dls_derivatives *derivatives;  // NULL: the system has none
  int *first;                    // m + 1: the slip velocities of contact j are first[j] ...
  bool *spare;                   // m: bilateral constraints that are left out, others imply them
  int spares;                    // how many
  bool *absent;  // m: unilateral contacts of the set that are none here, and far apart for it
  const double *noise;  // bilateral constraints, the first ones: up to this, entries of a gradient
                        // that is nothing but rounding; 0: it is a gradient. NULL: all are
  bool gapless;         // there are constraints of velocities only, or friction alone
  bool statics;         // some contact has static friction of its own
  bool checked;        // the system itself finds numbers that are not finite, as those of models do
  dls_status trouble;  // no memory for contacts that closed, or stopped: the step is not taken
  const dls_integrator_options *watched;  // during a step: whom to ask; NULL: nobody
  double begin;                           // of the step
  bool may_stop;                          // there is somebody to ask
  dls_step_counts counts;
} dls_snapshot;

// Does the caller stop the step? Once it did, nothing is evaluated until the step is given up.
bool dls_snapshot_stopped(dls_snapshot *point);

dls_status dls_snapshot_create(const dls_system *system, dls_snapshot *point);
void dls_snapshot_free(dls_snapshot *point);  // what it owns, not itself

// Are all declared contacts in a matrix that is wanted for so many of them? Where few are declared,
// or a good part of them is wanted: then it need not be made anew when these change.
static inline bool dls_snapshot_takes_all(int declared, int wanted)
{
  enum { FEW = 64, PART = 4 };
  return declared <= FEW || wanted >= declared / PART;
}

// False when a number is not finite, or a friction or restitution negative; the message says which.
bool dls_snapshot_evaluate(dls_snapshot *point, double t, const double *q, const double *v,
                           dls_message *message);

// Derivatives at the point evaluated last, for accelerations a and forces lambda (m), tau
// (tangents).
bool dls_snapshot_differentiate(dls_snapshot *point, double t, const double *q, const double *v,
                                const double *a, const double *lambda, const double *tau,
                                dls_message *message);

// The coefficient and the given bound of contact j's friction; held: while it sticks. eq (stf.1)
static inline double dls_snapshot_mu(const dls_snapshot *point, int j, bool held)
{
  const dls_contact_info *c = &point->system->contacts[j];
  const double mu = point->values->friction[j];
  return held && c->has_static && !c->bounded ? fmax(mu, point->values->static_friction[j]) : mu;
}

static inline double dls_snapshot_given(const dls_snapshot *point, int j, bool held)
{
  const dls_contact_info *c = &point->system->contacts[j];
  const double force = point->values->friction_force[j];
  return held && c->has_static && c->bounded ? fmax(force, point->values->static_friction[j])
                                             : force;
}

// The force of friction of contact j while it slides, beside the normal force lambda. eq (dry.2)
static inline double dls_snapshot_friction(const dls_snapshot *point, int j, double lambda)
{
  return point->values->friction[j] * fabs(lambda) + point->values->friction_force[j];
}

// Does contact j have friction, with a coefficient or a given bound, sliding or static?
static inline bool dls_snapshot_rubs(const dls_snapshot *point, int j)
{
  return dls_snapshot_mu(point, j, true) > 0 || dls_snapshot_given(point, j, true) > 0;
}

// The column of contact j that the row belongs to: 0 is the normal, 1 and 2 are the slips.
static inline const dls_pattern *dls_snapshot_column(const dls_snapshot *point, int j, int row,
                                                     int *c, const double **x)
{
  *c = row == 0 ? j : point->first[j] + row - 1;
  *x = row == 0 ? point->values->G : point->values->H;
  return row == 0 ? &point->system->normal : &point->system->tangent;
}

// Products with the columns of contact j: x += G_j p or H_j p, and G_j^T x or H_j^T x.
static inline void dls_snapshot_add_J(const dls_snapshot *point, int j, int row, double p,
                                      double *x)
{
  const double *value;
  int c;
  const dls_pattern *pattern = dls_snapshot_column(point, j, row, &c, &value);
  for (int e = pattern->p[c]; e < pattern->p[c + 1]; e++) x[pattern->i[e]] += value[e] * p;
}

// The absolute values of the terms.
static inline void dls_snapshot_add_J_size(const dls_snapshot *point, int j, int row, double p,
                                           double *x)
{
  const double *value;
  int c;
  const dls_pattern *pattern = dls_snapshot_column(point, j, row, &c, &value);
  for (int e = pattern->p[c]; e < pattern->p[c + 1]; e++) x[pattern->i[e]] += fabs(value[e] * p);
}

static inline double dls_snapshot_Jt_times(const dls_snapshot *point, int j, int row,
                                           const double *x)
{
  const double *value;
  int c;
  const dls_pattern *pattern = dls_snapshot_column(point, j, row, &c, &value);
  double sum = 0;
  for (int e = pattern->p[c]; e < pattern->p[c + 1]; e++) sum += value[e] * x[pattern->i[e]];
  return sum;
}

// The entries of M's diagonal, n; -1 where it has none.
void dls_snapshot_diagonal(const dls_snapshot *point, int *diagonal);

// y = M x on the values.
void dls_snapshot_mass(const dls_snapshot *point, const double *x, double *y);

#endif
