#include "coulomb_witness.h"
#include "coulomb_oracle.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef long double real;

// Drawn data are small integers: errors below SMALL are rounding, what is above CLEAR is there.
static const real SMALL = 1e-9L, CLEAR = 1e-9L;

typedef struct point {
  real z[COULOMB_N], lambda[COULOMB_M], tau[COULOMB_S];
} point;

static int contacts(const coulomb *p)
{
  return p->m_b + p->m_u;
}

static int tangents_of(const coulomb *p, int i)
{
  return p->first[i + 1] - p->first[i];
}

static bool rough(const coulomb *p, int i)
{
  return tangents_of(p, i) > 0 && p->mu[i] > 0;
}

static point plain_point(const coulomb *p, const coulomb_units *u, const double *z,
                         const double *lambda_b, const double *lambda_u, const double *tau)
{
  point x = {0};
  const real force = (real)u->mass * u->time;
  for (int i = 0; i < p->n; i++) x.z[i] = (real)z[i] * u->coordinate[i] / u->time;
  for (int i = 0; i < contacts(p); i++)
    x.lambda[i] = (i < p->m_b ? lambda_b[i] : lambda_u[i - p->m_b]) * (real)u->normal[i] / force;
  for (int k = 0; k < p->tangents; k++) x.tau[k] = tau ? tau[k] * (real)u->tangent[k] / force : 0;
  return x;
}

void coulomb_plain(const coulomb *p, const coulomb_units *u, const dls_solution *s, double *z,
                   double *lambda, double *tau)
{
  const point x = plain_point(p, u, s->acceleration, s->lambda_b, s->lambda_u, s->tau);
  for (int i = 0; i < p->n; i++) z[i] = (double)x.z[i];
  for (int i = 0; i < contacts(p); i++) lambda[i] = (double)x.lambda[i];
  for (int k = 0; k < p->tangents; k++) tau[k] = (double)x.tau[k];
}

// ---- the law

typedef struct sizes {
  real force, acceleration;
} sizes;

static real column(const coulomb *p, const double *g, double b, const real *z, real *size)
{
  real sum = b, terms = fabsl((real)b);
  for (int i = 0; i < p->n; i++) sum += g[i] * z[i], terms += fabsl(g[i] * z[i]);
  if (size && terms > *size) *size = terms;
  return sum;
}

static bool balanced(const coulomb *p, const point *x, sizes *size)
{
  const int n = p->n;
  real worst = 0;
  for (int i = 0; i < n; i++) {
    real sum = p->F[i], terms = fabsl((real)p->F[i]);
    for (int j = 0; j < n; j++) {
      sum += p->M[i + n * j] * x->z[j];
      terms += fabsl(p->M[i + n * j] * x->z[j]);
    }
    for (int j = 0; j < contacts(p); j++) {
      sum -= p->G[i + n * j] * x->lambda[j];
      terms += fabsl(p->G[i + n * j] * x->lambda[j]);
    }
    for (int k = 0; k < p->tangents; k++) {
      sum -= p->H[i + n * k] * x->tau[k];
      terms += fabsl(p->H[i + n * k] * x->tau[k]);
    }
    if (!(fabsl(sum) <= worst)) worst = fabsl(sum);
    if (terms > size->force) size->force = terms;
  }
  return worst <= SMALL * size->force;
}

static bool zero(real x, real size)
{
  return fabsl(x) <= SMALL * size;
}

// tau = -mu |lambda| along, in every slip.
static bool opposes(const coulomb *p, const point *x, int i, const real *along, real size)
{
  const real most = p->mu[i] * fabsl(x->lambda[i]);
  for (int l = 0; l < tangents_of(p, i); l++)
    if (!zero(x->tau[p->first[i] + l] + most * along[l], size)) return false;
  return true;
}

