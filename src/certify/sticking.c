#include "certify/sticking.h"

#include "base/larger.h"
#include "base/memory.h"
#include "certify/sticking_internal.h"
#include "certify/tolerances.h"
#include "certify/witness.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int dls_stick_mode(const dls_stick *s, int j)
{
  const dls_polyhedra *c = s->polyhedra;
  const bool slides = c->touch[j] == DLS_TOUCH_SLIDING;
  const int kind = s->held[j] ? DLS_MODE_STICK : slides ? DLS_MODE_SLIDE : DLS_MODE_CLOSED;
  const bool signs = dls_polyhedra_bilateral(c, j) && c->touch[j] != DLS_TOUCH_FRICTIONLESS;
  return kind | (signs ? DLS_MODE_EITHER : 0);
}

// --- the check -----------------------------------------------------------------------------------

static double relative(double error, double size)
{
  return error == 0 ? 0 : error / size;
}

// sum -= x column, terms += |x column|; memory is read in order, and not at all for x = 0
static void add_column(int n, const double *column, double x, long double *sum, long double *terms)
{
  if (x == 0) return;
  for (int i = 0; i < n; i++) {
    const long double term = (long double)column[i] * x;
    sum[i] += term, terms[i] += fabsl(term);
  }
}

// |M z + F - G lambda - H tau|; the sizes of forces and of what accelerates
static double balance_error(const dls_stick *s, const dls_point *p, double *f_size)
{
  const dls_polyhedra *c = s->polyhedra;
  const ptrdiff_t n = c->n;
  long double *sum = s->sums, *terms = sum + n, *forces = terms + n;
  double error = 0, contact = 0;
  for (ptrdiff_t i = 0; i < n; i++) sum[i] = c->F[i], terms[i] = fabs(c->F[i]), forces[i] = 0;
  for (ptrdiff_t j = 0; j < n; j++) add_column(c->n, c->M + n * j, p->z[j], sum, terms);
  for (ptrdiff_t j = 0; j < c->m; j++) add_column(c->n, c->G + n * j, -p->lambda[j], sum, forces);
  for (ptrdiff_t k = 0; k < c->tangents; k++)
    add_column(c->n, c->H + n * k, -p->tau[k], sum, forces);
  for (ptrdiff_t i = 0; i < n; i++) {
    error = dls_larger(error, fabs((double)sum[i]));
    *f_size = dls_larger(*f_size, (double)terms[i]);
    contact = dls_larger(contact, (double)forces[i]);
    dls_coulomb_size_raise(&c->units, c->n, (int)i, fabs(p->z[i]));
    if (c->M[i * (n + 1)] > 0) dls_coulomb_size_raise(&c->units, c->n, (int)i, (double)terms[i]);
  }
  if (*f_size == 0) *f_size = contact;
  return relative(error, *f_size);
}

static double acceleration_error(const dls_polyhedra *c, int contact, const double *column,
                                 double b, const double *z)
{
  long double sum = b, terms = fabs(b);
  for (int i = 0; i < c->n; i++) {
    const long double x = (long double)column[i] * z[i];
    sum += x, terms += fabsl(x);
  }
  const double size = dls_coulomb_size_at(&c->units, c->n, contact, (double)terms);
  return relative(fabs((double)sum), size);
}

// How far the force of a contact is outside of what its law allows; *room: how far inside.
static double force_error(const dls_stick *s, const unsigned char *mode, int j, const dls_point *p,
                          double *slack)
{
  const dls_polyhedra *c = s->polyhedra;
  const bool bilateral = dls_polyhedra_bilateral(c, j), told = mode && bilateral;
  const bool slides = !s->held[j] && c->touch[j] == DLS_TOUCH_SLIDING;
  const double mu = c->mu_s[j], unit = fmax(1, mu);
  const double sign = told && (mode[j] & DLS_MODE_PULLING) ? -1 : 1;
  const double lambda = bilateral && !told ? fabs(p->lambda[j]) : sign * p->lambda[j];
  const bool any_sign = bilateral && (s->unlimited || c->touch[j] == DLS_TOUCH_FRICTIONLESS);
  double tau = 0, error = 0, inside = any_sign ? INFINITY : lambda;
  for (int k = c->first[j]; k < c->first[j + 1]; k++) {
    tau = hypot(tau, p->tau[k]);
    if (slides) error = dls_larger(error, fabs(p->tau[k] + mu * lambda * c->xi[k]) / unit);
  }
  if (s->held[j] && !s->unlimited && mu > 0) inside = fmin((mu * lambda - tau) / unit, inside);
  else if (!slides && !(s->held[j] && s->unlimited)) error = tau;
  *slack = fmin(*slack, inside);
  return inside >= 0 ? error : dls_larger(error, -inside);
}

