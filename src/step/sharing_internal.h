// What the files of dls_sharing share.
#ifndef DLS_STEP_SHARING_INTERNAL_H
#define DLS_STEP_SHARING_INTERNAL_H

#include "step/rows.h"
#include "step/sharing.h"
#include "step/sharing_program.h"

enum { DLS_SHARING_ROWS = 48, DLS_SHARING_COORDINATES = 96, DLS_SHARING_POLYHEDRA = 16 };

typedef struct dls_sharing_work {
  const dls_snapshot *point;
  int max_c, max_r;            // room for a group
  int *diagonal;               // n: entries of M, or -1
  double *mobility, *bound;    // n, 2 n: about 1 / M_ii, and work
  bool *bounded;               // n, work
  int *base, *of;              // n: classes of coordinates, by M alone, and with contacts
  int *head, *next;            // n, m: contacts of a class
  int *first, *after;          // n, n: its coordinates
  int *local;                  // n: numbers in the group
  int c, *coordinate;          // of the group
  int members, *member, *row;  // contacts, and their first rows
  int rows;                    // normals, slips of those that stick
  int unit;                    // exponent of the first mass
  double *D, *S;               // c, rows: powers of two, a = D a^, force = S 2^unit force^
  double *J, *left;            // rows x c: S J D, and work
  double *x;                   // rows: forces, in units of their own
  double *side;                // members
  double size;                 // of accelerations
  int k;                       // null vectors, and, row by row, of length k:
  double *Na, *Nx;             // accelerations, forces;
  double most;                 // the largest one of these
  double *K, *vector;
  int *column;
  dls_sharing_program program;
  int polyhedra;  // of bilateral contacts with friction by their sides
  unsigned mask[DLS_SHARING_POLYHEDRA];
  double *from;  // DLS_SHARING_POLYHEDRA x rows: forces there
} dls_sharing_work;

static inline double dls_sharing_friction(const dls_sharing_work *w, int j, bool held)
{
  const dls_snapshot *p = w->point;
  return p->first[j + 1] > p->first[j] ? dls_snapshot_mu(p, j, held) : 0;
}

static inline bool dls_sharing_sticks(const dls_sharing *s, int j)
{
  return s->kind[j] == DLS_STICKING && dls_sharing_friction(s->work, j, true) > 0;
}

static inline bool dls_sharing_slides(const dls_sharing *s, int j)
{
  return s->kind[j] == DLS_SLIDING && dls_sharing_friction(s->work, j, false) > 0;
}

static inline bool dls_sharing_is_bilateral(const dls_sharing_work *w, int j)
{
  return w->point->system->contacts[j].kind == DLS_BILATERAL;
}

// --- groups and their matrices, in sharing_group.c ---

// Contacts and coordinates by their classes. False: nothing slides with friction beside another
// contact.
bool dls_sharing_sort(dls_sharing *s);

// The contacts and coordinates of a class, and their rows in units of their own. False: none of
// them slides, none is redundant, or there are too many.
bool dls_sharing_gather(dls_sharing *s, int class);

// What the force of row r of member k does: J, with friction where it slides.
void dls_sharing_set_effect(const dls_sharing *s, int k, int r, double *x);

#endif