static const char *contact_fault(const coulomb *p, const point *x, int i, const sizes *size)
{
  const real a = column(p, p->G + p->n * i, p->b[i], x->z, NULL), lambda = x->lambda[i];
  const bool bilateral = i < p->m_b;
  if (bilateral && !zero(a, size->acceleration)) return "a bilateral contact opens";
  if (!bilateral && !(a >= -SMALL * size->acceleration)) return "penetrates";
  if (!bilateral && !(lambda >= -SMALL * size->force)) return "pulls";
  if (!bilateral && !zero(a, size->acceleration) && !zero(lambda, size->force))
    return "force at a distance";
  if (tangents_of(p, i) == 0) return NULL;
  real s[2] = {0, 0}, along[2] = {0, 0}, tau = 0, slip = 0;
  for (int l = 0; l < tangents_of(p, i); l++) {
    const int k = p->first[i] + l;
    s[l] = column(p, p->H + p->n * k, p->b_t[k], x->z, NULL);
    slip = hypotl(slip, s[l]);
    tau = hypotl(tau, x->tau[k]);
  }
  if (!(tau <= p->mu[i] * fabsl(lambda) + SMALL * size->force)) return "outside the cone";
  for (int l = 0; l < tangents_of(p, i); l++)
    along[l] = p->sliding[i] ? p->xi[p->first[i] + l] : slip > 0 ? s[l] / slip : 0;
  if (p->sliding[i])
    return opposes(p, x, i, along, size->force) ? NULL : "friction not against the sliding";
  if (zero(slip, size->acceleration) || opposes(p, x, i, along, size->force)) return NULL;
  return "friction not against the slip acceleration";
}

static const char *point_fault(const coulomb *p, const point *x, sizes *size)
{
  *size = (sizes){1, 1};
  if (!balanced(p, x, size)) return "forces not in balance";
  for (int i = 0; i < contacts(p); i++) {
    (void)column(p, p->G + p->n * i, p->b[i], x->z, &size->acceleration);
    for (int k = p->first[i]; k < p->first[i + 1]; k++)
      (void)column(p, p->H + p->n * k, p->b_t[k], x->z, &size->acceleration);
  }
  for (int i = 0; i < contacts(p); i++) {
    const char *fault = contact_fault(p, x, i, size);
    if (fault) return fault;
  }
  return NULL;
}

const char *coulomb_law_fault(const coulomb *p, const coulomb_units *u, const double *z,
                              const double *lambda_b, const double *lambda_u, const double *tau)
{
  const point x = plain_point(p, u, z, lambda_b, lambda_u, tau);
  sizes size;
  return point_fault(p, &x, &size);
}

// ---- a solution of the check

static const char *mode_fault(const coulomb *p, const point *x, int i, int mode, const sizes *size)
{
  const int kind = mode & ~DLS_MODE_PULLING;
  const real a = column(p, p->G + p->n * i, p->b[i], x->z, NULL), lambda = x->lambda[i];
  if (kind == DLS_MODE_DETACH)
    return i < p->m_b || !zero(lambda, size->force) ? "detached with a force" : NULL;
  if (kind == DLS_MODE_ANY) return rough(p, i) ? "mode not told" : NULL;
  if (!zero(a, size->acceleration)) return "closed in mode, but opens";
  if ((mode & DLS_MODE_PULLING ? lambda : -lambda) > SMALL * size->force && rough(p, i))
    return "the other sign in mode";
  if (tangents_of(p, i) != 1 || !rough(p, i)) return NULL;
  const int k = p->first[i];
  const real s = column(p, p->H + p->n * k, p->b_t[k], x->z, NULL);
  if (kind == DLS_MODE_CLOSED) return "frictionless in mode";
  if (kind == DLS_MODE_STICK) return zero(s, size->acceleration) ? NULL : "sticks, but slips";
  if (kind == DLS_MODE_SLIDE_PLUS) return s >= -SMALL * size->acceleration ? NULL : "slips minus";
  if (kind == DLS_MODE_SLIDE_MINUS) return s <= SMALL * size->acceleration ? NULL : "slips plus";
  return p->sliding[i] ? NULL : "slides in mode, sticks in the data";
}

static bool inside(double low, double x, double high, real reach)
{
  return !(x < low - reach) && !(x > high + reach);  // NaN: the end is not known
}

static const char *interval_fault(const coulomb *p, const coulomb_units *u, const dls_solution *s,
                                  const sizes *size)
{
  const real force = (real)u->mass * u->time * size->force * SMALL * 10;
  for (int i = 0; i < contacts(p); i++) {
    const bool bilateral = i < p->m_b;
    const int j = bilateral ? i : i - p->m_b;
    const double x = bilateral ? s->lambda_b[j] : s->lambda_u[j];
    const double low = bilateral ? s->low_b[j] : s->low_u[j];
    const double high = bilateral ? s->high_b[j] : s->high_u[j];
    if (!inside(low, x, high, force / u->normal[i])) return "normal force outside its interval";
  }
  for (int k = 0; k < p->tangents && s->low_t; k++)
    if (!inside(s->low_t[k], s->tau[k], s->high_t[k], force / u->tangent[k]))
      return "tangential force outside its interval";
  return NULL;
}

