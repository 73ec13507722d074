#include "coulomb_oracle.h"
#include "rational.h"
#include <assert.h>
#include <math.h>
#include <string.h>

// ---- the polyhedron of a combination of modes; unknowns z, lambda, tau

typedef struct space {
  const coulomb *p;
  int n, m, size;
  linear s;
} space;

static void put(fmpq *row, int j, double x)
{
  rational_set(row + j, x);
}

static void balance(space *k)
{
  const coulomb *p = k->p;
  for (int i = 0; i < p->n; i++) {
    fmpq *row = linear_add(&k->s, true);
    for (int j = 0; j < p->n; j++) put(row, j, p->M[i + p->n * j]);
    for (int j = 0; j < k->m; j++) put(row, p->n + j, -p->G[i + p->n * j]);
    for (int j = 0; j < p->tangents; j++) put(row, p->n + k->m + j, -p->H[i + p->n * j]);
    put(row, k->size, p->F[i]);
  }
}

static space space_create(const coulomb *p)
{
  const int m = p->m_b + p->m_u;
  space k = {.p = p, .n = p->n, .m = m, .size = p->n + m + p->tangents};
  linear_init(&k.s, k.size);
  balance(&k);
  return k;
}

// sign * (normal acceleration of contact i), = 0 or >= 0; slip acceleration of k likewise.
static void normal_row(space *k, int i, bool equation)
{
  fmpq *row = linear_add(&k->s, equation);
  for (int j = 0; j < k->n; j++) put(row, j, k->p->G[j + k->n * i]);
  put(row, k->size, k->p->b[i]);
}

static void slip_row(space *k, int slip, double sign, bool equation)
{
  fmpq *row = linear_add(&k->s, equation);
  for (int j = 0; j < k->n; j++) put(row, j, sign * k->p->H[j + k->n * slip]);
  put(row, k->size, sign * k->p->b_t[slip]);
}

// lambda_factor lambda_i + tau_factor tau_slip, = 0 or >= 0. slip -1: lambda alone.
static void force_row(space *k, int i, double lambda_factor, int slip, double tau_factor,
                      bool equation)
{
  fmpq *row = linear_add(&k->s, equation);
  put(row, k->n + i, lambda_factor);
  if (slip >= 0) put(row, k->n + k->m + slip, tau_factor);
}

int coulomb_modes(const coulomb *p, int i, unsigned char *mode)
{
  const bool bilateral = i<p->m_b, rough = p->first[i + 1]> p->first[i] && p->mu[i] > 0;
  const int kinds = !rough || p->sliding[i] ? 1 : 3;
  const int kind[] = {!rough          ? DLS_MODE_CLOSED
                      : p->sliding[i] ? DLS_MODE_SLIDE
                                      : DLS_MODE_STICK,
                      DLS_MODE_SLIDE_PLUS, DLS_MODE_SLIDE_MINUS};
  int count = 0;
  if (!bilateral) mode[count++] = DLS_MODE_DETACH;
  for (int k = 0; k < kinds; k++) {
    mode[count++] = (unsigned char)kind[k];
    if (bilateral && rough) mode[count++] = (unsigned char)(kind[k] | DLS_MODE_PULLING);
  }
  return count;
}

// The rows of contact i in a mode.
static void mode_rows(space *k, int i, int mode)
{
  const coulomb *p = k->p;
  const int slip = p->first[i + 1] > p->first[i] ? p->first[i] : -1;
  const double side = mode & DLS_MODE_PULLING ? -1 : 1, mu = p->mu[i];
  const int kind = mode & ~DLS_MODE_PULLING;
  if (kind == DLS_MODE_DETACH || kind == DLS_MODE_CLOSED) {
    if (slip >= 0) force_row(k, i, 0, slip, 1, true);
    normal_row(k, i, kind == DLS_MODE_CLOSED);
    if (kind == DLS_MODE_DETACH) force_row(k, i, 1, -1, 0, true);
    else if (i >= p->m_b) force_row(k, i, 1, -1, 0, false);
    return;
  }
  assert(slip >= 0);
  normal_row(k, i, true);
  force_row(k, i, side, -1, 0, false);
  const double way = kind == DLS_MODE_SLIDE ? p->xi[slip] : kind == DLS_MODE_SLIDE_PLUS ? 1 : -1;
  if (kind == DLS_MODE_STICK) {
    slip_row(k, slip, 1, true);
    force_row(k, i, side * mu, slip, 1, false);
    force_row(k, i, side * mu, slip, -1, false);
  } else {
    if (kind != DLS_MODE_SLIDE) slip_row(k, slip, way, false);
    force_row(k, i, side * mu * way, slip, 1, true);
  }
}

