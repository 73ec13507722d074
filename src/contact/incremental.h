// Parts of the incremental problem that solvers need too.
#ifndef DLS_CONTACT_INCREMENTAL_H
#define DLS_CONTACT_INCREMENTAL_H

#include "base/memory.h"
#include "contact/tolerances.h"
#include "linalg/length.h"

#include <delassus/incremental.h>

enum { DLS_INCREMENTAL_LARGEST = 100000000 };  // rows

// |F|^2 of F = r - P_K(r - u - mu |u_T| e_N) of one contact, for impulses r times `unit`; slip:
// |u_T|.                                                                             eq (inc.4)
static inline double dls_natural_square_with(int rows, double mu, double unit, double slip,
                                             const double *r, const double *u)
{
  const double u1 = u[1], u2 = rows == 3 ? u[2] : 0;
  const double r0 = unit * r[0], r1 = unit * r[1], r2 = rows == 3 ? unit * r[2] : 0;
  const double x0 = r0 - u[0] - mu * slip;
  const double x1 = r1 - u1, x2 = r2 - u2, t = rows == 3 ? dls_length(x1, x2) : fabs(x1);
  double f0 = r0, f1 = r1, f2 = r2;
  if (!(mu * t <= -x0)) {  // NaN comes here, and stays
    const bool inside = t <= mu * x0;
    const double n = inside ? x0 : (x0 + mu * t) / (1 + mu * mu), scale = inside ? 1 : mu * n / t;
    f0 -= n, f1 -= scale * x1, f2 -= scale * x2;
  }
  return f0 * f0 + f1 * f1 + f2 * f2;
}

static inline double dls_natural_square(int rows, double mu, double unit, const double *r,
                                        const double *u)
{
  const double u1 = u[1], u2 = rows == 3 ? u[2] : 0, r2 = rows == 3 ? unit * r[2] : 0;
  if (unit * r[0] == 0 && unit * r[1] == 0 && r2 == 0 && u[0] >= 0 && u1 - u1 == 0 && u2 - u2 == 0)
    return 0;
  return dls_natural_square_with(rows, mu, unit, rows == 3 ? dls_length(u1, u2) : fabs(u1), r, u);
}

// The same without what the rounding of r alone makes of it.                         eq (inc.9)
static inline double dls_natural_excess_with(int rows, double mu, double unit, double slip,
                                             const double *r, const double *u)
{
  const double square = dls_natural_square_with(rows, mu, unit, slip, r, u);
  const double fine = dls_force_rounding * unit;
  if (square == 0) return 0;
  const double r2 = rows == 3 ? r[2] : 0;
  const double rest = square - fine * fine * (r[0] * r[0] + r[1] * r[1] + r2 * r2);
  return rest < 0 ? 0 : rest;
}

// ---- scales ------------------------------------------------------------------------------------

// |x|
double dls_length_of(int count, const double *x);

typedef struct dls_reach dls_reach;

typedef struct dls_scales {
  // all in the memory of d
  double *d;     // contacts, then equations: powers of two, velocity per impulse    eq (inc.6)
  double mean;   // that of all contacts; 0 when W has no diagonal at all
  double *q;     // rows
  double *load;  // rows: q while the equations hold; with equations only            eq (inc.12)
  double *work;  // 4 times as many
  double *free;  // global form: M^-1 f
  double unit;   // of the velocities of contacts, a power of two
  double norm_q;
  double weighted_q, common_q;  // squares, in that unit: eq (inc.7) times the mean d, (inc.9)
  double load_q;                // likewise, of the loads of contacts
  dls_reach *reach;             // NULL: nothing to find, one contact
  double *share;                // contacts: their loads, or what they have of all   eq (inc.13)
} dls_scales;

dls_status dls_scales_create(const dls_incremental *problem, dls_scales *scales);
void dls_scales_free(dls_scales *scales);

// u = W r, rows numbers each.
typedef void dls_scales_product(void *self, const double *r, double *u);

// From q and d, where the caller has put the mean of |W_jj| of each contact, and |W_jj| of each
// equation; multiply is asked where there are equations. Allocates nothing.
void dls_scales_set(const dls_incremental *problem, dls_scales *scales,
                    dls_scales_product *multiply, void *self);

// ---- what loads reach --------------------------------------------------------------------------

dls_status dls_reach_create(const dls_incremental *problem, dls_reach **out);
void dls_reach_free(dls_reach *reach);

// A new problem, of which nothing is known yet.
void dls_reach_forget(dls_reach *reach);

// share: what each contact has of the largest load, by itself or from others; contacts that none
// reaches have 1. In: its own load. d: contacts, then equations. Found once, when it is asked for
// first.                                                                             eq (inc.13)
void dls_reach_find(const dls_incremental *problem, const double *d, dls_reach *reach,
                    double *share);

static inline double dls_scales_share(const dls_incremental *problem, const dls_scales *s,
                                      int contact)
{
  if (!s->reach) return 1;
  dls_reach_find(problem, s->d, s->reach, s->share);
  return s->share[contact];
}

// d of one contact without a factorization: in global form as if M had nothing but its diagonal. 1
// where that is 0.
double dls_incremental_contact_scale(const dls_incremental *problem, int contact);

// Creates and sets them from the data. DLS_ERR_NUMBER when M is singular.
dls_status dls_scales_find(const dls_incremental *problem, dls_scales *scales);

// ---- residuals ---------------------------------------------------------------------------------

// Each as many numbers as rows, and as dof. Where W is local, sparse and small it is also known by
// rows, so that their sums stay in registers: row j has the numbers first[j] ... first[j+1]-1, each
// with its column and its place in W.
typedef struct dls_residual_work {
  long double *sum;
  double *terms;
  int *first, *column, *place;  // NULL: not known
} dls_residual_work;

// Makes it, from the arena.
dls_status dls_residual_work_create(const dls_incremental *problem, dls_arena *arena,
                                    dls_residual_work *work);

// dls_incremental_residual without allocating, and without what is measured in the units of the
// data. u: rows, out.
void dls_incremental_measure(const dls_incremental *problem, const dls_scales *scales,
                             const double *r, const double *v, double *u,
                             const dls_residual_work *work, dls_incremental_error *error);

// What is measured in the units of the data: the first four, of given velocities.
void dls_incremental_measure_classically(const dls_incremental *problem, double norm_q,
                                         const double *r, const double *u,
                                         dls_incremental_error *error);

#endif