const char *coulomb_solution_fault(const coulomb *p, const coulomb_units *u, const dls_solution *s)
{
  const point x = plain_point(p, u, s->acceleration, s->lambda_b, s->lambda_u, s->tau);
  sizes size;
  const char *fault = point_fault(p, &x, &size);
  if (fault) return fault;
  if (!(s->residual <= 1e-7)) return "its own residual is large";
  for (int i = 0; i < contacts(p) && s->mode; i++) {
    fault = mode_fault(p, &x, i, s->mode[i], &size);
    if (fault) return fault;
  }
  for (int i = p->m_b; i < contacts(p); i++) {
    const real a = column(p, p->G + p->n * i, p->b[i], x.z, NULL);
    if (!zero(a - s->a_u[i - p->m_b] / ((real)u->time * u->normal[i]), size.acceleration))
      return "a_u is not its normal acceleration";
  }
  return interval_fault(p, u, s, &size);
}

// ---- leaves

int coulomb_atoms(const coulomb *p, int i, unsigned char *mode)
{
  if (tangents_of(p, i) < 2 || !rough(p, i)) return coulomb_modes(p, i, mode);
  int count = 0;
  if (i >= p->m_b) mode[count++] = DLS_MODE_DETACH;
  for (int pulling = 0; pulling <= (i < p->m_b ? DLS_MODE_PULLING : 0);
       pulling += DLS_MODE_PULLING) {
    if (!p->sliding[i]) mode[count++] = (unsigned char)(DLS_MODE_STICK | pulling);
    mode[count++] = (unsigned char)(DLS_MODE_SLIDE | pulling);
  }
  return count;
}

static bool covers(int leaf, int atom)
{
  const int kind = leaf & ~DLS_MODE_PULLING, what = atom & ~DLS_MODE_PULLING;
  if (leaf == DLS_MODE_ANY || leaf == atom) return true;
  if ((leaf ^ atom) & DLS_MODE_PULLING) return false;
  return kind == DLS_MODE_ANY ||
         (kind == DLS_MODE_SLIDE && (what == DLS_MODE_SLIDE_PLUS || what == DLS_MODE_SLIDE_MINUS));
}

// By how much alpha a + sigma s + lambda p + tau t >= 0 fails for what one mode of contact i
// allows, on the edges of its cone.
static real edges_below(const coulomb *p, int i, int atom, const point *c, real pn, const real *t)
{
  const int kind = atom & ~DLS_MODE_PULLING, k = p->first[i], tangents = tangents_of(p, i);
  const real side = atom & DLS_MODE_PULLING ? -1 : 1, mu = p->mu[i];
  real below = 0, t_size = 0, sigma_size = 0;
  for (int l = 0; l < tangents; l++) {
    t_size = hypotl(t_size, t[l]);
    sigma_size = hypotl(sigma_size, c->tau[k + l]);
  }
  switch (kind) {
  case DLS_MODE_DETACH: return fmaxl(-c->lambda[i], sigma_size);
  case DLS_MODE_CLOSED: return fmaxl(i < p->m_b ? fabsl(pn) : -pn, sigma_size);
  case DLS_MODE_STICK: return mu * t_size - side * pn;
  case DLS_MODE_SLIDE_PLUS: return fmaxl(-c->tau[k], mu * t[0] - side * pn);
  case DLS_MODE_SLIDE_MINUS: return fmaxl(c->tau[k], -mu * t[0] - side * pn);
  default: break;
  }
  if (!p->sliding[i]) return fmaxl(sigma_size, mu * t_size - side * pn);
  for (int l = 0; l < tangents; l++) below += mu * p->xi[k + l] * t[l];
  return fmaxl(sigma_size, below - side * pn);
}

