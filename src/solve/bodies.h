// Bodies and contacts: the global form of the incremental problem where M is block diagonal and a
// contact touches at most two blocks. With M = L L^T, G = L^-1 H and y = L^T v,
//
//   y = y0 + G r,   u = G^T y + w,   y0 = L^-1 f                                     eq (bod.1)
//
// so that no product with M is left. Contacts are sorted by colours: two of one colour share no
// body, and the contacts of a colour are treated in parallel without any effect on the numbers.
#ifndef DLS_SOLVE_BODIES_H
#define DLS_SOLVE_BODIES_H

#include "solve/pace.h"

#include <delassus/incremental.h>

enum { DLS_BODY_SIZE = 6, DLS_COLOURS = 64 };  // the last colour is treated one by one

typedef struct dls_bodies {
  int bodies, contacts, dof;
  int *place;                   // dof: body * DLS_BODY_SIZE + row inside
  double *L;                    // bodies x 36: lower Cholesky factors by rows, unit where padded
  double *y0;                   // bodies x 6
  int *row;                     // contacts: the contact of the problem, in the order of colours
  int *body;                    // contacts x 2: second -1 when there is only one
  double *G;                    // contacts x 36: two sides x 3 rows x 6
  double *W;                    // contacts x 9: diagonal blocks of G^T G
  double *mu;                   // contacts
  double *w;                    // contacts x 3
  int colour[DLS_COLOURS + 1];  // first contact of each
  double norm_q;
  double unit;  // of impulses in the errors below; 1 unless it is set
} dls_bodies;

// DLS_ERR_ARGUMENT when the problem does not have this shape (local, planar, with equations, a
// block of M larger than 6, a contact on three blocks); DLS_ERR_NUMBER when M is not definite.
dls_status dls_bodies_create(const dls_incremental *problem, dls_bodies **out);
// Reads the numbers of the problem anew; allocates nothing.
dls_status dls_bodies_refresh(dls_bodies *b, const dls_incremental *problem);
void dls_bodies_free(dls_bodies *b);  // NULL is fine

// y = y0 + G r; r in the order of the problem.
void dls_bodies_apply(const dls_bodies *b, const double *r, double *y);

// One sweep of nonlinear Gauss-Seidel, eq (bod.2), each contact solved exactly; backward: the
// colours in reverse order. held: contacts, in the order of colours, that keep their forces; NULL:
// none. Allocates nothing; the result does not depend on the threads.
void dls_bodies_sweep(const dls_bodies *b, dls_pace *pace, bool backward, const bool *held,
                      double *r, double *y);

// |F|^2 of the contact at this place in the order of colours.
double dls_bodies_square(const dls_bodies *b, int at, const double *r, const double *y);
// |F| / |q| at (r, y), eq (inc.4); sums: chunks of a fixed size, so that threads do not matter.
double dls_bodies_error(const dls_bodies *b, int threads, const double *r, const double *y);

#endif
