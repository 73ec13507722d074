// Contact problems with Coulomb friction in small integers and halves: drawn, and written in other
// units and orders.
#ifndef TEST_COULOMB_MAKER_H
#define TEST_COULOMB_MAKER_H

#include "problem_maker.h"

enum { COULOMB_N = 6, COULOMB_M = 6, COULOMB_S = 12 };

// Column-major, bilateral contacts first; columns are n long.
typedef struct coulomb {
  int n, m_b, m_u, tangents;
  double M[COULOMB_N * COULOMB_N], F[COULOMB_N];
  double G[COULOMB_N * COULOMB_M], b[COULOMB_M];
  double H[COULOMB_N * COULOMB_S], b_t[COULOMB_S], xi[COULOMB_S];
  double mu[COULOMB_M];
  int first[COULOMB_M + 1];
  bool sliding[COULOMB_M];
  int objects, object[COULOMB_N];  // coordinates of the object; 0: none
  const char *name;
  dls_friction friction;  // of the last coulomb_problem
} coulomb;

// Plain data that point into p.
dls_problem coulomb_problem(coulomb *p);
void coulomb_print(const coulomb *p);  // in full

void coulomb_start(coulomb *p, const char *name, int n);
// One more contact, filled with zeros; bilateral ones must come first. Returns its index.
int coulomb_add(coulomb *p, dls_contact_kind kind, int tangents, double mu);
double *coulomb_normal(coulomb *p, int i);          // n
double *coulomb_tangent(coulomb *p, int i, int k);  // n
// Normal (nx, ny) and tangent (ny, -nx) at the point (x, y) of a body in the plane, coordinates x,
// y and the angle: forces and moment about its centre.
void coulomb_touch(coulomb *p, int i, double nx, double ny, double x, double y);

// Families. Planar ones have at most one slip per contact.
void coulomb_integers(coulomb *p, rng *r);   // no structure; M may be singular
void coulomb_body(coulomb *p, rng *r);       // a rigid body in the plane, touched at points
void coulomb_rod(coulomb *p, rng *r);        // strong friction: none, two, three solutions
void coulomb_klein(coulomb *p, rng *r);      // two guides, the rod of Painleve and Klein
void coulomb_known(coulomb *p, rng *r);      // around a drawn solution
void coulomb_redundant(coulomb *p, rng *r);  // contacts repeated
void coulomb_crowded(coulomb *p, rng *r);    // a body at rest with more contacts than it needs
// contacts that are parallel but for 2^-least ... 2^-most
void coulomb_nearly(coulomb *p, rng *r, int least, int most);
void coulomb_contradiction(coulomb *p, rng *r);  // normals that oppose each other
void coulomb_massless(coulomb *p, rng *r);       // a direction without mass, pushed or not
void coulomb_all_sliding(coulomb *p, rng *r);    // every contact with friction slides
void coulomb_spatial(coulomb *p, rng *r);        // two slips, around a drawn solution

// Units, all positive: z = coordinate z' / time, lambda = normal lambda' / (mass time), tau with
// tangent likewise, for z', lambda', tau' in the new ones.
typedef struct coulomb_units {
  double coordinate[COULOMB_N], normal[COULOMB_M], tangent[COULOMB_S];
  double mass, time;
} coulomb_units;

coulomb_units coulomb_same_units(void);
void coulomb_draw_units(const coulomb *p, rng *r, double base, int most, coulomb_units *u);
void coulomb_rescale(const coulomb *p, const coulomb_units *u, coulomb *out);

// Contacts and coordinates in another order, some slips and bilateral normals the other way round.
void coulomb_permute(const coulomb *p, rng *r, coulomb *out);

#endif