static const char *proof_fault(const coulomb *p, const coulomb_units *u, const dls_leaf *leaf)
{
  const int n = p->n;
  point c = {0};  // d, alpha, sigma in the places of z, lambda, tau
  real size = 0, violation = 0, sum = 0;
  for (int i = 0; i < n; i++) c.z[i] = (real)leaf->direction[i] * u->coordinate[i];
  for (int i = 0; i < contacts(p); i++) c.lambda[i] = leaf->alpha[i] * (real)u->normal[i] / u->mass;
  for (int k = 0; k < p->tangents; k++) c.tau[k] = leaf->sigma[k] * (real)u->tangent[k] / u->mass;
  for (int i = 0; i < n; i++) size = fmaxl(size, fabsl(c.z[i])), sum += c.z[i] * p->F[i];
  for (int i = 0; i < contacts(p); i++)
    size = fmaxl(size, fabsl(c.lambda[i])), sum += c.lambda[i] * p->b[i];
  for (int k = 0; k < p->tangents; k++)
    size = fmaxl(size, fabsl(c.tau[k])), sum += c.tau[k] * p->b_t[k];
  for (int i = 0; i < n; i++) {
    real row = 0;
    for (int j = 0; j < n; j++) row += p->M[i + n * j] * c.z[j];
    for (int j = 0; j < contacts(p); j++) row += p->G[i + n * j] * c.lambda[j];
    for (int k = 0; k < p->tangents; k++) row += p->H[i + n * k] * c.tau[k];
    if (!(fabsl(row) <= violation)) violation = fabsl(row);
  }
  if (!(-sum > CLEAR * size)) return "alpha^T b + sigma^T b_t + d^T F is not negative";
  // an error is harmless against all numbers smaller than the gap divided by it
  const real allowed = fmaxl(SMALL * size, -1e-7L * sum);
  if (!(violation <= allowed)) return "M d + G alpha + H sigma is not 0";
  for (int i = 0; i < contacts(p); i++) {
    unsigned char atom[8];
    real t[2] = {0, 0}, pn = column(p, p->G + n * i, 0, c.z, NULL);
    for (int l = 0; l < tangents_of(p, i); l++)
      t[l] = column(p, p->H + n * (p->first[i] + l), 0, c.z, NULL);
    const int atoms = coulomb_atoms(p, i, atom);
    for (int a = 0; a < atoms; a++)
      if (covers(leaf->mode[i], atom[a]) && !(edges_below(p, i, atom[a], &c, pn, t) <= allowed))
        return "the modes allow a negative term";
  }
  return NULL;
}

// Every combination of modes lies in some leaf.
static bool all_covered(const coulomb *p, const dls_verdict *v, int contact, unsigned char *mode)
{
  unsigned char atom[8];
  if (contact < contacts(p)) {
    const int atoms = coulomb_atoms(p, contact, atom);
    for (int a = 0; a < atoms; a++) {
      mode[contact] = atom[a];
      if (!all_covered(p, v, contact + 1, mode)) return false;
    }
    return true;
  }
  for (int l = 0; l < v->leaves; l++) {
    bool in = true;
    for (int i = 0; i < contacts(p) && in; i++) in = covers(v->leaf[l].mode[i], mode[i]);
    if (in) return true;
  }
  return false;
}

static bool is_planar(const coulomb *p)
{
  for (int i = 0; i < contacts(p); i++)
    if (tangents_of(p, i) > 1) return false;
  return true;
}

static const char *leaves_fault(const coulomb *p, const coulomb_units *u, const dls_verdict *v,
                                bool points)
{
  unsigned char mode[COULOMB_M];
  if (v->leaves == 0) return "no leaves";
  for (int l = 0; l < v->leaves; l++) {
    const dls_leaf *leaf = &v->leaf[l];
    if (leaf->kind != DLS_LEAF_EMPTY) {
      if (!points) return "a leaf may hold a solution";
      if (leaf->kind == DLS_LEAF_POINT && is_planar(p) && !coulomb_oracle_point(p, leaf->mode))
        return "a leaf is not a point";
      continue;
    }
    if (!leaf->direction || !leaf->alpha || (p->tangents && !leaf->sigma))
      return "a leaf has no proof";
    const char *fault = proof_fault(p, u, leaf);
    if (fault) return fault;
  }
  return all_covered(p, v, 0, mode) ? NULL : "the leaves leave modes out";
}

// ---- verdicts

static const double *part_values(const dls_verdict *v, const char *name)
{
  for (int i = 0; i < v->parts; i++)
    if (strcmp(v->part[i].name, name) == 0) return v->part[i].values;
  return NULL;
}