static void polyhedron_rows(space *k, const unsigned char *mode)
{
  for (int i = 0; i < k->m; i++) mode_rows(k, i, mode[i]);
}

// ---- all of them

typedef struct search {
  space *k;
  coulomb_oracle *oracle;
  fmpq_mat_t x;  // a point of each polyhedron found
  bool z_moves[ORACLE_POLYHEDRA], force_moves[ORACLE_POLYHEDRA];
} search;

static bool some_move(const space *k, const fmpq *x, int from, int to)
{
  for (int j = from; j < to; j++)
    if (linear_moves(&k->s, x, j)) return true;
  return false;
}

static void visit(search *a, int contact, unsigned char *mode)
{
  space *k = a->k;
  coulomb_oracle *t = a->oracle;
  if (contact == k->m) {
    int freedom = 0;
    fmpq *x = a->x->rows[t->polyhedra];
    if (!linear_feasible(&k->s, x, &freedom)) return;
    a->z_moves[t->polyhedra] = freedom && some_move(k, x, 0, k->n);
    a->force_moves[t->polyhedra] = freedom && some_move(k, x, k->n, k->size);
    memcpy(t->mode[t->polyhedra], mode, (size_t)k->m);
    t->component[t->polyhedra] = t->polyhedra;
    t->polyhedra++;
    return;
  }
  unsigned char option[6];
  const int options = coulomb_modes(k->p, contact, option), rows = k->s.rows;
  for (int o = 0; o < options; o++) {
    mode[contact] = option[o];
    mode_rows(k, contact, option[o]);
    visit(a, contact + 1, mode);
    linear_cut(&k->s, rows);
  }
}

static bool touches(space *k, const coulomb_oracle *t, int a, int b, const fmpq *x_a)
{
  const int rows = k->s.rows;
  polyhedron_rows(k, t->mode[b]);
  bool yes = linear_holds(&k->s, x_a);
  if (!yes) {
    polyhedron_rows(k, t->mode[a]);
    yes = linear_feasible(&k->s, NULL, NULL);
  }
  linear_cut(&k->s, rows);
  return yes;
}

// Polyhedra that share a point are one component; components get the numbers 0, 1, ...
static void connect(search *a)
{
  coulomb_oracle *t = a->oracle;
  for (int i = 0; i < t->polyhedra; i++)
    for (int j = 0; j < i; j++) {
      if (t->component[i] == t->component[j]) continue;
      if (!touches(a->k, t, i, j, a->x->rows[i])) continue;
      const int old = t->component[i], new = t->component[j];
      for (int l = 0; l <= i; l++)
        if (t->component[l] == old) t->component[l] = new;
    }
  int number[ORACLE_POLYHEDRA];
  t->count = 0;
  for (int i = 0; i < t->polyhedra; i++) number[i] = -1;
  for (int i = 0; i < t->polyhedra; i++) {
    const int c = t->component[i];
    if (number[c] < 0) number[c] = t->count++;
    t->component[i] = number[c];
    assert(t->count <= ORACLE_COMPONENTS);
    dls_continuum *kind = &t->continuum[number[c]];
    if (a->z_moves[i]) *kind = DLS_CONTINUUM_ACCELERATION;
    else if (a->force_moves[i] && *kind == DLS_CONTINUUM_NONE) *kind = DLS_CONTINUUM_FORCES;
  }
}

static bool all_equal(const search *a, int from, int to)
{
  for (int i = 1; i < a->oracle->polyhedra; i++)
    for (int j = from; j < to; j++)
      if (!fmpq_equal(a->x->rows[0] + j, a->x->rows[i] + j)) return false;
  return true;
}

void coulomb_oracle_solutions(const coulomb *p, coulomb_oracle *t)
{
  static search a;
  space k = space_create(p);
  unsigned char mode[COULOMB_M];
  a = (search){.k = &k, .oracle = t};
  memset(t->continuum, 0, sizeof t->continuum);
  t->polyhedra = 0;
  int polyhedra = 1;
  for (int i = 0; i < k.m; i++) polyhedra *= coulomb_modes(p, i, (unsigned char[6]){0});
  assert(polyhedra <= ORACLE_POLYHEDRA);
  fmpq_mat_init(a.x, polyhedra, k.size);
  visit(&a, 0, mode);
  connect(&a);
  bool z_one = t->polyhedra > 0 && all_equal(&a, 0, k.n);
  bool force_one = t->polyhedra > 0 && all_equal(&a, k.n, k.size);
  for (int i = 0; i < t->polyhedra; i++) {
    z_one = z_one && !a.z_moves[i];
    force_one = force_one && !a.force_moves[i];
  }
  t->answer[DLS_ACCELERATION_EXISTS] = t->polyhedra ? DLS_YES : DLS_NO;
  t->answer[DLS_ACCELERATION_UNIQUE] = z_one ? DLS_YES : DLS_NO;
  t->answer[DLS_FORCES_UNIQUE] = force_one ? DLS_YES : DLS_NO;
  fmpq_mat_clear(a.x);
  linear_clear(&k.s);
}