double dls_stick_fault(const dls_stick *s, const unsigned char *mode, const dls_point *p,
                       double *slack, int *worst)
{
  const dls_polyhedra *c = s->polyhedra;
  const ptrdiff_t n = c->n;
  double f_size = 0, f_error = 0, inside = INFINITY;
  dls_coulomb_size_reset(&c->units, c->n);
  double fault = balance_error(s, p, &f_size);
  for (int j = 0; j < c->m; j++) {
    fault = dls_larger(fault, acceleration_error(c, j, c->G + n * j, c->b[j], p->z));
    for (int k = c->first[j]; k < c->first[j + 1] && s->held[j]; k++)
      fault = dls_larger(fault, acceleration_error(c, j, c->H + n * k, c->b_t[k], p->z));
  }
  if (worst) *worst = -1;
  for (int j = 0; j < c->m; j++) {
    f_size = dls_larger(f_size, fabs(p->lambda[j]));
    if (mode && (mode[j] & DLS_MODE_EITHER)) continue;
    const double error = force_error(s, mode, j, p, &inside);
    if (worst && error > f_error) *worst = j;
    f_error = dls_larger(f_error, error);
  }
  f_size = dls_larger(f_size, dls_norm_max(c->tangents, p->tau));
  if (slack) *slack = inside / (c->load > 0 ? c->load : 1);
  return dls_larger(fault, relative(f_error, f_size));
}

dls_status dls_stick_prove(dls_stick *s, const unsigned char *mode, double *margin)
{
  const dls_polyhedra *c = s->polyhedra;
  *margin = dls_proof_check(c, mode, &s->proof);
  // forces that are many times the load could make up for what the proof leaves open
  const double most = s->keep_leaves && !s->nearby ? far_solutions : far_next_to_least;
  if (!s->exactly && *margin < most * dls_proof_worst(c, mode, &s->proof)) *margin = 0;
  for (int j = 0; j < c->m && s->unlimited; j++)  // for every coefficient
    for (int k = c->first[j]; k < c->first[j + 1] && s->held[j]; k++)
      if (!(fabs(dls_dot(c->n, c->H + (ptrdiff_t)c->n * k, s->proof.d)) <= c->margin)) *margin = 0;
  s->margin = *margin;
  if (!(*margin > s->least_margin) || !s->keep_leaves) return DLS_OK;
  if (dls_grow((void **)&s->leaf, &s->capacity, s->leaves + 1, sizeof *s->leaf))
    return DLS_ERR_MEMORY;
  unsigned char *told = dls_alloc(c->m, 1);
  if (!told) return DLS_ERR_MEMORY;
  for (int j = 0; j < c->m; j++) {  // without friction the sign never mattered: say so
    const bool free_sign = s->held[j] && dls_polyhedra_bilateral(c, j) && c->mu_s[j] == 0;
    told[j] = (unsigned char)(mode[j] | (free_sign ? DLS_MODE_EITHER : 0));
  }
  const dls_status status = dls_proof_leaf(
      c, told, &s->proof, s->exactly || s->nearby ? 0 : c->x->basic.noise, &s->leaf[s->leaves++]);
  free(told);
  return status;
}

// --- the question -------------------------------------------------------------------------------

static const char *const shows_yes =
    "M acceleration + F = G_b lambda_b + G_u lambda_u + H tau, every contact stays closed, those "
    "that do not slide have no slip acceleration, lambda_u >= 0 and |tau_i| <= mu_i |lambda_i|";
