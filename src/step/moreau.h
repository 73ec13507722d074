// One step of Moreau's scheme with theta and gamma.                                  eq (mor.1)
//
//   M (v1 - v0) + h F = G P + H P_T      M, F, G, H at t + theta h, q + theta h v_theta, v_theta
//   q1 = q0 + h v_theta,  v_theta = theta v1 + (1 - theta) v0
//   (U + E U0, P) by Coulomb's law where h + gamma h U0 <= 0;  P = 0 elsewhere
//   U + (1 - theta) h b_n = 0 where the constraint is bilateral
//
// The last one is h' = 0 at the end of the step, up to O(h^2): velocities are held there, and what
// turned the constraint after the point would else be done by holding, which no friction sees.
#ifndef DLS_STEP_MOREAU_H
#define DLS_STEP_MOREAU_H

#include "step/step_problem.h"
#include "step/projector.h"
#include <float.h>
#include <math.h>

typedef struct dls_moreau_law dls_moreau_law;
typedef struct dls_moreau_poisson dls_moreau_poisson;

// Which contacts have static friction in a step; see moreau_static.c.                  eq (stf.4)
typedef struct dls_moreau_grips {
  bool *held, *freed;  // m: has the wide cone; slipped in it
  double *slip;        // tangents: at the begin
  bool instant;        // an impact and nothing else: no slip comes to rest on the way
  bool after;          // an impact was before: what stuck may slip now
} dls_moreau_grips;

typedef struct dls_moreau {
  dls_snapshot *point;
  dls_step_kkt *kkt;  // with the rows of bilateral contacts without friction
  dls_step_problem *contacts;
  dls_projector projector;
  dls_arena *arena;
  double theta, gamma, closed, rest, tolerance;
  const bool *closing;  // m: contacts that take part whatever is predicted; NULL: none
  double missed;        // of the terms of the balance, that may be left
  const double *fall;   // m: accelerations with which gaps close by the load; NULL: contacts
                        // bounce, else only those that are not back within the step
  bool at_end;          // laws of unilateral contacts too are those at the step's end
  bool diagonal;        // M is
  bool linear;          // balance and velocities are affine in v, whatever q is
  bool steady;          // and not of time either
  bool constant_laws;   // friction and restitution are always the same
  bool factored;        // the KKT system has the factors of this M alone:
  double *M;            // entries of the pattern
  bool held;            // there are bilateral contacts
  bool *bilateral;      // m
  double *gap, *rate;   // m: h and h' at the step's begin
  double *restitution;  // m: there, at the velocities before an impact
  double *bounce;       // m: e h', or a row of E h', there
  double *beyond;       // m: what h' at the end has, and the point does not tell
  double *aside;        // tangents: what slips have beyond those at the middle, with the other sign
  bool sharp;           // it is not 0
  dls_moreau_law *law;  // NULL: the restitution matrix is diagonal
  dls_moreau_poisson *poisson;    // NULL: impacts are not by Poisson's law
  const unsigned char *status;    // m: what contacts do at the step's begin
  dls_moreau_grips *grips;        // NULL: there is no static friction
  double *q_theta, *v_theta, *a;  // n
  double *F;                      // n: forces that the step was made with
  double *x, *y;                  // size of the KKT system
  dls_values *ahead;              // in the middle of an explicit step; NULL: not looked at
  double remaining;               // (1 - theta) h: how far its end is from the point
  bool brief;               // steps are so short that iterations begin with the begin's numbers
  bool at_iterate;          // the point was evaluated at the last iterate
  int iterations;           // of Newton's method, in the last try
  bool stuck;               // no branch of solutions leads from a short step to the whole one
  bool divides;             // then the iteration ends
  double *q_part, *v_part;  // n: inside a step that is made in parts
  double *impulse_part, *begun;  // impulses: of one of them, and before all
  double *w;                     // rows of the contacts: velocities imposed, restitution
  double *lambda, *tau;          // m, tangents: forces of the iterate
  double *P_b;                   // held rows: impulses of the iterate
  double other_mu;               // how much friction is not that which the law was met with
  double *speed;                 // n: largest velocities met in the step, free motion included
  double *row_speed;             // rows of the contacts: what their velocities are made of
  double residual;               // of the laws at the ends of steps, the largest      eq (int.5)
  bool *fast;                    // m: held fast in the last step, by force or law
  double *mass, *most;           // square roots of the masses; largest terms of a component
  bool rooted;                   // they are those of this M:
  double *rooted_M;              // entries of the pattern
} dls_moreau;

dls_status dls_moreau_create(dls_snapshot *point, const dls_integrator_options *options,
                             dls_moreau **out, dls_message *message);
void dls_moreau_free(dls_moreau *w);  // NULL is fine

