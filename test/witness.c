#include "witness.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Everything is judged in scaled unknowns z_i / s_i, lambda_j / s_j, so that units do not matter.
enum { MOST = 160 };
typedef long double real;

// Sizes in scaled data: below SMALL is zero up to rounding, above CLEAR is not zero.
static const real SMALL = 2e-10L, CLEAR = 1e-12L;

typedef struct scaled {
  const dls_problem *p;
  int n, m_b, m_u, m;
  real s[MOST];  // n coordinates, then bilateral, then unilateral
} scaled;

static real entry(const dls_problem *p, int i, int j)
{
  int n = p->n, m = n + p->m_b + p->m_u;
  if (i > j) return entry(p, j, i);
  if (j < n) return p->M[i + j * n];
  if (i >= n || j >= m) return 0;
  return j < n + p->m_b ? p->G_b[i + (j - n) * n] : p->G_u[i + (j - n - p->m_b) * n];
}

// Masses give the units of the coordinates that have one; the largest entry of each gradient and
// of each massless row is then brought to 1.
static scaled scale(const dls_problem *p)
{
  scaled k = {.p = p, .n = p->n, .m_b = p->m_b, .m_u = p->m_u, .m = p->m_b + p->m_u};
  int size = k.n + k.m;
  bool fixed[MOST] = {0};
  for (int i = 0; i < size; i++) {
    fixed[i] = i < k.n && p->M[i + i * k.n] > 0;
    k.s[i] = fixed[i] ? 1 / sqrtl(p->M[i + i * k.n]) : 1;
  }
  for (int sweep = 0; sweep < 40; sweep++) {
    real t[MOST], worst = 0;
    for (int i = 0; i < size; i++) {
      t[i] = 0;
      for (int j = i < k.n ? k.n : 0; j < (i < k.n ? size : k.n); j++)
        t[i] = fmaxl(t[i], fabsl(k.s[i] * entry(p, i, j) * k.s[j]));
    }
    for (int i = 0; i < size; i++) {
      if (t[i] == 0 || fixed[i]) continue;
      k.s[i] /= sqrtl(t[i]);
      worst = fmaxl(worst, fabsl(1 - t[i]));
    }
    if (worst < 0.1L) break;
  }
  // a constraint without gradient has only a sign
  for (int j = k.n; j < size; j++) {
    real largest = 0;
    for (int i = 0; i < k.n; i++) largest = fmaxl(largest, fabsl(entry(p, i, j)));
    const double b = j < k.n + k.m_b ? p->b_b[j - k.n] : p->b_u[j - k.n - k.m_b];
    if (largest == 0 && b != 0) k.s[j] = 1 / fabsl((real)b);
  }
  return k;
}

// M, G, F and b in scaled data.
static real M_(const scaled *k, int i, int j)
{
  return k->s[i] * k->s[j] * (real)k->p->M[i + j * k->n];
}

static real G_(const scaled *k, int i, int j)
{
  return k->s[i] * k->s[k->n + j] * entry(k->p, i, k->n + j);
}

static real F_(const scaled *k, int i)
{
  return k->s[i] * (real)k->p->F[i];
}

static real b_(const scaled *k, int j)
{
  return k->s[k->n + j] * (real)(j < k->m_b ? k->p->b_b[j] : k->p->b_u[j - k->m_b]);
}

// A vector over the coordinates or over all constraints (bilateral first), scaled.
typedef struct vec {
  bool there, odd;  // odd: NaN, or of the wrong length
  real x[MOST], max;
} vec;

static void put(vec *v, const scaled *k, int at, int first, int count, const double *values)
{
  for (int i = 0; i < count; i++) {
    real x = (real)values[i] / k->s[first + i];
    if (!isfinite(x)) v->odd = true;
    v->x[at + i] = x;
    v->max = fmaxl(v->max, fabsl(x));
  }
}

const dls_witness_part *witness_part(const dls_verdict *verdict, const char *name)
{
  for (int i = 0; i < verdict->parts; i++)
    if (strcmp(verdict->part[i].name, name) == 0) return &verdict->part[i];
  return NULL;
}

static void take_part(vec *v, const scaled *k, const dls_verdict *verdict, const char *name,
                      dls_index_set index_set, int at, int first, int count)
{
  const dls_witness_part *part = witness_part(verdict, name);
  if (part == NULL) return;
  v->there = true;
  if (part->index_set != index_set || part->count != count || (count > 0 && part->values == NULL)) {
    v->odd = true;
    return;
  }
  put(v, k, at, first, count, part->values);
}