static const char *read_solution(const coulomb *p, const coulomb_units *u, const dls_verdict *v,
                                 const char *const name[4], point *x, sizes *size)
{
  const double *z = part_values(v, name[0]), *tau = part_values(v, name[3]);
  const double *b = part_values(v, name[1]), *f = part_values(v, name[2]);
  if (!z || (p->m_b && !b) || (p->m_u && !f) || (p->tangents && !tau)) return "a part is missing";
  *x = plain_point(p, u, z, b, f, tau);
  return point_fault(p, x, size);
}

static bool acts(const coulomb *p, int i)
{
  for (int j = 0; j < p->n; j++) {
    if (p->G[j + p->n * i] != 0) return true;
    for (int k = p->first[i]; rough(p, i) && k < p->first[i + 1]; k++)
      if (p->H[j + p->n * k] != 0) return true;
  }
  return false;
}

// ---- weak friction

// Lower triangular L with L L^T = A - B, both of `size`; false where that is not positive.
static bool is_above(int size, const real *A, const real *B)
{
  real L[2 * COULOMB_S][2 * COULOMB_S] = {{0}};
  for (int i = 0; i < size; i++)
    for (int j = 0; j <= i; j++) {
      real x = (A[i * size + j] + A[j * size + i]) / 2 - (B[i * size + j] + B[j * size + i]) / 2;
      for (int k = 0; k < j; k++) x -= L[i][k] * L[j][k];
      if (i == j && !(x > 0)) return false;
      L[i][j] = i == j ? sqrtl(x) : x / L[j][j];
    }
  return true;
}

enum { MOST_UNKNOWN = COULOMB_N + COULOMB_M + COULOMB_S };

// Solves K x = r by elimination with pivoting; false where K is singular.
static bool solve_plain(int size, real K[][MOST_UNKNOWN], real *x)
{
  for (int k = 0; k < size; k++) {
    int best = k;
    for (int i = k; i < size; i++)
      if (fabsl(K[i][k]) > fabsl(K[best][k])) best = i;
    if (!(fabsl(K[best][k]) > 1e-12L)) return false;
    for (int j = 0; j < size; j++) {
      const real t = K[k][j];
      K[k][j] = K[best][j], K[best][j] = t;
    }
    const real t = x[k];
    x[k] = x[best], x[best] = t;
    for (int i = k + 1; i < size; i++) {
      const real factor = K[i][k] / K[k][k];
      for (int j = k; j < size; j++) K[i][j] -= factor * K[k][j];
      x[i] -= factor * x[k];
    }
  }
  for (int k = size - 1; k >= 0; k--) {
    for (int j = k + 1; j < size; j++) x[k] -= K[k][j] * x[j];
    x[k] /= K[k][k];
  }
  return true;
}

// M z - B phi = top, B^T z = bottom: x holds both sides, then z and phi. B: `count` columns.
static bool respond(const coulomb *p, int count, const double *const *B, real *x)
{
  real K[MOST_UNKNOWN][MOST_UNKNOWN] = {{0}};
  for (int i = 0; i < p->n; i++) {
    for (int j = 0; j < p->n; j++) K[i][j] = p->M[i + p->n * j];
    for (int c = 0; c < count; c++) K[i][p->n + c] = -B[c][i], K[p->n + c][i] = B[c][i];
  }
  return solve_plain(p->n + count, K, x);
}