static const char *const shows_no =
    "every leaf has d = direction, alpha, sigma with M d + G alpha + H sigma = 0 and alpha^T b + "
    "sigma^T b_t + d^T F < 0, although stick makes lambda g^T d + tau h^T d >= 0 for each contact";

// Blocks of the mass matrix that nothing couples are looked at one by one.
static dls_status find_definite(dls_stick *s)
{
  const dls_polyhedra *c = s->polyhedra;
  const ptrdiff_t n = c->n;
  int *block = dls_alloc(2 * n, sizeof *block), *member = block + n;
  double *A = NULL;
  dls_status status = block ? DLS_OK : DLS_ERR_MEMORY;
  s->definite = true;
  for (ptrdiff_t root = 0; root < n && status == DLS_OK && s->definite; root++) {
    if (block[root]) continue;
    ptrdiff_t count = 0;
    member[count++] = (int)root, block[root] = 1;
    for (ptrdiff_t at = 0; at < count; at++)
      for (ptrdiff_t i = 0; i < n; i++)
        if (!block[i] && c->M[i + n * member[at]] != 0) block[i] = 1, member[count++] = (int)i;
    A = dls_alloc(2 * count * count, sizeof *A);
    if (!A) status = DLS_ERR_MEMORY;
    for (ptrdiff_t j = 0; A && j < count; j++)
      for (ptrdiff_t i = 0; i < count; i++) A[i + count * j] = c->M[member[i] + n * member[j]];
    if (A) status = dls_cholesky((int)count, A, A + count * count, &s->definite);
    for (ptrdiff_t i = 0; i < count && A && s->definite; i++) {
      const double pivot = A[count * count + i * (count + 1)];
      s->definite = pivot * pivot > c->tolerance;
    }
    free(A);
  }
  free(block);
  return status;
}

static dls_status create(dls_context *x, dls_stick *s)
{
  dls_polyhedra *c = NULL;
  *s = (dls_stick){.keep_leaves = true};
  dls_status status = dls_polyhedra_create(x, &c);
  s->polyhedra = c;
  if (status != DLS_OK) return status;
  bool *held = dls_arena_alloc(x->work, c->m, sizeof *held);
  int *slip_row = dls_arena_alloc(x->work, c->tangents, sizeof *slip_row);
  status = dls_point_create(x, c, &s->point);
  if (status == DLS_OK) status = dls_point_create(x, c, &s->user);
  if (status == DLS_OK) status = dls_proof_create(x, c, &s->proof);
  s->sums = dls_arena_alloc(x->work, 3 * (ptrdiff_t)c->n, sizeof *s->sums);
  if (!held || !slip_row || !s->sums || status != DLS_OK) return DLS_ERR_MEMORY;
  for (int j = 0; j < c->m; j++) {
    held[j] = dls_polyhedra_tangents(c, j) > 0 && !c->given->friction->sliding[j];
    for (int k = c->first[j]; k < c->first[j + 1]; k++)
      slip_row[k] = held[j] ? s->held_tangents++ : -1;
  }
  s->held = held, s->slip_row = slip_row;
  s->least_margin = c->tolerance;
  // what moves under a contact that has to stick counts, with friction or without
  for (int k = 0; k < c->tangents; k++)
    if (slip_row[k] >= 0) c->load = fmax(c->load, fabs(c->b_t[k]));
  return DLS_OK;
}

static bool arises(const dls_problem *p)
{
  const dls_friction *f = p->friction;
  for (int j = 0; f && j < p->m_b + p->m_u; j++)
    if (f->first[j + 1] > f->first[j] && !f->sliding[j]) return true;
  return false;
}

static void append(char *text, size_t size, const char *more)
{
  const size_t length = strlen(text);
  if (length + 1 < size) snprintf(text + length, size - length, "%s", more);
}