static vec take_z(const scaled *k, const dls_verdict *verdict, const char *name)
{
  vec v = {0};
  take_part(&v, k, verdict, name, DLS_INDEX_COORDINATES, 0, 0, k->n);
  return v;
}

static vec take_lambda(const scaled *k, const dls_verdict *verdict, const char *name_b,
                       const char *name_u)
{
  vec v = {0};
  if (name_b) take_part(&v, k, verdict, name_b, DLS_INDEX_BILATERAL, 0, k->n, k->m_b);
  if (name_u)
    take_part(&v, k, verdict, name_u, DLS_INDEX_UNILATERAL, k->m_b, k->n + k->m_b, k->m_u);
  return v;
}

// ---- products

static real Gt_z(const scaled *k, int j, const vec *z)
{
  real sum = 0;
  for (int i = 0; i < k->n; i++) sum += G_(k, i, j) * z->x[i];
  return sum;
}

static real G_lambda(const scaled *k, int i, const vec *lambda)
{
  real sum = 0;
  for (int j = 0; j < k->m; j++) sum += G_(k, i, j) * lambda->x[j];
  return sum;
}

static real M_z(const scaled *k, int i, const vec *z)
{
  real sum = 0;
  for (int j = 0; j < k->n; j++) sum += M_(k, i, j) * z->x[j];
  return sum;
}

static real dot_b(const scaled *k, const vec *lambda)
{
  real sum = 0;
  for (int j = 0; j < k->m; j++) sum += b_(k, j) * lambda->x[j];
  return sum;
}

static real max_b(const scaled *k)
{
  real max = 0;
  for (int j = 0; j < k->m; j++) max = fmaxl(max, fabsl(b_(k, j)));
  return max;
}

static real max_F(const scaled *k)
{
  real max = 0;
  for (int i = 0; i < k->n; i++) max = fmaxl(max, fabsl(F_(k, i)));
  return max;
}

static bool cancels(const scaled *k, const vec *lambda)  // G lambda = 0
{
  for (int i = 0; i < k->n; i++)
    if (!(fabsl(G_lambda(k, i, lambda)) <= SMALL * lambda->max)) return false;
  return true;
}

static bool signs_hold(const scaled *k, const vec *lambda)
{
  for (int j = k->m_b; j < k->m; j++)
    if (!(lambda->x[j] >= 0)) return false;
  return true;
}

static real con3_error(const scaled *k, const vec *z, const vec *lambda)
{
  real worst = 0, force = fmaxl(fmaxl(max_F(k), z->max), lambda->max);
  // where everything rests, z is rounding of what the load alone would do
  real motion = fmaxl(max_b(k), z->max);
  for (int i = 0; i < k->n; i++)
    if (M_(k, i, i) > 0) motion = fmaxl(motion, fabsl(F_(k, i)));
  for (int i = 0; i < k->n; i++) {
    real e = fabsl(M_z(k, i, z) + F_(k, i) - G_lambda(k, i, lambda));
    if (isnan(e)) return e;
    if (e > 0) worst = fmaxl(worst, e / force);
  }
  for (int j = 0; j < k->m; j++) {
    real a = Gt_z(k, j, z) + b_(k, j);
    real e = j < k->m_b ? fabsl(a) : fmaxl(-a, 0);
    if (isnan(a)) return a;
    if (e > 0) worst = fmaxl(worst, e / motion);
    if (j < k->m_b) continue;
    if (lambda->x[j] < 0) worst = fmaxl(worst, -lambda->x[j] / force);
    if (a != 0 && lambda->x[j] != 0)
      worst = fmaxl(worst, fminl(fabsl(a) / motion, fabsl(lambda->x[j]) / force));
  }
  return worst;
}

double solution_error(const dls_problem *problem, const double *z, const double *lambda_b,
                      const double *lambda_u)
{
  scaled k = scale(problem);
  vec vz = {0}, vl = {0};
  put(&vz, &k, 0, 0, k.n, z);
  put(&vl, &k, 0, k.n, k.m_b, lambda_b);
  put(&vl, &k, k.m_b, k.n + k.m_b, k.m_u, lambda_u);
  return (double)con3_error(&k, &vz, &vl);
}