// ---- where a given solution lies

int coulomb_oracle_place(const coulomb *p, const coulomb_oracle *t, const double *z,
                         const double *lambda, const double *tau, double reach)
{
  space k = space_create(p);
  int found = -1;
  double size = 1;
  for (int j = 0; j < k.size; j++) {
    const double x = j < k.n ? z[j] : j < k.n + k.m ? lambda[j - k.n] : tau[j - k.n - k.m];
    size = fmax(size, fabs(x));
  }
  for (int j = 0; j < k.size; j++) {
    const double x = j < k.n ? z[j] : j < k.n + k.m ? lambda[j - k.n] : tau[j - k.n - k.m];
    for (int side = -1; side <= 1; side += 2) {
      fmpq *row = linear_add(&k.s, false);
      put(row, j, side);
      put(row, k.size, reach * size - side * x);
    }
  }
  const int rows = k.s.rows;
  for (int i = 0; i < t->polyhedra && found < 0; i++) {
    polyhedron_rows(&k, t->mode[i]);
    if (linear_feasible(&k.s, NULL, NULL)) found = t->component[i];
    linear_cut(&k.s, rows);
  }
  linear_clear(&k.s);
  return found;
}

bool coulomb_oracle_reaches(const coulomb *p, const coulomb_oracle *t, int component, int f,
                            int side, double bound)
{
  space k = space_create(p);
  fmpq *row = linear_add(&k.s, false);
  put(row, k.n + f, side);
  put(row, k.size, -side * bound);
  const int rows = k.s.rows;
  bool yes = false;
  for (int i = 0; i < t->polyhedra && !yes; i++) {
    if (t->component[i] != component) continue;
    polyhedron_rows(&k, t->mode[i]);
    yes = linear_feasible(&k.s, NULL, NULL);
    linear_cut(&k.s, rows);
  }
  linear_clear(&k.s);
  return yes;
}

bool coulomb_oracle_point(const coulomb *p, const unsigned char *mode)
{
  space k = space_create(p);
  int freedom = 0, kept = 0;
  polyhedron_rows(&k, mode);
  for (int i = 0; i < k.s.rows; i++) {
    if (!k.s.equation[i]) continue;
    for (int j = 0; j <= k.size; j++) fmpq_set(k.s.a->rows[kept] + j, k.s.a->rows[i] + j);
    k.s.equation[kept++] = true;
  }
  linear_cut(&k.s, kept);
  // a nonsingular matrix: one solution, and not by luck of the right-hand side
  const bool yes = kept == k.size && linear_feasible(&k.s, NULL, &freedom) && freedom == 0;
  linear_clear(&k.s);
  return yes;
}

// ---- the questions that need no solution

// All closed and none slipping: a_n = 0, a_t = 0 where it sticks, forces in the cones, for some
// signs of the bilateral forces.
static bool all_stick(const coulomb *p)
{
  space k = space_create(p);
  bool yes = false;
  const int rows = k.s.rows;
  for (int signs = 0; signs < 1 << p->m_b && !yes; signs++) {
    for (int i = 0; i < k.m; i++) {
      const int pulling = i < p->m_b && signs >> i & 1 ? DLS_MODE_PULLING : 0;
      const bool tangents = p->first[i + 1] > p->first[i];
      if (!tangents) mode_rows(&k, i, DLS_MODE_CLOSED);
      else mode_rows(&k, i, (p->sliding[i] ? DLS_MODE_SLIDE : DLS_MODE_STICK) | pulling);
    }
    yes = linear_feasible(&k.s, NULL, NULL);
    linear_cut(&k.s, rows);
  }
  linear_clear(&k.s);
  return yes;
}

