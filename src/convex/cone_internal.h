// What the files of the conic solver share. Symbols: docs/theory.md, section on conic programs.
#ifndef DLS_CONVEX_CONE_INTERNAL_H
#define DLS_CONVEX_CONE_INTERNAL_H

#include "base/memory.h"
#include "convex/cone.h"
#include "linalg/ldl.h"

// ---- one kind of cone --------------------------------------------------------------------------

typedef struct cone_type cone_type;

// One cone, or all linear rows of a kind together. Functions take vectors over all m rows and touch
// the rows start ... start + size - 1.
typedef struct cone_block {
  const cone_type *type;
  int start, size;
  double *w;     // size: the scaling point, eq (cne.5) and (cne.6)
  double eta;    // second-order cones: its size
  int extra;     // second-order cones: the first of two additional rows of the KKT matrix, or -1
  int g_places;  // where g begins among the entries of the KKT matrix
} cone_block;

struct cone_type {
  int (*degree)(const cone_block *c);
  void (*unit)(const cone_block *c, double *e);
  // Sets W for interior points s and y, lambda = W y = W^-1 s. False when they are not interior.
  bool (*scale)(cone_block *c, const double *s, const double *y, double *lambda);
  void (*multiply)(const cone_block *c, const double *v, double *out);  // out = W v
  void (*divide)(const cone_block *c, const double *v, double *out);    // out = W^-1 v
  void (*square)(const cone_block *c, const double *v, double *out);    // out = W^2 v
  void (*product)(const cone_block *c, const double *u, const double *v, double *out);
  // out with lambda o out = v; out may be v
  void (*quotient)(const cone_block *c, const double *lambda, const double *v, double *out);
  // the largest a, at most dls_longest_step, with v + a d in the cone
  double (*step)(const cone_block *c, const double *v, const double *d);
  bool (*inside)(const cone_block *c, const double *v);
  // s: how far v is outside the cone; dual: outside the dual cone
  double (*outside)(const cone_block *c, const double *v, bool dual);
  void (*project)(const cone_block *c, double *v);
};

extern const cone_type dls_cone_zero, dls_cone_nonneg, dls_cone_soc;

// g = eta (a, r w_1) and h = (a, -r w_1) / eta, in which the largest and the smallest eigenvalue of
// W^2 stand apart from each other.  eq (cne.8)
typedef struct cone_split {
  double a, r;
} cone_split;
cone_split dls_cone_soc_split(const cone_block *c);

// ---- the solver --------------------------------------------------------------------------------

// A direction, or a point: eq (cne.2).
typedef struct cone_point {
  double *x, *y, *s;
  double tau, kappa;
} cone_point;

enum { DIRECTIONS = 10 };  // that a solve remembers

// The matrix of eq (cne.7) with the additional rows of eq (cne.8). Its entries are first the
// diagonal, then the rest of P, then A^T, then g of all cones, then A^T h of all cones.
typedef struct cone_kkt {
  int size, count;
  int *row, *col;
  double *value;
  signed char *sign;
  int off_A;     // first entry of A^T
  int *P_place;  // entry of each stored entry of P
  int *h_place;  // entry of A^T h to which each stored entry of A contributes, or -1
  int *cone_of;  // m: the block with additional rows to which a row belongs, or -1
  dls_ldl *ldl;
  double delta;                    // the regularisation
  double *rhs;                     // size
  double *x1, *y1;                 // n, m: what the factors give
  double *x2, *y2;                 // n, m: the column of tau
  double pivot;                    // what is left for tau
  double *z, *trial, *r, *next_r;  // n + m + 1: solutions, weighted residuals
  double *direction[DIRECTIONS], *image[DIRECTIONS];
  double *h, *Wy;  // m
  long double *residual_x, *residual_y, residual_tau;
} cone_kkt;

struct dls_cone {
  int n, m, zero, blocks, degree;
  cone_block *block;
  dls_cone_options options;
  dls_arena *arena;

  // as given
  dls_sparse *P, *A;  // the upper triangle of P; both always exist
  double *q, *b;

  // scaled: Ps = cost D P D, As = E A D, qs = cost D q / length, bs = E b / length, and
  // x = length D xs, s = length E^-1 ss, y = length / cost E ys
  dls_sparse *Ps, *As;
  double *D, *E, *qs, *bs;
  double cost, length;

  cone_kkt kkt;

  // the iteration: the point, residuals, directions
  cone_point at, affine, step;
  double *Px;             // Ps x
  double *rx, *ry, rtau;  // eq (cne.3)
  double mu;
  double *lambda, *right_x, *right_y, *target, *t1, *t2;

  // in the units of the data
  double *try_x, *try_s, *try_y;
  double *best_x, *best_s, *best_y;
  dls_cone_residuals best;
  double best_certificate;
  int since_best;  // iterations without progress

  // for the checks: n, n, m, m
  long double *sum_x, *terms_x, *sum_y, *terms_y;
};

// Natural sizes of the data in scaled units: see cone.h.
typedef struct cone_sizes {
  double b, q, P;               // |E b|, |D q|, |D P D|
  double primal, dual;          // stand-ins for |E b| and |D q|
  double natural_x, natural_y;  // of x and y
} cone_sizes;
cone_sizes dls_cone_sizes(const dls_cone *c);

// y = P x for P given by its upper triangle
void dls_cone_symmetric(const dls_sparse *P, const double *x, double *y);

void dls_cone_equilibrate(dls_cone *c);  // D, E and As, once
void dls_cone_scale_data(dls_cone *c);   // cost, length, Ps, qs, bs, for each solve
bool dls_cone_scaled_finite(const dls_cone *c);

dls_status dls_cone_kkt_create(dls_cone *c);
void dls_cone_kkt_free(dls_cone *c);
bool dls_cone_kkt_factor(dls_cone *c);
// Solves eq (cne.7) for the point c->at, without regularisation.
void dls_cone_kkt_solve(dls_cone *c, const double *right_x, const double *right_y, double right_tau,
                        double *x, double *y, double *tau);

// x <- x + dx of smallest x^T P x, where moving s costs as much as W says
void dls_cone_kkt_flatten(dls_cone *c, double *x);

// Whether y (x) is a certificate: scaled to b^T y = -1 (q^T x = -1; s is then found), and measured.
// They are overwritten. INFINITY when it is none at all.
double dls_cone_farkas(dls_cone *c, double *y);
double dls_cone_ray(dls_cone *c, double *x, double *s);

#endif