// ---- one claim after another

static const char *mass_fault(const scaled *k, const dls_verdict *v)
{
  if (v->answer == DLS_YES) return NULL;
  vec d = take_z(k, v, "direction");
  if (!d.there || d.odd) return "no direction";
  if (!(d.max > 0)) return "the direction is zero";
  for (int i = 0; i < k->n; i++)
    if (!(fabsl(M_z(k, i, &d)) <= SMALL * d.max)) return "M d is not zero";
  return NULL;
}

// Gauss elimination with full pivoting: smallest pivot of the rows of G picked by index.
static real smallest_pivot(const scaled *k, const int *index, int m)
{
  static real A[MOST * MOST];
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) A[i + j * m] = G_(k, index[i], j);
  real smallest = 1;
  for (int t = 0; t < m; t++) {
    int pi = t, pj = t;
    for (int j = t; j < m; j++)
      for (int i = t; i < m; i++)
        if (fabsl(A[i + j * m]) > fabsl(A[pi + pj * m])) pi = i, pj = j;
    for (int j = 0; j < m; j++) {
      real x = A[t + j * m];
      A[t + j * m] = A[pi + j * m], A[pi + j * m] = x;
    }
    for (int i = 0; i < m; i++) {
      real x = A[i + t * m];
      A[i + t * m] = A[i + pj * m], A[i + pj * m] = x;
    }
    smallest = fminl(smallest, fabsl(A[t + t * m]));
    if (A[t + t * m] == 0) return 0;
    for (int i = t + 1; i < m; i++) {
      real f = A[i + t * m] / A[t + t * m];
      for (int j = t; j < m; j++) A[i + j * m] -= f * A[t + j * m];
    }
  }
  return smallest;
}

static const char *independent_fault(const scaled *k, const dls_verdict *v)
{
  if (v->answer == DLS_NO) {
    vec l = take_lambda(k, v, "lambda_b", "lambda_u");
    if (!l.there || l.odd) return "no multipliers";
    if (!(l.max > 0)) return "the multipliers are zero";
    return cancels(k, &l) ? NULL : "G lambda is not zero";
  }
  const dls_witness_part *part = witness_part(v, "coordinates");
  if (part == NULL || part->index == NULL || part->index_set != DLS_INDEX_COORDINATES)
    return "no set of coordinates";
  if (part->count != k->m) return "wrong number of coordinates";
  for (int i = 0; i < k->m; i++) {
    if (part->index[i] < 0 || part->index[i] >= k->n) return "coordinate out of range";
    for (int j = 0; j < i; j++)
      if (part->index[i] == part->index[j]) return "a coordinate twice";
  }
  return smallest_pivot(k, part->index, k->m) > CLEAR ? NULL : "the submatrix is singular";
}

static const char *compatible_fault(const scaled *k, const dls_verdict *v)
{
  if (v->answer == DLS_YES) {
    vec z = take_z(k, v, "acceleration");
    if (!z.there || z.odd) return "no acceleration";
    for (int j = 0; j < k->m_b; j++)
      if (!(fabsl(Gt_z(k, j, &z) + b_(k, j)) <= SMALL * fmaxl(z.max, max_b(k))))
        return "G_b^T z + b_b is not zero";
    return NULL;
  }
  vec nu = take_lambda(k, v, "lambda_b", NULL);
  if (!nu.there || nu.odd) return "no lambda_b";
  if (!cancels(k, &nu)) return "G_b nu is not zero";
  return fabsl(dot_b(k, &nu)) > CLEAR * nu.max * max_b(k) ? NULL : "nu^T b_b is zero";
}

// Uncoupled massless parts have no common unit: what must have a sign is measured by its own terms.
static real Gt_z_terms(const scaled *k, int j, const vec *d)
{
  real terms = 0;
  for (int i = 0; i < k->n; i++) terms += fabsl(G_(k, i, j) * d->x[i]);
  return terms;
}

