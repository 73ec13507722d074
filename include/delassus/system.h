// A mechanical system as a struct of functions: what every model source provides.
//
//   M(q,t) v' + F(q,v,t) = G lambda + H tau                               eq (dyn.1)
//
// F stands on the left: Coriolis and centrifugal terms + grad V - applied forces.
// G = grad h has one column per contact, H one column per slip velocity.
#ifndef DELASSUS_SYSTEM_H
#define DELASSUS_SYSTEM_H

#include <delassus/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dls_contact_kind { DLS_BILATERAL, DLS_UNILATERAL } dls_contact_kind;

typedef struct dls_contact_info {
  const char *name;
  dls_contact_kind kind;
  int slips;  // slip velocities: 0 (frictionless), 1 (planar) or 2 (spatial)
} dls_contact_info;

// The pattern of a sparse matrix in compressed columns: the row indices of column j
// are i[p[j]] ... i[p[j+1]-1], strictly increasing.
typedef struct dls_pattern {
  int rows, cols;
  const int *p;  // cols + 1
  const int *i;  // p[cols]
} dls_pattern;

// Everything that is known of a system at (t, q, v). Arrays belong to the caller.
typedef struct dls_values {
  double *M;            // mass matrix on its pattern (both triangles)
  double *F;            // n
  double *h;            // m: gap functions
  double *h_dot;        // m: G^T v + dh/dt
  double *G;            // gradients of h on their pattern
  double *b_n;          // m: normal acceleration = G^T v' + b_n
  double *slip;         // slips: slip velocity = H^T v + w_t
  double *H;            // tangential directions on their pattern
  double *b_t;          // slips: tangential acceleration = H^T v' + b_t
  double *friction;     // m: Coulomb's coefficient, 0 for contacts without slip
  double *restitution;  // m
} dls_values;

typedef struct dls_system dls_system;
struct dls_system {
  int n;                           // coordinates
  int m;                           // contacts
  int slips;                       // slip velocities of all contacts together, in their order
  const char *const *coordinates;  // n names
  const dls_contact_info *contacts;
  dls_pattern mass;     // n x n
  dls_pattern normal;   // n x m
  dls_pattern tangent;  // n x slips
  void *self;           // handed to the functions below; may hold work memory: one thread at a time

  // Fills every array of values at (t, q, v). When bound is not NULL, also fills it, in the same
  // layout, with bounds of the rounding errors in values; a system that has none sets them to 0.
  // Must not allocate. DLS_ERR_NUMBER when a value is not finite; message may be NULL.
  dls_status (*evaluate)(void *self, double t, const double *q, const double *v,
                         const dls_values *values, const dls_values *bound, dls_message *message);

  // Frees self and the system; may be NULL when the caller owns both.
  void (*destroy)(dls_system *system);
};

// Frees a system made by the library. NULL is fine.
DLS_API void dls_system_free(dls_system *system);

// Allocates the arrays of values for the system, zeroed; one block, freed with dls_values_free.
DLS_API dls_status dls_values_create(const dls_system *system, dls_values **values);
DLS_API void dls_values_free(dls_values *values);

// Checks sizes, names, patterns and functions: the first thing to call on a hand-made system.
DLS_API dls_status dls_system_validate(const dls_system *system, dls_message *message);

// A state owned by the caller: n coordinates and n velocities at time t.
typedef struct dls_state {
  double t;
  double *q;
  double *v;
} dls_state;

#ifdef __cplusplus
}
#endif
#endif
