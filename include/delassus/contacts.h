// The contacts at a state: laws, directions, gaps, velocities, identities. Sparse, and another set
// at every call if need be. Accelerations, impacts and time steps are problems over such a set.
//
//   M v' + F = J r,   u = J^T v + w,   u' = J^T v' + b                                eq (set.1)
//
// A set belongs to one thread at a time. Its arrays are its own, and move when it grows; names are
// those of the caller.
#ifndef DELASSUS_CONTACTS_H
#define DELASSUS_CONTACTS_H

#include <delassus/contact.h>
#include <delassus/incremental.h>
#include <delassus/law.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dls_contacts {
  int nv;              // velocities
  int count;           // contacts
  int rows;            // of all contacts: a normal, and what slips
  unsigned char *law;  // count: dls_law
  uint64_t *id;        // count: 0 where there is none
  const char **name;   // count: NULL where there is none
  int *first;          // count + 1: the rows of contact k are first[k] ... first[k + 1] - 1
  dls_matrix_view J;   // nv x rows: normals first
  double *gap;         // count
  double *mu;          // count: 0 for contacts without slip
  double *mu_s;        // count: static friction, not below mu
  double *e;           // count: restitution
  double *bound;       // count: of bounded friction, a force or an impulse as the problem has it
  double *rate;        // rows: u
  double *w, *b;       // rows
  double *direction;   // rows: where it slides, in a known direction, of unit length; 0 elsewhere
} dls_contacts;

// A row of a contact that is added; entries with increasing indices.
typedef struct dls_contact_row {
  int entries;
  const int *i;
  const double *x;
  double rate, w, b, direction;
} dls_contact_row;

typedef struct dls_contact_data {
  dls_law law;
  uint64_t id;
  const char *name;
  double gap, mu, e, bound;
  double mu_s;             // static friction; up to mu: there is none of its own
  int rows;                // 1 to 3
  dls_contact_row row[3];  // the normal first
} dls_contact_data;

DLS_API dls_status dls_contacts_create(int nv, dls_contacts **out);
DLS_API void dls_contacts_free(dls_contacts *contacts);  // NULL is fine

// No contacts; memory is kept.
DLS_API void dls_contacts_clear(dls_contacts *contacts, int nv);

// Adds one at the end. DLS_ERR_ARGUMENT or DLS_ERR_NUMBER, with a message, when it cannot be;
// DLS_ERR_MEMORY and DLS_ERR_LIMIT leave the set as it was.
DLS_API dls_status dls_contacts_add(dls_contacts *contacts, const dls_contact_data *contact,
                                    dls_message *message);

// Does the contact press from both sides? Equations and the bilateral laws.
DLS_API bool dls_contacts_bilateral(const dls_contacts *contacts, int contact);

// ---- problems over the set ----------------------------------------------------------------------

// The contact problem of accelerations, bilateral contacts first, each kind in the order of the
// set. M (nv x nv) and F (nv) are pointed to; all else is a copy. Contacts with bounded friction
// cannot take part: DLS_ERR_ARGUMENT. Freed with dls_contacts_problem_free.
DLS_API dls_status dls_contacts_problem(const dls_contacts *contacts, const dls_matrix_view *M,
                                        const double *F, dls_problem **out, dls_message *message);
DLS_API void dls_contacts_problem_free(dls_problem *problem);  // NULL is fine

// The incremental problem of a step in its global form, M v = J r + f, u = J^T v + w; w: rows. All
// contacts must have as many rows as the first; it points into the set, and lives no longer than
// that stays as it is. DLS_ERR_ARGUMENT where rows differ, or there is but one.
DLS_API dls_status dls_contacts_step(const dls_contacts *contacts, const dls_matrix_view *M,
                                     const double *f, const double *w, dls_incremental *out,
                                     dls_message *message);

#ifdef __cplusplus
}
#endif
#endif