// Why not, in words: contacts that open whatever the friction, and what the extra force is least
// in.
static dls_status reason(dls_stick *s, bool force, const char **by)
{
  const dls_polyhedra *c = s->polyhedra;
  int *contact = dls_alloc(c->m, sizeof *contact), count = 0;
  char text[400] = "no forces within the cones keep all contacts (STK (61), (65), theory §12)",
       number[48];
  if (!contact) return DLS_ERR_MEMORY;
  const dls_status status = s->explain ? dls_stick_opening(s, contact, &count) : DLS_OK;
  if (count)
    append(text, sizeof text,
           "; without slip, whatever the friction, these detach (STK (43), theory §12): ");
  for (int k = 0; k < count && k < 6; k++) {
    const int u = contact[k] - c->m_b;
    snprintf(number, sizeof number, "unilateral contact %d", u + 1);
    append(text, sizeof text, k ? ", " : "");
    append(text, sizeof text, c->given->unilateral ? c->given->unilateral[u] : number);
  }
  if (count > 6) append(text, sizeof text, ", ...");
  if (force)
    append(text, sizeof text,
           s->definite ? "; extra force least in the kinetic metric"
                       : "; extra force least in the Euclidean metric");
  free(contact);
  *by = dls_arena_copy(c->x->arena, text, strlen(text));
  return *by ? status : DLS_ERR_MEMORY;
}

static dls_status answer_no(dls_stick *s, double margin)
{
  dls_context *x = s->polyhedra->x;
  const char *by = NULL;
  bool found = false;
  double size = NAN;
  dls_leaf *leaf = dls_arena_alloc(x->arena, s->leaves, sizeof *leaf);
  double *force = dls_context_keep(x, s->polyhedra->n);
  if (!leaf || !force) return DLS_ERR_MEMORY;
  dls_copy(leaf, s->leaf, s->leaves);
  dls_status status = find_definite(s);
  if (status == DLS_OK && s->explain) status = dls_stick_extra_force(s, force, &size, &found);
  if (found) x->check->extra_force = force, x->check->extra_force_size = size;
  if (status == DLS_OK) status = reason(s, found, &by);
  if (status != DLS_OK) return status;
  dls_verdict *v = dls_verdict_set(x, DLS_CAN_ALL_STICK, DLS_NO, margin, by, shows_no);
  v->leaf = leaf, v->leaves = (int)s->leaves;
  return DLS_OK;
}

// What rounding of the forces of stick->point leaves of the balance, in loads.        eq (chk.3)
static double unbalanced(const dls_stick *s)
{
  double size = 0;
  dls_coulomb_size_reset(&s->polyhedra->units, s->polyhedra->n);
  const double error = balance_error(s, &s->point, &size) * size;
  return error / (s->polyhedra->load > 0 ? s->polyhedra->load : 1);
}

double dls_stick_size(const dls_stick *s)
{
  const dls_polyhedra *c = s->polyhedra;
  const double most =
      fmax(dls_norm_max(c->m, s->point.lambda), dls_norm_max(c->tangents, s->point.tau));
  return fmax(1, most / (c->load > 0 ? c->load : 1));
}

// What rounding leaves of a point that exists without it errs more, relative to the load, when its
// forces are larger; but in units of so many loads it must hold to the tolerance, or nobody can
// check it.
bool dls_stick_exact_holds(const dls_stick *s, double fault)
{
  const dls_polyhedra *c = s->polyhedra;
  const double size = dls_stick_size(s);
  return fault <= fmin(exact_violation * c->tolerance, c->margin * size) &&
         fault * size <= doubtful_forces * c->tolerance && unbalanced(s) <= open_balance;
}

// Does the point pass the check? One that is known with rounding only may be none when its forces
// are much larger than the load.
static bool holds(dls_stick *s, bool exact)
{
  const dls_polyhedra *c = s->polyhedra;
  const double error = dls_point_residual(c, &s->point, &s->user), size = dls_stick_size(s);
  if (exact) return dls_stick_exact_holds(s, error);
  return error <= c->margin && error * size <= c->tolerance &&
         !(s->doubtful && size > doubtful_forces);
}

