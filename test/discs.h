// Discs that fall on a floor and on each other: all pairs declared, or those that are near found at
// each step.
#ifndef TEST_DISCS_H
#define TEST_DISCS_H

#include <delassus/integrator.h>

enum { DISCS_MOST = 30, DISCS_PAIRS = DISCS_MOST * (DISCS_MOST + 1) / 2 };

static const double disc_radius = 0.5;

// Disc i has the coordinates 2 i and 2 i + 1. Contact 1 + i + j (j + 1) / 2 is that of the discs
// i < j; i == j: of a disc and the floor.
typedef struct discs {
  dls_system system;
  int count;
  double mu, e;
  int a[DISCS_PAIRS], b[DISCS_PAIRS];  // of the contacts
  dls_contact_info info[DISCS_PAIRS];
  uint64_t id[DISCS_PAIRS];
  char name[DISCS_PAIRS + 1][24];
  int mass_p[2 * DISCS_MOST + 1], mass_i[2 * DISCS_MOST];
  int pattern_p[DISCS_PAIRS + 1], pattern_i[4 * DISCS_PAIRS];
  const char *coordinate[2 * DISCS_MOST];
  int finds, selects, most;
  bool blind;          // finds nothing that is not closed
  int fails;           // find fails from this call on
  bool unable, wrong;  // select fails; select makes a system that is none
} discs;

uint64_t discs_id(int i, int j);
double discs_gap(const double *q, int i, int j);

// found: contacts come and go.
void discs_make(discs *d, int count, double mu, double e, bool found);
// From rest, a heap that falls; fails the test when that cannot be.
dls_integrator *discs_begin(discs *d, const char *scheme, double step);

#endif
