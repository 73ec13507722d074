// Moreau's scheme: half a step with the old velocity, contacts where the beads overlap then, the
// incremental problem with Newton's restitution, u_N + e u_N,k in the place of u_N, and the other
// half with the new velocity. Neighbours are found by cells as large as a bead.
#include "common.h"

#include "beads.h"
#include "packing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double GRAVITY = 9.81, GAP = 1.2, JITTER = 0.05, MASS = 1;
enum { WALLS = 5, MOST = BEADS_CONTACTS };

beads_options beads_defaults(void)
{
  return (beads_options){
      .beads = 150, .radius = 1, .step = 0.02, .mu = 0.3, .restitution = 0.2, .seed = 1};
}

static double width(const beads *b)
{
  return 2 * b->options.radius * GAP * b->side;
}

// M, mu and room for the largest problem; the pattern of H grows and shrinks.
static void make_problem(beads *b)
{
  const int dof = 6 * b->options.beads;
  const size_t most = (size_t)MOST * (size_t)b->options.beads;
  int *p = take((size_t)dof, sizeof *p + sizeof *p), *row = take((size_t)dof, sizeof *row);
  double *x = take((size_t)dof, sizeof *x), *mu = take(most, sizeof *mu);
  const double R = b->options.radius;
  for (int i = 0; i < dof; i++)
    p[i + 1] = i + 1, row[i] = i, x[i] = i % 6 < 3 ? MASS : 0.4 * MASS * R * R;
  for (size_t c = 0; c < most; c++) mu[c] = b->options.mu;
  b->problem = (dls_incremental){.dimension = 3, .global = true, .dof = dof, .mu = mu};
  b->problem.M = (dls_matrix_view){{dof, dof, p, row}, x};
  b->problem.H =
      (dls_matrix_view){{dof, 0, take(3 * most + 1, sizeof(int)), take(36 * most, sizeof(int))},
                        take(36 * most, sizeof(double))};
  b->problem.f = take((size_t)dof, sizeof(double));
  b->problem.w = take(3 * most, sizeof(double));
  b->contact = take(most, sizeof *b->contact), b->before = take(most, sizeof *b->before);
  b->r = take(3 * most, sizeof(double)), b->r_before = take(3 * most, sizeof(double));
  b->slip = take(most, sizeof(double)), b->slip_before = take(most, sizeof(double));
}

void beads_create(const beads_options *options, beads *b)
{
  *b = (beads){.options = *options, .side = 1};
  const int n = options->beads;
  while (b->side * b->side * b->side < n) b->side++;
  b->x = take(3 * (size_t)n, sizeof(double)), b->v = take(6 * (size_t)n, sizeof(double));
  unsigned long long state = options->seed;
  const double R = options->radius, cell = 2 * R * GAP;
  for (int i = 0; i < n; i++) {
    const int at[3] = {i % b->side, i / b->side % b->side, i / b->side / b->side + 1};
    for (int k = 0; k < 3; k++) {
      b->x[3 * i + k] = cell * (at[k] + 0.5) + R * drawn(&state, -JITTER, JITTER);
      b->v[6 * i + k] = sqrt(R * GRAVITY) * drawn(&state, -1, 1);
    }
  }
  make_problem(b);
}

void beads_free(beads *b)
{
  dls_matrix_view *const views[] = {&b->problem.M, &b->problem.H};
  for (int k = 0; k < 2; k++)
    free((void *)views[k]->pattern.p), free((void *)views[k]->pattern.i), free((void *)views[k]->x);
  free((void *)b->problem.f), free((void *)b->problem.w), free((void *)b->problem.mu);
  free(b->x), free(b->v), free(b->contact), free(b->before);
  free(b->r), free(b->r_before), free(b->slip), free(b->slip_before);
  *b = (beads){0};
}

// ---- contacts -----------------------------------------------------------------------------------

static void touch(beads *b, const beads_contact *c)
{
  if (b->problem.contacts == MOST * b->options.beads) abort();
  b->contact[b->problem.contacts++] = *c;
}

static void touch_box(beads *b, int i)
{
  const double R = b->options.radius, *x = b->x + 3 * (ptrdiff_t)i;
  for (int wall = 0; wall < WALLS; wall++) {
    const int axis = wall == 0 ? 2 : (wall - 1) / 2;
    const bool far = wall > 0 && wall % 2 == 0;
    const double distance = far ? width(b) - x[axis] : x[axis];
    beads_contact c = {.bead = i, .other = -1 - wall, .arm = {distance, 0}};
    c.n[axis] = far ? -1 : 1;
    if (distance <= R) touch(b, &c);
  }
}

static void touch_pair(beads *b, int i, int j)
{
  const double *x = b->x + 3 * (ptrdiff_t)i, *y = b->x + 3 * (ptrdiff_t)j;
  const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
  const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  if (!(length <= 2 * b->options.radius && length > 0)) return;
  beads_contact c = {.bead = i, .other = j, .arm = {length / 2, length / 2}};
  for (int k = 0; k < 3; k++) c.n[k] = d[k] / length;
  touch(b, &c);
}

typedef struct cells {
  int side, layers;
  int *first, *next;  // beads of a cell
} cells;

static int cell_of(const beads *b, const cells *g, const double *x, int axis)
{
  const int most = axis == 2 ? g->layers : g->side,
            k = (int)floor(x[axis] / (2 * b->options.radius));
  return k < 0 ? 0 : k < most ? k : most - 1;
}