static const char *mfcq_fault(const scaled *k, const dls_verdict *v)
{
  if (v->answer == DLS_YES) {
    vec d = take_z(k, v, "direction");
    if (!d.there || d.odd) return "no direction";
    for (int j = 0; j < k->m; j++) {
      real x = Gt_z(k, j, &d);
      if (j < k->m_b && !(fabsl(x) <= SMALL * d.max)) return "G_b^T d is not zero";
      if (j >= k->m_b && !(x > CLEAR * Gt_z_terms(k, j, &d))) return "G_u^T d is not positive";
    }
    return NULL;
  }
  vec l = take_lambda(k, v, "lambda_b", "lambda_u");
  if (!l.there || l.odd) return "no multipliers";
  real most = 0;
  for (int j = k->m_b; j < k->m; j++) most = fmaxl(most, l.x[j]);
  if (!(most > CLEAR * l.max)) return "lambda_u is zero";
  if (!signs_hold(k, &l)) return "lambda_u is negative";
  return cancels(k, &l) ? NULL : "G_u lambda + G_b nu is not zero";
}

static const char *delassus_fault(const scaled *k, const dls_verdict *v)
{
  if (v->answer == DLS_YES) return NULL;
  vec l = take_lambda(k, v, "lambda_b", "lambda_u");
  if (!l.there || l.odd) return "no multipliers";
  real most = 0;
  for (int j = k->m_b; j < k->m; j++) most = fmaxl(most, fabsl(l.x[j]));
  if (!(most > CLEAR * l.max)) return "lambda_u is zero";
  return cancels(k, &l) ? NULL : "G_u lambda_u + G_b lambda_b is not zero";
}

// Nothing fulfils (con.3): a contradiction, or a massless direction that is pushed.
static real dot_b_terms(const scaled *k, const vec *l)
{
  real terms = 0;
  for (int j = 0; j < k->m; j++) terms += fabsl(b_(k, j) * l->x[j]);
  return terms;
}

static const char *nothing_fault(const scaled *k, const dls_verdict *v)
{
  vec d = take_z(k, v, "direction"), l = take_lambda(k, v, "lambda_b", "lambda_u");
  if (d.odd || l.odd) return "malformed witness";
  if (d.there) {
    real push = 0, terms = 0;
    for (int i = 0; i < k->n; i++) {
      push += F_(k, i) * d.x[i];
      terms += fabsl(F_(k, i) * d.x[i]);
      if (!(fabsl(M_z(k, i, &d)) <= SMALL * d.max)) return "M d is not zero";
    }
    for (int j = 0; j < k->m; j++) {
      real x = Gt_z(k, j, &d);
      if (j < k->m_b ? !(fabsl(x) <= SMALL * d.max) : !(x >= -SMALL * d.max))
        return "d leaves the constraints";
    }
    return push < -CLEAR * terms ? NULL : "F^T d is not negative";
  }
  if (!l.there) return "neither a direction nor multipliers";
  if (!signs_hold(k, &l)) return "lambda_u is negative";
  if (!cancels(k, &l)) return "G_u lambda + G_b nu is not zero";
  return dot_b(k, &l) < -CLEAR * dot_b_terms(k, &l) ? NULL : "lambda^T b is not negative";
}

static const char *exists_fault(const scaled *k, const dls_verdict *v)
{
  if (v->answer == DLS_NO) return nothing_fault(k, v);
  vec z = take_z(k, v, "acceleration"), l = take_lambda(k, v, "lambda_b", "lambda_u");
  if (!z.there || z.odd || l.odd || (k->m > 0 && !l.there)) return "no solution";
  return con3_error(k, &z, &l) <= SMALL ? NULL : "(con.3) does not hold";
}

// Some entry differs by much of its own size, which is not rounding.
// A multiplier of a constraint without gradient has no unit in common with the others.
static bool differ(int n, const vec *x, const vec *y, const bool *apart)
{
  for (int i = 0; i < n; i++) {
    real d = fabsl(x->x[i] - y->x[i]), own = fmaxl(fabsl(x->x[i]), fabsl(y->x[i]));
    real most = apart && apart[i] ? own : fmaxl(x->max, y->max);
    if (d > 1e-3L * own && d > CLEAR * most) return true;
  }
  return false;
}

static const char *unique_fault(const scaled *k, const dls_check *c, const dls_verdict *v)
{
  vec z = take_z(k, v, "acceleration"), l = take_lambda(k, v, "lambda_b", "lambda_u");
  if (v->answer == DLS_YES) {
    if (z.there && z.odd) return "malformed acceleration";
    return NULL;
  }
  if (c->verdict[DLS_ACCELERATION_EXISTS].answer == DLS_NO) return nothing_fault(k, v);
  vec other = take_z(k, v, "other");
  if (!z.there || !other.there || z.odd || other.odd || l.odd) return "not two accelerations";
  if (!(con3_error(k, &z, &l) <= SMALL)) return "the first is no solution";
  if (!(con3_error(k, &other, &l) <= SMALL)) return "the second is no solution";
  return differ(k->n, &z, &other, NULL) ? NULL : "the two hardly differ";
}

