// The tree over the signs of bilateral forces, and one conic program at each of its nodes.
#include "certify/sticking_internal.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 2048 };

// --- one node -----------------------------------------------------------------------------------

typedef struct node {
  dls_stick_program program;  // with the accelerations, for corrections
  double *x, *s, *y;
  unsigned char *point_place, *proof_place;
  dls_cone_report report;
} node;

static dls_status solve(node *q, const dls_stick *s, const unsigned char *mode)
{
  dls_stick_program reduced = {0}, *p = &q->program;
  dls_status status = dls_stick_program_create(s, mode, DLS_STICK_ROOM, NULL, p);
  if (status != DLS_OK) return status;
  const ptrdiff_t cols = p->cols, rows = p->rows, m = s->polyhedra->m;
  q->x = dls_alloc(cols + 2 * rows, sizeof *q->x);
  q->point_place = dls_alloc(2 * m, 1);
  if (!q->x || !q->point_place) return DLS_ERR_MEMORY;
  q->s = q->x + cols, q->y = q->s + rows, q->proof_place = q->point_place + m;
  if (s->rest->known) {
    status = dls_stick_program_create(s, mode, DLS_STICK_ROOM, s->rest->w, &reduced);
    p = &reduced;
  }
  if (status == DLS_OK) status = dls_stick_program_solve(p, q->x, q->s, q->y, &q->report);
  if (s->rest->known) dls_copy(q->x, s->rest->z, s->polyhedra->n);
  dls_stick_program_free(&reduced);
  return status;
}

// Smallest and largest eigenvalue of a cone's element.
static void spread(const double *v, int size, double *low, double *high)
{
  double tail = 0;
  for (int k = 1; k < size; k++) tail = hypot(tail, v[k]);
  *low = v[0] - tail, *high = v[0] + tail;
}

// Complementarity: what is not zero in the one is zero in the other. size: that of forces.
static void find_places(node *q, double size)
{
  const dls_stick_program *p = &q->program;
  double s_max = size, y_max = not_zero, s[2], y[2];
  for (int k = 0; k < p->blocks; k++) {
    const dls_stick_block *b = &p->block[k];
    spread(q->s + b->at, b->size, &s[0], &s[1]);
    spread(q->y + b->at, b->size, &y[0], &y[1]);
    s_max = fmax(s_max, s[1]), y_max = fmax(y_max, y[1]);
  }
  for (int k = 0; k < p->blocks; k++) {
    const dls_stick_block *b = &p->block[k];
    spread(q->s + b->at, b->size, &s[0], &s[1]);
    spread(q->y + b->at, b->size, &y[0], &y[1]);
    const bool low = s[0] / s_max < y[1] / y_max, high = s[1] / s_max < y[0] / y_max;
    q->point_place[b->contact] = high ? DLS_APEX : low ? DLS_BOUNDARY : DLS_INSIDE;
    q->proof_place[b->contact] = high ? DLS_INSIDE : low ? DLS_BOUNDARY : DLS_APEX;
    if (b->size == 1) {
      q->point_place[b->contact] = low ? DLS_APEX : DLS_INSIDE;
      q->proof_place[b->contact] = low ? DLS_INSIDE : DLS_APEX;
    }
  }
}

// The point as it is, away from the boundary; on it otherwise.
static dls_status try_point(node *q, dls_stick *s, const unsigned char *mode, bool *good)
{
  const ptrdiff_t m = s->polyhedra->m, cols = q->program.cols;
  double *x = dls_alloc(cols, sizeof *x);
  unsigned char *place = dls_alloc(m, 1);
  dls_status status = x && place ? DLS_OK : DLS_ERR_MEMORY;
  *good = false;
  for (int on_boundary = 0; on_boundary < 2 && status == DLS_OK && !*good; on_boundary++) {
    dls_copy(x, q->x, cols);
    if (on_boundary) dls_copy(place, q->point_place, m);
    else if (!(q->x[q->program.goal] > 0)) continue;
    status = dls_stick_polish_point(s, mode, &q->program, place, x, good);
  }
  free(x), free(place);
  return status;
}

// The multipliers of the equations, eq (stk.5); their value is the room.
static dls_status try_proof(node *q, dls_stick *s, const unsigned char *mode, double *margin)
{
  const dls_polyhedra *c = s->polyhedra;
  for (int i = 0; i < c->n; i++) s->proof.d[i] = -q->y[i];
  for (int j = 0; j < c->m; j++) s->proof.alpha[j] = -q->y[c->n + j];
  for (int k = 0; k < c->tangents; k++)
    s->proof.sigma[k] = s->slip_row[k] < 0 ? 0 : -q->y[c->n + c->m + s->slip_row[k]];
  dls_status status = s->rest->known ? dls_stick_rest_complete(s, &s->proof) : DLS_OK;
  if (status == DLS_OK) status = dls_stick_polish_proof(s, mode, q->proof_place);
  if (status != DLS_OK) return status;
  const double value = dls_dot(c->n, s->proof.d, c->F) + dls_dot(c->m, s->proof.alpha, c->b) +
                       dls_dot(c->tangents, s->proof.sigma, c->b_t);
  if (q->report.outcome != DLS_CONE_PRIMAL_INFEASIBLE) s->slack = value;
  return dls_stick_prove(s, mode, margin);
}