static int compare(const void *one, const void *two)
{
  const beads_contact *a = one, *b = two;
  if (a->bead != b->bead) return a->bead < b->bead ? -1 : 1;
  return (a->other > b->other) - (a->other < b->other);
}

// Beads outside all cells count to the last ones, which costs time only.
static void find_contacts(beads *b)
{
  const int n = b->options.beads, side = (int)(width(b) / (2 * b->options.radius)) + 1;
  cells g = {.side = side, .layers = 4 * side};
  g.first = take((size_t)side * (size_t)side * (size_t)g.layers, sizeof(int));
  g.next = take((size_t)n, sizeof(int));
  b->problem.contacts = 0;
  for (int i = 0; i < n; i++) {  // those before i are in the cells; numbers are one too large
    const double *x = b->x + 3 * (ptrdiff_t)i;
    const int at[3] = {cell_of(b, &g, x, 0), cell_of(b, &g, x, 1), cell_of(b, &g, x, 2)};
    touch_box(b, i);
    for (int k = 0; k < 27; k++) {
      const int c[3] = {at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1};
      if (c[0] < 0 || c[1] < 0 || c[2] < 0 || c[0] >= side || c[1] >= side || c[2] >= g.layers)
        continue;
      for (int j = g.first[c[0] + side * (c[1] + side * c[2])]; j > 0; j = g.next[j - 1])
        touch_pair(b, i, j - 1);
    }
    int *head = &g.first[at[0] + side * (at[1] + side * at[2])];
    g.next[i] = *head, *head = i + 1;
  }
  free(g.first), free(g.next);
  qsort(b->contact, (size_t)b->problem.contacts, sizeof *b->contact, compare);
}

// ---- a step -------------------------------------------------------------------------------------

static void fill_H(beads *b)
{
  int *p = (int *)b->problem.H.pattern.p, *row = (int *)b->problem.H.pattern.i, at = 0;
  double *x = (double *)b->problem.H.x;
  for (int c = 0; c < b->problem.contacts; c++) {
    const beads_contact *t = &b->contact[c];
    double tangent[2][3];
    packing_tangents(t->n, tangent[0], tangent[1]);
    const double *e[3] = {t->n, tangent[0], tangent[1]};
    for (int k = 0; k < 3; k++) {
      if (t->other >= 0) at = packing_column(at, t->other, -1, t->arm[1], t->n, e[k], row, x);
      at = packing_column(at, t->bead, 1, t->arm[0], t->n, e[k], row, x);
      p[3 * c + k + 1] = at;
    }
  }
  b->problem.H.pattern.cols = 3 * b->problem.contacts;
}

// f = M v_k + h forces, and w_N = e u_N,k
static void fill_loads(beads *b)
{
  const dls_incremental *p = &b->problem;
  double *f = (double *)p->f, *w = (double *)p->w;
  for (int i = 0; i < p->dof; i++)
    f[i] = p->M.x[i] * (b->v[i] - (i % 6 == 2 ? b->options.step * GRAVITY : 0));
  for (int c = 0; c < p->contacts; c++) {
    double u = 0;
    for (int e = p->H.pattern.p[3 * c]; e < p->H.pattern.p[3 * c + 1]; e++)
      u += p->H.x[e] * b->v[p->H.pattern.i[e]];
    w[3 * c] = b->options.restitution * u, w[3 * c + 1] = w[3 * c + 2] = 0;
  }
}

static void swap(void *one, void *two)
{
  void *keep;
  memcpy(&keep, one, sizeof keep), memcpy(one, two, sizeof keep), memcpy(two, &keep, sizeof keep);
}

void beads_begin(beads *b)
{
  swap(&b->contact, &b->before), swap(&b->r, &b->r_before), swap(&b->slip, &b->slip_before);
  b->contacts_before = b->problem.contacts;
  for (int i = 0; i < 3 * b->options.beads; i++)
    b->x[i] += b->options.step / 2 * b->v[i / 3 * 6 + i % 3];
  find_contacts(b), fill_H(b), fill_loads(b);
  for (int c = 0; c < b->problem.contacts; c++) {
    const beads_contact *old =
        bsearch(&b->contact[c], b->before, (size_t)b->contacts_before, sizeof *old, compare);
    b->slip[c] = old ? b->slip_before[old - b->before] : 0;
    for (int k = 0; k < 3; k++) b->r[3 * c + k] = old ? b->r_before[3 * (old - b->before) + k] : 0;
  }
}

void beads_end(beads *b, const double *v)
{
  memcpy(b->v, v, (size_t)b->problem.dof * sizeof *v);
  for (int i = 0; i < 3 * b->options.beads; i++)
    b->x[i] += b->options.step / 2 * b->v[i / 3 * 6 + i % 3];
}

double beads_speed(const beads *b)
{
  double most = 0;
  for (int i = 0; i < b->options.beads; i++) {
    const double *v = b->v + 6 * (ptrdiff_t)i;
    most = fmax(most, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
  }
  return most;
}

double beads_depth(const beads *b)
{
  double most = 0;
  for (int c = 0; c < b->problem.contacts; c++) {
    const beads_contact *t = &b->contact[c];
    const double reach = t->other >= 0 ? 2 : 1;
    most = fmax(most, reach - (t->arm[0] + t->arm[1]) / b->options.radius);
  }
  return most;
}
