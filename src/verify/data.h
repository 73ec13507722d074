// The contact problem as the checker sees it: doubles taken as exact, units and parts of its own.
#ifndef DLS_VERIFY_DATA_H
#define DLS_VERIFY_DATA_H

#include "base/memory.h"

#include <delassus/contact.h>

// Contacts are the m_b bilateral ones, then the unilateral ones; contact j has the slips
// first[j] ... first[j+1]-1. Units are powers of two: with
//
//   M^ = D M D,  G^ = D G C,  H^ = D H C,  F^ = D F,  b^ = C b,  z^ = z / D,  lambda^ = lambda / C
//
// the diagonal of M^ is about 1 and the largest entry of each contact's columns too.  eq (chk.1)
// Slips that are far shorter or longer than the gradient of their contact are measured in other
// units than the model's, S of them, and so are what belongs to them:
//
//   H <- S H,  b_t <- S b_t,  w_t <- S w_t,  mu, mu_s <- mu / S, mu_s / S,  tau <- tau / S
//
// Coordinates and contacts that neither masses nor contacts couple belong to different parts: each
// is measured by its own loads.
typedef struct dls_data {
  int n, m_b, m, tangents;
  const double *M, *F;  // n x n, n
  const double **g;     // m gradients
  const double *b;      // m
  const int *first;     // m + 1
  const double *H;      // n x tangents
  const double *b_t;    // tangents
  const double *xi;     // tangents
  const double *mu;     // m
  const double *mu_s;   // m: while the contact does not slip, eq (stf.1); mu where it slides
  const bool *sliding;  // m
  const double *w_n;    // m
  const double *w_t;    // tangents
  const char *const *coordinate_name;
  const char **contact_name;

  double *D, *C, *S;
  int parts;
  int *coordinate_part, *contact_part;
  bool *massive;  // parts: something in it has mass
  // parts: the largest of F and of b, scaled, together where there is mass, but for F where there
  // is none; and what forces and accelerations are measured by at least: that, or that of all parts
  // where a part has no load
  double *force_load, *acceleration_load;
  double *force_floor, *acceleration_floor;
  bool *pushed;  // F is not 0 on all of the part
  double noise;  // relative rounding of the data: eight units in the last place for each of them
  bool rubs;     // friction acts at some contact
} dls_data;

// Points into the problem, which must live as long; its own arrays are the arena's.
dls_status dls_data_create(const dls_problem *problem, dls_arena *arena, dls_data *data);

// The rows of some coordinates and the contacts that have an entry there: an object among the
// others. contact receives, for each contact of the object, its number in the whole.
dls_status dls_data_object(const dls_data *whole, const int *rows, int count, dls_arena *arena,
                           dls_data *object, int **contact);

// The power of two next to x: scaling by it does not round. 1 where there is none.
double dls_data_unit(double x);

static inline bool dls_is_bilateral(const dls_data *d, int contact)
{
  return contact < d->m_b;
}

static inline bool dls_has_mass(const dls_data *d, int coordinate)
{
  return d->M[(ptrdiff_t)coordinate * ((ptrdiff_t)d->n + 1)] > 0;
}

static inline int dls_tangents_of(const dls_data *d, int contact)
{
  return d->first[contact + 1] - d->first[contact];
}

// The coefficient of the contact while it does not slip, in the model's units.
static inline double dls_static_friction_of(const dls_data *d, int contact)
{
  return d->mu_s[contact] * d->S[contact];
}

// Friction acts: there are slips, and a coefficient that is not zero.
static inline bool dls_has_friction(const dls_data *d, int contact)
{
  return dls_tangents_of(d, contact) > 0 && d->mu_s[contact] > 0;
}

// The acceleration of its slip has a part in the law: not where the contact slides already.
static inline bool dls_slip_counts(const dls_data *d, int contact)
{
  return !d->sliding[contact];
}

static inline const double *dls_slip_column(const dls_data *d, int slip)
{
  return d->H + (ptrdiff_t)d->n * (ptrdiff_t)slip;
}

#endif