// Of contacts with friction: what slips do to slips is < 2 diag(k), and Phi < 2 diag(1/(mu^2 k)).
//                                                                                   eq (fri.11)
static const char *weak_fault(const coulomb *p, const coulomb_units *u, const double *weight_b,
                              const double *weight_u)
{
  const double *kept[COULOMB_M], *all[COULOMB_M + COULOMB_S];
  int keeps = 0, count = 0, slips = 0, rub = 0, slip[COULOMB_S], of[COULOMB_S], normal[COULOMB_M];
  real k[COULOMB_M] = {0}, A[COULOMB_S * COULOMB_S] = {0}, B[COULOMB_S * COULOMB_S] = {0};
  for (int j = 0; j < contacts(p); j++) {
    if (j < p->m_b && !rough(p, j)) kept[keeps++] = p->G + p->n * j;
    if (rough(p, j)) {
      const real unit = u->tangent[p->first[j]];
      k[j] = (j < p->m_b ? weight_b[j] : weight_u[j - p->m_b]) * u->mass / (unit * unit);
      if (!(k[j] > 0)) return "a weight is not positive";
      normal[rub++] = j;
    }
    all[count++] = p->G + p->n * j;
  }
  for (int j = 0; j < contacts(p); j++)
    for (int t = p->first[j]; rough(p, j) && t < p->first[j + 1]; t++)
      slip[slips] = t, of[slips++] = j, all[count++] = p->H + p->n * t;
  for (int s = 0; s < slips; s++) {
    real x[MOST_UNKNOWN] = {0};
    for (int i = 0; i < p->n; i++) x[i] = p->H[i + p->n * slip[s]];
    if (!respond(p, keeps, kept, x)) return "what is kept is singular";
    for (int r = 0; r < slips; r++) B[r * slips + s] = column(p, p->H + p->n * slip[r], 0, x, NULL);
    A[s * slips + s] = 2 * k[of[s]];
  }
  if (!is_above(slips, A, B)) return "slips are not small";
  memset(A, 0, sizeof A), memset(B, 0, sizeof B);
  for (int c = 0; c < rub; c++) {
    real x[MOST_UNKNOWN] = {0};
    x[p->n + normal[c]] = 1;
    if (!respond(p, count, all, x)) return "gradients and slips depend on each other";
    for (int r = 0; r < rub; r++) B[r * rub + c] = x[p->n + normal[r]];
    A[c * rub + c] = 2 / ((real)p->mu[normal[c]] * p->mu[normal[c]] * k[normal[c]]);
  }
  return is_above(rub, A, B) ? NULL : "normal forces are not small";
}

const char *coulomb_witness_fault(const coulomb *p, const coulomb_units *u, const dls_verdict *v,
                                  dls_question question)
{
  static const char *const first[] = {"acceleration", "lambda_b", "lambda_u", "tau"};
  static const char *const second[] = {"other", "other_b", "other_u", "other_tau"};
  const bool exists = question == DLS_ACCELERATION_EXISTS;
  point x, y;
  sizes size, size_y;
  if (v->answer != DLS_YES && v->answer != DLS_NO) return NULL;
  if (v->answer == DLS_NO && (exists || v->leaves)) return leaves_fault(p, u, v, false);
  const char *fault = read_solution(p, u, v, first, &x, &size);
  if (fault || exists) return fault;
  const double *weight_b = part_values(v, "weight_b"), *weight_u = part_values(v, "weight_u");
  if (v->answer == DLS_YES)
    return weight_b && weight_u ? weak_fault(p, u, weight_b, weight_u)
                                : leaves_fault(p, u, v, true);
  fault = read_solution(p, u, v, second, &y, &size_y);
  if (fault) return fault;
  bool differ = false;
  if (question == DLS_ACCELERATION_UNIQUE)
    for (int i = 0; i < p->n; i++) differ |= fabsl(x.z[i] - y.z[i]) > 1e-7L * size.acceleration;
  else
    for (int i = 0; i < contacts(p); i++) {
      // the force of a contact that acts on nothing has no size of its own
      const real least = acts(p, i) ? 1e-7L * size.force : 0;
      differ |= fabsl(x.lambda[i] - y.lambda[i]) > least;
      for (int k = p->first[i]; k < p->first[i + 1]; k++)
        differ |= fabsl(x.tau[k] - y.tau[k]) > least;
    }
  return differ ? NULL : "the two solutions do not differ";
}

// ---- closure

static bool touches_object(const coulomb *p, int i, bool friction)
{
  for (int o = 0; o < p->objects; o++) {
    if (p->G[p->object[o] + p->n * i] != 0) return true;
    for (int k = p->first[i]; friction && rough(p, i) && k < p->first[i + 1]; k++)
      if (p->H[p->object[o] + p->n * k] != 0) return true;
  }
  return false;
}

// A motion of the object that no contact resists; sign: of the bilateral forces with friction, NULL
// where these hold either way.
static const char *escape_fault(const coulomb *p, const point *x, bool friction, const int *sign)
{
  real d[COULOMB_N] = {0}, size = 0;
  for (int o = 0; o < p->objects; o++) d[p->object[o]] = x->z[p->object[o]];
  for (int i = 0; i < p->n; i++) size = fmaxl(size, fabsl(d[i]));
  if (!(size > 0)) return "no motion";
  for (int i = 0; i < contacts(p); i++) {
    const real a = column(p, p->G + p->n * i, 0, d, NULL);
    real t = 0;
    for (int k = p->first[i]; k < p->first[i + 1]; k++)
      t = hypotl(t, column(p, p->H + p->n * k, 0, d, NULL));
    const real held = friction && rough(p, i) ? p->mu[i] * t : 0;
    const bool signed_force = i < p->m_b && sign && rough(p, i);
    const real along = signed_force ? sign[i] * a : a;
    if (i < p->m_b && !signed_force ? !(fmaxl(fabsl(a), held) <= SMALL * size)
                                    : !(along >= held - SMALL * size))
      return "a contact resists";
  }
  return NULL;
}

