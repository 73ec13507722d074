// The law of one contact: its natural map, the forces that it allows, and how far a point is from
// it.
#ifndef DLS_CONTACT_LAW_H
#define DLS_CONTACT_LAW_H

#include <delassus/incremental.h>
#include <stddef.h>

typedef struct dls_one_law {
  dls_law law;
  double mu;
  double direction[2];  // of those that slide
  double bound;         // of bounded friction
} dls_one_law;

static inline dls_one_law dls_law_at(const dls_incremental *p, int i)
{
  dls_one_law l = {p->law ? (dls_law)p->law[i] : DLS_LAW_CONE, p->mu[i], {0}, 0};
  if (l.law == DLS_LAW_UNILATERAL) l.mu = 0;
  if (l.law == DLS_LAW_BOUNDED || l.law == DLS_LAW_BILATERAL_BOUNDED)
    l.bound = p->bound[i], l.mu = 0;
  if (l.law == DLS_LAW_SLIDING || l.law == DLS_LAW_BILATERAL_SLIDING)
    for (int k = 0; k < p->dimension - 1; k++)
      l.direction[k] = p->direction[(ptrdiff_t)(p->dimension - 1) * i + k];
  return l;
}

// u_N = 0 and r_N of any sign.
static inline bool dls_law_is_bilateral(dls_law law)
{
  return law == DLS_LAW_EQUATION || law == DLS_LAW_BILATERAL_CONE ||
         law == DLS_LAW_BILATERAL_SLIDING || law == DLS_LAW_BILATERAL_BOUNDED;
}

// Is the size of friction given?
static inline bool dls_law_is_bounded(dls_law law)
{
  return law == DLS_LAW_BOUNDED || law == DLS_LAW_BILATERAL_BOUNDED;
}

// The direction of the slip is known: rows of slips tell nothing.
static inline bool dls_law_slides(dls_law law)
{
  return law == DLS_LAW_SLIDING || law == DLS_LAW_BILATERAL_SLIDING;
}

// A law is none, or lacks what it needs.
dls_status dls_laws_validate(const dls_incremental *problem, dls_message *message);

// The force that the law asks for at the trial force X = r - rho u; F = r - this.    eq (law.1)
// Of all laws but the cone's, and of the cone in the form of eq (new.1).
void dls_law_trial(int rows, const dls_one_law *law, const double *X, double *force);

// |F|^2 of the natural map, with forces times `unit`.                    eq (inc.4), (law.1)
double dls_law_square(int rows, const dls_one_law *law, double unit, const double *r,
                      const double *u);

// The nearest force that the law allows.
void dls_law_project(int rows, const dls_one_law *law, const double *r, double *projected);

// Eq (inc.8) and (inc.9) of another law than the cone's, in velocities: r, and the bound, are times
// d. size: of what u is added up from. Raises the parts of the error, and returns the velocity that
// is wrong where impulses are `fine` times as large.
double dls_law_look_at(int rows, const dls_one_law *law, const double *r, const double *u,
                       double size, double fine, dls_incremental_error *error);

#endif