// Without cones: the accelerations contradict each other, or something is pushed that nothing
// holds.
static dls_status try_contradiction(dls_stick *s, const unsigned char *mode,
                                    dls_stick_outcome *outcome)
{
  const dls_polyhedra *c = s->polyhedra;
  unsigned char *place = dls_alloc(c->m, 1);
  double margin = 0;
  if (!place) return DLS_ERR_MEMORY;
  memset(place, DLS_APEX, (size_t)c->m);
  dls_copy(s->proof.d, s->rest->proof.d, c->n);
  dls_copy(s->proof.alpha, s->rest->proof.alpha, c->m);
  dls_copy(s->proof.sigma, s->rest->proof.sigma, c->tangents);
  dls_status status = dls_stick_polish_proof(s, mode, place);
  if (status == DLS_OK) status = dls_stick_prove(s, mode, &margin);
  if (margin > s->least_margin) *outcome = DLS_STICK_NO;
  free(place);
  return status;
}

// One node: outcome for the modes given; on DLS_STICK_YES stick->point fulfils all that the modes
// say; on DLS_STICK_NO the proof has been kept.
static dls_status solve_node(dls_stick *s, const unsigned char *mode, dls_stick_outcome *outcome)
{
  node q = {0};
  bool good = false;
  double margin = 0;
  *outcome = DLS_STICK_AMBIGUOUS;
  s->slack = NAN;
  if (s->rest->contradiction) {
    const dls_status early = try_contradiction(s, mode, outcome);
    if (early != DLS_OK || *outcome == DLS_STICK_NO) return early;
  }
  dls_status status = solve(&q, s, mode);
  if (status != DLS_OK) goto done;
  const bool infeasible = q.report.outcome == DLS_CONE_PRIMAL_INFEASIBLE;
  const double slack = infeasible ? -INFINITY : q.x[q.program.goal];
  find_places(&q, s->polyhedra->load);
  if (infeasible) memset(q.proof_place, DLS_APEX, (size_t)s->polyhedra->m);
  else s->slack = slack;
  if (slack > -program_slack) status = try_point(&q, s, mode, &good);
  if (status == DLS_OK && !good && slack < program_slack) status = try_proof(&q, s, mode, &margin);
  if (good) *outcome = DLS_STICK_YES;
  else if (margin > s->least_margin) *outcome = DLS_STICK_NO;
done:
  dls_stick_program_free(&q.program);
  free(q.x), free(q.point_place);
  return status;
}

// --- the tree -----------------------------------------------------------------------------------

typedef struct tree {
  dls_stick *s;
  unsigned char *mode;
  int nodes;
  double margin;
  bool ambiguous;
} tree;

// Which contact of either sign to look at next, or -1: the one that violates its law most.
static int next_contact(const tree *t, bool have_point)
{
  const dls_polyhedra *c = t->s->polyhedra;
  int worst = -1, first = -1;
  for (int j = c->m - 1; j >= 0; j--)
    if (t->mode[j] & DLS_MODE_EITHER) first = j;
  if (have_point) dls_stick_fault(t->s, NULL, &t->s->point, NULL, &worst);
  return worst >= 0 && (t->mode[worst] & DLS_MODE_EITHER) ? worst : first;
}

static dls_status visit(tree *t, bool *found)  // NOLINT(misc-no-recursion)
{
  dls_stick *s = t->s;
  dls_stick_outcome outcome = DLS_STICK_AMBIGUOUS;
  if (t->nodes++ >= MOST_NODES) return t->ambiguous = true, DLS_OK;
  dls_status status = solve_node(s, t->mode, &outcome);
  if (status != DLS_OK) return status;
  if (outcome == DLS_STICK_NO) return t->margin = fmin(t->margin, s->margin), DLS_OK;
  double slack = 0;
  const bool have = outcome == DLS_STICK_YES;
  if (have && dls_stick_fault(s, NULL, &s->point, &slack, NULL) <= s->polyhedra->margin) {
    *found = true;
    s->margin = fmax(slack, 0);
    return DLS_OK;
  }
  const int j = next_contact(t, have);
  if (j < 0) return t->ambiguous = true, DLS_OK;
  const unsigned char before = t->mode[j], plain = (unsigned char)(before & ~DLS_MODE_EITHER);
  const bool pulls = have && s->point.lambda[j] < 0;
  for (int k = 0; k < 2 && status == DLS_OK && !*found; k++) {
    t->mode[j] = (k == 0) == pulls ? (unsigned char)(plain | DLS_MODE_PULLING) : plain;
    status = visit(t, found);
  }
  t->mode[j] = before;
  return status;
}

static void clear(const dls_stick *s)
{
  const dls_polyhedra *c = s->polyhedra;
  for (int i = 0; i < c->n; i++) s->point.z[i] = 0;
  for (int j = 0; j < c->m; j++) s->point.lambda[j] = 0;
  for (int k = 0; k < c->tangents; k++) s->point.tau[k] = 0;
}

dls_status dls_stick_search(dls_stick *s, dls_stick_outcome *outcome)
{
  bool found = false;
  tree t = {.s = s, .mode = dls_alloc(s->polyhedra->m, 1), .margin = INFINITY};
  if (!t.mode) return DLS_ERR_MEMORY;
  for (int j = 0; j < s->polyhedra->m; j++) t.mode[j] = (unsigned char)dls_stick_mode(s, j);
  s->leaves = 0, s->margin = 0;
  if (s->polyhedra->load == 0) {  // nothing acts, nothing moves
    clear(s);
    *outcome = DLS_STICK_YES;
    free(t.mode);
    return DLS_OK;
  }
  const dls_status status = visit(&t, &found);
  if (t.nodes > 1) s->slack = NAN;
  *outcome = found ? DLS_STICK_YES : t.ambiguous ? DLS_STICK_AMBIGUOUS : DLS_STICK_NO;
  if (*outcome == DLS_STICK_NO) s->margin = t.margin;
  free(t.mode);
  return status;
}