static dls_status answer(dls_stick *s, const dls_stick_forces *f)
{
  dls_context *x = s->polyhedra->x;
  dls_stick_outcome outcome = DLS_STICK_AMBIGUOUS;
  dls_status status = s->exact ? dls_stick_exact_answer(s, &outcome) : DLS_OK;
  const bool exact = outcome != DLS_STICK_AMBIGUOUS;
  if (status == DLS_OK && !exact)
    status = f->known ? dls_stick_direct(s, f, &outcome) : dls_stick_search(s, &outcome);
  bool objects = false;
  if (status == DLS_OK && outcome != DLS_STICK_AMBIGUOUS)
    status = dls_stick_exact_objects(s, outcome, &objects);
  if (status != DLS_OK) return status;
  if (outcome == DLS_STICK_NO && s->margin > s->least_margin && !s->doubtful && !objects)
    return answer_no(s, s->margin);
  const bool good = outcome == DLS_STICK_YES && holds(s, exact) && !objects;
  if (!good) {
    dls_verdict_set(x, DLS_CAN_ALL_STICK, DLS_UNDECIDED, NAN,
                    "the forces lie so close to the cones' boundary, or the constraints are so "
                    "nearly dependent, that neither answer can be checked",
                    NULL);
    return DLS_OK;
  }
  dls_verdict *v =
      dls_verdict_set(x, DLS_CAN_ALL_STICK, DLS_YES, s->margin,
                      f->known == DLS_FORCES_POINT
                          ? "the only forces lie within the cones (STK (61), (65), theory §12)"
                          : "forces within the cones found (STK (61), (65), theory §12)",
                      shows_yes);
  dls_witness_point(s->polyhedra, v, &s->point, false);
  return DLS_OK;
}

// One coefficient for all contacts says nothing of friction with a given bound. False: it is not
// looked for.
static bool note_weights(dls_context *x, bool asked, const dls_limit *unknown)
{
  const dls_problem *p = &x->given;
  bool coulomb = false;
  for (int j = 0; j < p->m_b + p->m_u - x->weights; j++)
    coulomb |= p->friction->first[j + 1] > p->friction->first[j];
  if (!asked || !coulomb) return false;
  x->check->limit[DLS_LIMIT_LEAST] = *unknown;
  x->check->limit[DLS_LIMIT_LEAST].by =
      "other contacts have friction with a given bound: not looked for (dry.4)";
  return false;
}

dls_status dls_certify_sticking(dls_context *x)
{
  const unsigned ask = x->options->ask;
  const bool question = ask == 0 || (ask & DLS_ASK(DLS_CAN_ALL_STICK));
  bool limit = ask == 0 || (ask & DLS_ASK_LIMIT(DLS_LIMIT_LEAST));
  if (!arises(&x->given) || !(question || limit)) return DLS_OK;
  dls_stick s;
  dls_stick_forces forces = {0};
  dls_stick_rest rest;
  dls_status status = create(x, &s);
  s.explain = limit && x->weights == 0;  // nothing but the bounds presses weights
  if (status == DLS_OK) status = dls_stick_exact_create(&s);
  if (status == DLS_OK) status = dls_stick_forces_create(&s, &forces);
  if (status == DLS_OK && !forces.known) status = dls_stick_rest_create(&s, &rest);
  if (status == DLS_OK && question) status = answer(&s, &forces);
  dls_limit *least = &x->check->limit[DLS_LIMIT_LEAST];
  const dls_limit unknown = {
      .asked = true, .value = NAN, .low = NAN, .high = NAN, .attained = DLS_UNDECIDED};
  bool known = false;
  if (x->weights > 0) limit = note_weights(x, limit, &unknown);
  if (limit) *least = unknown;
  if (status == DLS_OK && limit && s.exact) status = dls_stick_exact_least(&s, least, &known);
  if (limit && !known) *least = unknown;
  if (limit && !known && s.doubtful) {
    least->by = "contacts depend on each other almost: numbers too small to trust";
  } else if (status == DLS_OK && limit && !known) {
    status = dls_stick_least(&s, &forces, least);
  }
  if (status == DLS_OK && limit) status = dls_stick_show_least(&s, &forces, least);
  free(s.leaf);
  dls_polyhedra_free(s.polyhedra);
  return x->out_of_memory ? DLS_ERR_MEMORY : status;
}