// A load that goes along a motion that escapes, whatever the signs of bilateral forces.  eq (clo.3)
static const char *load_fault(const coulomb *p, const coulomb_units *u, const dls_verdict *v,
                              const double *load)
{
  static const double none[COULOMB_N + COULOMB_S];
  for (int signs = 0; signs < 1 << p->m_b; signs++) {
    int sign[COULOMB_M], leaf = 0;
    for (int i = 0; i < p->m_b; i++) sign[i] = signs >> i & 1 ? -1 : 1;
    for (; leaf < v->leaves; leaf++) {
      bool fits = true;
      for (int i = 0; i < p->m_b && fits; i++) {
        const int mode = v->leaf[leaf].mode[i];
        fits = mode == 0 || (mode & DLS_MODE_PULLING ? sign[i] < 0 : sign[i] > 0);
      }
      if (fits) break;
    }
    if (leaf == v->leaves) return "signs are missing";
    const double *d = v->leaf[leaf].direction;
    real power = 0, terms = 0;
    for (int i = 0; i < p->n; i++)
      power += (real)load[i] * d[i], terms += fabsl((real)load[i] * d[i]);
    if (!(power > SMALL * terms)) return "the load does not go along";
    const point x = plain_point(p, u, d, none, none, NULL);
    const char *fault = escape_fault(p, &x, true, sign);
    if (fault) return fault;
  }
  return NULL;
}

static const char *sticking_fault(const coulomb *p, const point *x, bool friction)
{
  real size = 0;
  for (int i = 0; i < contacts(p); i++) size = fmaxl(size, fabsl(x->lambda[i]));
  for (int o = 0; o < p->objects; o++) {
    real sum = 0, terms = 0;
    for (int i = 0; i < contacts(p); i++) {
      const real force = p->G[p->object[o] + p->n * i] * x->lambda[i];
      sum += force, terms += fabsl(force);
      for (int k = p->first[i]; friction && k < p->first[i + 1]; k++)
        sum += p->H[p->object[o] + p->n * k] * x->tau[k];
    }
    if (!(fabsl(sum) <= SMALL * fmaxl(size, terms))) return "the forces do not cancel";
  }
  for (int i = 0; i < contacts(p); i++) {
    real t = 0;
    if (!touches_object(p, i, friction)) continue;
    for (int k = p->first[i]; friction && k < p->first[i + 1]; k++) t = hypotl(t, x->tau[k]);
    // without friction bilateral contacts have forces of either sign
    const bool free = i < p->m_b && t == 0;
    const bool inside_cone = free || (rough(p, i) ? t < p->mu[i] * fabsl(x->lambda[i]) : t == 0);
    if (friction && !inside_cone) return "not inside the cone";
    if (i >= p->m_b && !(x->lambda[i] > 0)) return "a force is not positive";
  }
  return NULL;
}

const char *coulomb_closure_fault(const coulomb *p, const coulomb_units *u, const dls_verdict *v,
                                  dls_question question)
{
  static const double none[COULOMB_N + COULOMB_S];
  const bool friction = question == DLS_FORCE_CLOSURE;
  if (v->answer != DLS_YES && v->answer != DLS_NO) return NULL;
  if (v->answer == DLS_NO) {
    const double *load = friction ? part_values(v, "load") : NULL;
    if (load) return load_fault(p, u, v, load);
    const double *d = part_values(v, "direction");
    if (!d) return "no direction";
    const point x = plain_point(p, u, d, none, none, NULL);
    return escape_fault(p, &x, friction, NULL);
  }
  const double *b = part_values(v, "lambda_b"), *f = part_values(v, "lambda_u");
  const double *tau = part_values(v, "tau");
  if ((p->m_b && !b) || (p->m_u && !f) || (friction && p->tangents && !tau))
    return "a part is missing";
  const point x = plain_point(p, u, none, b, f, friction ? tau : NULL);
  return sticking_fault(p, &x, friction);
}