static const char *forces_fault(const scaled *k, const dls_check *c, const dls_verdict *v)
{
  if (v->answer == DLS_YES) return NULL;
  if (c->verdict[DLS_ACCELERATION_EXISTS].answer == DLS_NO) return nothing_fault(k, v);
  if (c->solution == NULL) return "no solution";
  vec one = take_lambda(k, v, "lambda_b", "lambda_u"),
      two = take_lambda(k, v, "other_b", "other_u");
  if (!one.there || !two.there || one.odd || two.odd) return "not two sets of multipliers";
  vec z = {0};
  put(&z, k, 0, 0, k->n, c->solution->acceleration);
  if (!signs_hold(k, &one) || !signs_hold(k, &two)) return "lambda_u is negative";
  if (!(con3_error(k, &z, &one) <= SMALL)) return "the first is not admissible";
  if (!(con3_error(k, &z, &two) <= SMALL)) return "the second is not admissible";
  bool apart[MOST] = {0};
  for (int j = 0; j < k->m; j++) {
    apart[j] = true;
    for (int i = 0; i < k->n; i++) apart[j] &= entry(k->p, i, k->n + j) == 0;
  }
  return differ(k->m, &one, &two, apart) ? NULL : "the two hardly differ";
}

const char *witness_fault(const dls_check *check, dls_question question)
{
  const dls_verdict *v = &check->verdict[question];
  if (v->answer != DLS_YES && v->answer != DLS_NO) return NULL;
  if (v->by == NULL || v->by[0] == 0) return "no reason given";
  if (v->parts < 0 || v->parts > DLS_WITNESS_PARTS) return "number of parts";
  scaled k = scale(&check->problem);
  switch (question) {
  case DLS_MASS_DEFINITE: return mass_fault(&k, v);
  case DLS_CONSTRAINTS_INDEPENDENT: return independent_fault(&k, v);
  case DLS_CONSTRAINTS_COMPATIBLE: return compatible_fault(&k, v);
  case DLS_MFCQ: return mfcq_fault(&k, v);
  case DLS_DELASSUS_DEFINITE: return delassus_fault(&k, v);
  case DLS_ACCELERATION_EXISTS: return exists_fault(&k, v);
  case DLS_ACCELERATION_UNIQUE: return unique_fault(&k, check, v);
  case DLS_FORCES_UNIQUE: return forces_fault(&k, check, v);
  default: return "unknown question";
  }
}

static bool close_to(double x, double y, double size)
{
  return fabs(x - y) <= 1e-9 * size;
}

// Gauss values next to their own recomputation: p = 1/2 z'Mz + F'z, d = -1/2 z'Mz - b'lambda.
static const char *gauss_fault(const dls_check *c)
{
  const dls_problem *p = &c->problem;
  const dls_solution *s = c->solution;
  double energy = 0, work = 0, pull = 0, size = 0;
  for (int i = 0; i < p->n; i++) {
    for (int j = 0; j < p->n; j++) {
      double term = s->acceleration[i] * p->M[i + j * p->n] * s->acceleration[j] / 2;
      energy += term;
      size += fabs(term);
    }
    work += p->F[i] * s->acceleration[i];
    size += fabs(p->F[i] * s->acceleration[i]);
    // what the load would do alone: where everything rests, the rest is rounding
    if (p->M[i + i * p->n] > 0) size += p->F[i] * p->F[i] / p->M[i + i * p->n];
  }
  for (int j = 0; j < p->m_b; j++) pull += p->b_b[j] * s->lambda_b[j];
  for (int j = 0; j < p->m_u; j++) pull += p->b_u[j] * s->lambda_u[j];
  for (int j = 0; j < p->m_b + p->m_u; j++) {
    double b = j < p->m_b ? p->b_b[j] : p->b_u[j - p->m_b], w = 0;
    for (int i = 0; i < p->n; i++) {
      double g = (double)entry(p, i, p->n + j), mass = p->M[i + i * p->n];
      if (mass > 0) w += g * g / mass;
    }
    if (w > 0) size += b * b / w;
  }
  for (int j = 0; j < p->m_b; j++) size += fabs(p->b_b[j] * s->lambda_b[j]);
  for (int j = 0; j < p->m_u; j++) size += fabs(p->b_u[j] * s->lambda_u[j]);
  if (!close_to(s->gauss_primal, energy + work, size)) return "gauss_primal";
  if (!close_to(s->gauss_dual, -energy - pull, size)) return "gauss_dual";
  return NULL;
}