// The sign of the determinant of z and lambda's equations, with one sign per bilateral contact that
// slides and each unilateral one open or closed.
static int piece_sign(const coulomb *p, int choice)
{
  const int n = p->n, m = p->m_b + p->m_u;
  fmpq_mat_t K;
  fmpq_t det, mu, h;
  fmpq_mat_init(K, n + m, n + m);
  fmpq_init(det), fmpq_init(mu), fmpq_init(h);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) rational_set(fmpq_mat_entry(K, i, j), p->M[i + n * j]);
  for (int c = 0; c < m; c++) {
    const bool chosen = choice >> c & 1, tangents = p->first[c + 1] > p->first[c];
    for (int j = 0; j < n; j++) rational_set(fmpq_mat_entry(K, n + c, j), p->G[j + n * c]);
    if (c >= p->m_b && chosen) {
      fmpq_one(fmpq_mat_entry(K, n + c, n + c));
      continue;
    }
    const double s = (c < p->m_b && chosen ? -1 : 1) * (tangents ? p->xi[p->first[c]] : 0);
    rational_set(mu, s * p->mu[c]);
    for (int j = 0; j < n; j++) {
      fmpq *entry = fmpq_mat_entry(K, j, n + c);
      rational_set(entry, -p->G[j + n * c]);
      if (s == 0) continue;
      rational_set(h, p->H[j + n * p->first[c]]);
      fmpq_addmul(entry, mu, h);
    }
  }
  fmpq_mat_det(det, K);
  const int sign = fmpq_sgn(det);
  fmpq_mat_clear(K);
  fmpq_clear(det), fmpq_clear(mu), fmpq_clear(h);
  return sign;
}

static dls_answer every_load(const coulomb *p)
{
  const int m = p->m_b + p->m_u;
  bool friction = false;
  for (int c = 0; c < m; c++) {
    if (p->mu[c] == 0) continue;
    friction = true;
    if (!p->sliding[c]) return DLS_NOT_ASKED;
  }
  if (!friction) return DLS_NOT_ASKED;
  const int first = piece_sign(p, 0);
  for (int choice = 0; choice < 1 << m; choice++)
    if (first == 0 || piece_sign(p, choice) != first) return DLS_NO;
  return DLS_YES;
}

// ---- closure: no d != 0 that all wrenches of the contacts let pass

static void object_row(linear *s, const coulomb *p, int contact, double side, double tangent,
                       bool equation)
{
  fmpq *row = linear_add(s, equation);
  fmpq_t mu, h;
  fmpq_init(mu), fmpq_init(h);
  rational_set(mu, side * tangent * p->mu[contact]);
  for (int i = 0; i < p->objects; i++) {
    const int j = p->object[i];
    rational_set(row + i, side * p->G[j + p->n * contact]);
    if (tangent == 0) continue;
    rational_set(h, p->H[j + p->n * p->first[contact]]);
    fmpq_addmul(row + i, mu, h);
  }
  fmpq_clear(mu), fmpq_clear(h);
}

static bool only_zero(const linear *s)
{
  fmpq *zero = _fmpq_vec_init(s->n);
  bool yes = true;
  for (int j = 0; j < s->n && yes; j++) yes = !linear_moves(s, zero, j);
  _fmpq_vec_clear(zero, s->n);
  return yes;
}

// choice: one of three for each bilateral contact with friction: its force has one sign, the other,
// or either and no friction. Others hold both ways.
static bool closure(const coulomb *p, bool friction, int choice)
{
  linear s;
  linear_init(&s, p->objects);
  for (int c = 0; c < p->m_b + p->m_u; c++) {
    const bool bilateral = c < p->m_b;
    const int side = bilateral ? 1 - choice % 3 : 1;
    const bool rough = friction && p->first[c + 1] > p->first[c] && p->mu[c] > 0 && side != 0;
    if (bilateral) choice /= 3;
    if (!rough) object_row(&s, p, c, 1, 0, bilateral);
    for (int edge = -1; rough && edge <= 1; edge += 2) object_row(&s, p, c, side, edge, false);
  }
  const bool yes = only_zero(&s);
  linear_clear(&s);
  return yes;
}

void coulomb_oracle_others(const coulomb *p, coulomb_oracle *t)
{
  t->answer[DLS_CAN_ALL_STICK] = all_stick(p) ? DLS_YES : DLS_NO;
  t->answer[DLS_UNIQUE_FOR_EVERY_LOAD] = every_load(p);
  if (p->objects == 0) return;
  t->answer[DLS_FORM_CLOSURE] = closure(p, false, 0) ? DLS_YES : DLS_NO;
  // cones that hold all loads only together would be a yes, too: the witness of a no would fail
  bool yes = false;
  int choices = 1;
  for (int i = 0; i < p->m_b; i++) choices *= 3;
  for (int choice = 0; choice < choices && !yes; choice++) yes = closure(p, true, choice);
  t->answer[DLS_FORCE_CLOSURE] = yes ? DLS_YES : DLS_NO;
}