// From (t, q0, v0), where the point stands, to t + h: q1, v1, where it stands afterwards; q1 and v1
// fulfil the bilateral constraints. impulse: the layout of dls_sample; a start in, the impulses
// out.
dls_failure dls_moreau_step(dls_moreau *w, double t, double h, const double *q0, const double *v0,
                            double *impulse, double *q1, double *v1, dls_message *message);

// The same by one system of equations. It may be stuck where forces are stiff; see moreau_divide.c.
dls_failure dls_moreau_step_once(dls_moreau *w, double t, double h, const double *q0,
                                 const double *v0, double *impulse, double *q1, double *v1,
                                 dls_message *message);

// Not a number counts as infinite.
static inline double dls_moreau_larger(double a, double b)
{
  return b <= a ? a : b <= DBL_MAX ? b : INFINITY;
}

// The larger one of worst and |x| / scale, which is divided only then.
static inline double dls_moreau_worse(double worst, double x, double scale)
{
  return fabs(x) <= worst * scale ? worst : dls_moreau_larger(worst, fabs(x) / scale);
}

// sum |J| speed of a row of contact j: what its velocity is made of.
double dls_moreau_row_speed(const dls_moreau *w, int j, int row);

// The residual of the laws at the velocities w->w. False: above tolerance.
bool dls_moreau_laws_hold(dls_moreau *w);

// A restitution matrix: its memory, once; and, at the begin of a step, bounce by Newton's law where
// that gives the motion.
dls_status dls_moreau_make_law(dls_moreau *w);
dls_failure dls_moreau_choose_law(dls_moreau *w);

// Poisson's law: its memory, once; and an impact at the begin of a step, where the point stands, of
// the contacts that were chosen. *hit: there was one. Then the point stands at the velocities after
// it, and its percussions are to be added to those of the step.                        eq (poi.1)
dls_status dls_moreau_make_poisson(dls_moreau *w);
dls_failure dls_moreau_collide(dls_moreau *w, double t, const double *q0, const double *v0,
                               bool *hit, dls_message *message);
const double *dls_moreau_poisson_velocities(const dls_moreau *w);
void dls_moreau_poisson_add(const dls_moreau *w, double *impulse);
// The contacts of a step of length h, where the point stands at its begin. False: no memory.
bool dls_moreau_choose_contacts(dls_moreau *w, double h);

// Static friction: its memory, once; who has it at the begin of a step, where the point stands;
// and, after the laws were met: must they be met again, with other cones?                   eq
// (stf.4)
dls_status dls_moreau_make_grips(dls_moreau *w);
void dls_moreau_begin_grips(dls_moreau *w);
bool dls_moreau_change_grips(dls_moreau *w);
static inline bool dls_moreau_holds(const dls_moreau *w, int j)
{
  return w->grips && w->grips->held[j];
}

// h' of contact j at the end of the step, and the slip of its row k, 1 or 2, that the law is about:
// as the point tells them; y = v1 - v_theta.
double dls_moreau_rate_at_end(const dls_moreau *w, int j);
double dls_moreau_slip_at_end(const dls_moreau *w, int j, int k);
// Does some friction follow a normal force whose constraint turns within the step, or turn itself?
bool dls_moreau_rubs(const dls_moreau *w);
// At a solution, where the point stands: what rates at the end are beyond what the point tells of
// them, O(h^2), and slips beside those of the middle. With these, normal forces are of second
// order, and with them friction. Leaves q1, and the point at the end. *known: there is nothing of
// the kind.
dls_failure dls_moreau_look_beyond(dls_moreau *w, double t1, double h, const double *q0,
                                   const double *v1, double *q1, bool *known, dls_message *message);
void dls_moreau_forget_beyond(dls_moreau *w);

// Does contact i of the problem stick, by its law or its force?
bool dls_moreau_is_fast(const dls_moreau *w, int i);

// Impulses in the layout of dls_sample, and which of them hold their contact fast.
void dls_moreau_scatter(dls_moreau *w, double *impulse);

// Parts that other schemes need too. x = -h (M a + F), y: the sizes of its terms, with the rounding
// of velocities v; and, after it, how badly the impulses of the iterate balance it: up to 1, they
// do.
void dls_moreau_residual(dls_moreau *w, double h, const double *a, const double *v);
double dls_moreau_imbalance(dls_moreau *w, double h);

// The same with everything but the impulses explicit, eq (mor.4): bilateral constraints at
// t + h / 2, q0 + h / 2 v0. It wants dls_moreau_make_ahead once.
dls_status dls_moreau_make_ahead(dls_moreau *w);
bool dls_moreau_look_ahead(dls_moreau *w, double t, double h, const double *q0, const double *v0,
                           dls_message *message);
dls_failure dls_moreau_explicit(dls_moreau *w, double t, double h, const double *q0,
                                const double *v0, double *impulse, double *q1, double *v1,
                                dls_message *message);

#endif