static bool a_u_holds(const dls_check *c)
{
  scaled k = scale(&c->problem);
  vec z = {0};
  put(&z, &k, 0, 0, k.n, c->solution->acceleration);
  real motion = fmaxl(z.max, max_b(&k));
  for (int j = 0; j < k.m_u; j++) {
    real a = Gt_z(&k, k.m_b + j, &z) + b_(&k, k.m_b + j);
    real given = k.s[k.n + k.m_b + j] * (real)c->solution->a_u[j];
    if (!(fabsl(a - given) <= SMALL * motion)) return false;
  }
  return true;
}

static const char *interval_fault(int m, const double *lambda, const double *low,
                                  const double *high, double size)
{
  for (int j = 0; j < m; j++) {
    if (isnan(low[j]) || isnan(high[j]) || !(low[j] <= high[j])) return "an interval is empty";
    if (!(lambda[j] >= low[j] - 1e-9 * size) || !(lambda[j] <= high[j] + 1e-9 * size))
      return "a multiplier lies outside its interval";
  }
  return NULL;
}

static const char *reduced_fault(const dls_check *c)
{
  const dls_reduced *r = &c->reduced;
  if (!r->applies) return NULL;
  bool seen[MOST] = {0};
  for (int i = 0; i < c->problem.n; i++) {
    int k = r->coordinate[i];
    if (k < 0 || k >= c->problem.n || seen[k]) return "reduced.coordinate is no permutation";
    seen[k] = true;
  }
  if (!(r->delassus_difference <= 1e-8)) return "A_r and A_c differ";
  // NaN says that a program was not solved: it may happen where the multipliers are unbounded
  const bool unbounded = c->verdict[DLS_MFCQ].answer == DLS_NO;
  if (!(r->acceleration_difference <= 1e-8) && !(unbounded && isnan(r->acceleration_difference)))
    return "the reduced coordinates give another acceleration";
  if (c->verdict[DLS_FORCES_UNIQUE].answer == DLS_YES && r->dependent == c->problem.m_b &&
      !isnan(r->acceleration_difference) && !(r->multiplier_difference <= 1e-6))
    return "the reduced coordinates give other multipliers";
  if (!(r->dual_difference <= 1e-8) && !(unbounded && isnan(r->dual_difference)))
    return "the dual program gives another acceleration";
  return NULL;
}

const char *solution_fault(const dls_check *c)
{
  const dls_problem *p = &c->problem;
  const dls_solution *s = c->solution;
  if ((s != NULL) != (c->verdict[DLS_ACCELERATION_EXISTS].answer == DLS_YES))
    return "a solution without the verdict, or the verdict without it";
  if (s == NULL) return NULL;
  if (!(solution_error(p, s->acceleration, s->lambda_b, s->lambda_u) <= (double)SMALL))
    return "the solution does not fulfil (con.3)";
  double residual = NAN;
  if (dls_problem_residual(p, s->acceleration, s->lambda_b, s->lambda_u, &residual) != DLS_OK)
    return "dls_problem_residual failed";
  if (!(residual <= 1e-9)) return "dls_problem_residual is large";
  if (residual != s->residual) return "residual is not the one of dls_problem_residual";
  double size = 0;
  for (int j = 0; j < p->m_b; j++) size = fmax(size, fabs(s->lambda_b[j]));
  for (int j = 0; j < p->m_u; j++) size = fmax(size, fabs(s->lambda_u[j]));
  if (!a_u_holds(c)) return "a_u is not G_u^T z + b_u";
  const char *fault = interval_fault(p->m_b, s->lambda_b, s->low_b, s->high_b, size);
  if (!fault) fault = interval_fault(p->m_u, s->lambda_u, s->low_u, s->high_u, size);
  if (!fault) fault = gauss_fault(c);
  return fault ? fault : reduced_fault(c);
}
