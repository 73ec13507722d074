// Spheres of diameter about 1 in close-packed layers, which are a little too near to each other
// and disturbed at random. Neighbours at less than a given distance touch: about 4.5 contacts for
// each sphere that is added, all of them with the layer below and most of them inside a layer, so
// that the pile can rest.
//
// Smooth walls: a solution exists, because v = A e_z + (x - x0) opens every contact strictly, eq
// (inc.3): between spheres along the normal, and with A large at the floor and at the walls, which
// lean outwards a little. Rough walls: the spheres may be wedged between them, so that r is not
// bounded; but v = 0 opens nothing and closes nothing, and the pile can rest.
#include "common.h"

#include "packing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double JITTER = 0.02, NEAR = 1.01, LAYER = 0.94, DRAFT = 0.05, GRAVITY = 9.81;

packing_options packing_defaults(void)
{
  return (packing_options){
      .contacts = 1000, .mass_ratio = 1, .mu = 0.3, .agitation = 0.1, .step = 0.01, .seed = 1};
}

// ratio^t for 0 <= t <= 1, by square roots: libraries differ in the last bit of pow.
static double power(double ratio, double t)
{
  double result = 1, root = ratio;
  for (int k = 0; k < 40; k++) {
    if (t >= 1) result *= root, t -= 1;
    t *= 2;
    root = sqrt(root);
  }
  return result;
}

// ---- geometry ----------------------------------------------------------------------------------

typedef struct builder {
  const packing_options *options;
  packing *out;
  int side, layers;       // of the lattice
  int capacity;           // spheres
  double *normal;         // 3 x contacts
  double *radius, *mass;  // spheres
  unsigned long long state;
  int contacts;
} builder;

static void lattice(const builder *b, int index, double *x)
{
  const int side = b->side, i = index % side, j = index / side % side, k = index / side / side;
  const double shift = (k % 3 == 1) != (j % 2 == 1) ? 0.5 : 0;
  x[0] = i + shift;
  x[1] = sqrt(0.75) * j + sqrt(1.0 / 12) * (k % 3);
  x[2] = 0.5 + LAYER * sqrt(2.0 / 3) * k;
}

static void touch(builder *b, int sphere, int other, const double *n)
{
  if (b->contacts == b->options->contacts) return;
  b->out->body[2 * b->contacts] = sphere, b->out->body[2 * b->contacts + 1] = other;
  memcpy(b->normal + 3 * (size_t)b->contacts, n, 3 * sizeof *n);
  b->contacts++;
}

static void touch_box(builder *b, int sphere, const double *ideal)
{
  const double up = DRAFT / sqrt(1 + DRAFT * DRAFT), in = 1 / sqrt(1 + DRAFT * DRAFT);
  const double far[2] = {b->side - 0.5, sqrt(0.75) * (b->side - 1) + sqrt(1.0 / 3)};
  const double floor[3] = {0, 0, 1};
  if (sphere < b->side * b->side) touch(b, sphere, -1, floor);
  for (int axis = 0; axis < 2; axis++) {
    double n[3] = {0, 0, up};
    if (ideal[axis] < 0.1) n[axis] = in, touch(b, sphere, -1, n);
    else if (ideal[axis] > far[axis] - 0.1) n[axis] = -in, touch(b, sphere, -1, n);
  }
}

// The spheres that are already there: in this layer and in the one below.
static void touch_spheres(builder *b, int sphere)
{
  const int side = b->side, i = sphere % side, j = sphere / side % side, k = sphere / side / side;
  const double *x = b->out->place + 3 * (size_t)sphere;
  for (int below = 1; below >= 0; below--)
    for (int dj = -2; dj <= 2; dj++)
      for (int di = -2; di <= 2; di++) {
        const int other = sphere - below * side * side + dj * side + di;
        if (k < below || j + dj < 0 || j + dj >= side || i + di < 0 || i + di >= side) continue;
        if (other >= sphere) continue;
        const double *y = b->out->place + 3 * (size_t)other;
        const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
        const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], length = sqrt(square);
        const double n[3] = {d[0] / length, d[1] / length, d[2] / length};
        if (length < NEAR) touch(b, sphere, other, n);
      }
}

static void place(builder *b)
{
  const packing_options *o = b->options;
  while (b->contacts < o->contacts && b->out->spheres < b->capacity) {
    const int sphere = b->out->spheres++;
    double ideal[3], *x = b->out->place + 3 * (size_t)sphere;
    lattice(b, sphere, ideal);
    for (int a = 0; a < 3; a++) x[a] = ideal[a] + drawn(&b->state, -JITTER, JITTER);
    b->radius[sphere] = drawn(&b->state, 0.45, 0.5);
    double t = drawn(&b->state, 0, 1);
    const double height = (double)(sphere / b->side / b->side) / b->layers;
    if (o->order == PACKING_TOP_HEAVY) t = fmin(1, 0.9 * height + 0.1 * t);
    b->mass[sphere] = power(o->mass_ratio, t);
    touch_box(b, sphere, ideal);
    touch_spheres(b, sphere);
  }
}

// ---- matrices ----------------------------------------------------------------------------------

static void cross(const double *a, const double *b, double *c)
{
  for (int i = 0; i < 3; i++)
    c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

void packing_tangents(const double *n, double *s, double *t)
{
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(n[i]) < fabs(n[least])) least = i;
  double axis[3] = {0};
  axis[least] = 1;
  cross(n, axis, s);
  const double length = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
  for (int i = 0; i < 3; i++) s[i] /= length;
  cross(n, s, t);
}

// The normal, e == n, has no lever.
int packing_column(int at, int sphere, double sign, double arm, const double *n, const double *e,
                   int *row, double *x)
{
  double lever[3], turn[3];
  for (int i = 0; i < 3; i++) lever[i] = -sign * arm * n[i];
  cross(lever, e, turn);
  for (int i = 0; i < 3; i++) row[at] = 6 * sphere + i, x[at++] = sign * e[i];
  if (e == n) return at;
  for (int i = 0; i < 3; i++) row[at] = 6 * sphere + 3 + i, x[at++] = sign * turn[i];
  return at;
}

static void fill_H(const builder *b, dls_matrix_view *H)
{
  const size_t contacts = (size_t)b->contacts;
  int *p = take(3 * contacts + 1, sizeof *p), *row = take(30 * contacts, sizeof *row), at = 0;
  double *x = take(30 * contacts, sizeof *x);
  for (int c = 0; c < b->contacts; c++) {
    const int first = b->out->body[2 * c], second = b->out->body[2 * c + 1];
    const double *n = b->normal + 3 * (size_t)c;
    double s[3], t[3];
    packing_tangents(n, s, t);
    const double *e[3] = {n, s, t};
    double arm[2] = {b->radius[first], 0};
    if (second >= 0) {  // both spheres reach the point of contact
      double square = 0;
      for (int i = 0; i < 3; i++) {
        const double d = b->out->place[3 * first + i] - b->out->place[3 * second + i];
        square += d * d;
      }
      arm[0] = sqrt(square) * b->radius[first] / (b->radius[first] + b->radius[second]);
      arm[1] = sqrt(square) - arm[0];
    }
    for (int k = 0; k < 3; k++) {
      if (second >= 0) at = packing_column(at, second, -1, arm[1], n, e[k], row, x);
      at = packing_column(at, first, 1, arm[0], n, e[k], row, x);
      p[3 * c + k + 1] = at;
    }
  }
  *H = (dls_matrix_view){{6 * b->out->spheres, 3 * b->contacts, p, row}, x};
}

static void fill_M(const builder *b, dls_matrix_view *M)
{
  const int dof = 6 * b->out->spheres;
  int *p = take((size_t)dof + 1, sizeof *p), *row = take((size_t)dof, sizeof *row);
  double *x = take((size_t)dof, sizeof *x);
  for (int i = 0; i < dof; i++) {
    const double m = b->mass[i / 6], R = b->radius[i / 6];
    p[i + 1] = i + 1, row[i] = i, x[i] = i % 6 < 3 ? m : 0.4 * m * R * R;
  }
  *M = (dls_matrix_view){{dof, dof, p, row}, x};
}

// f = M v_k + h forces
static void fill_f(builder *b, dls_incremental *problem)
{
  const double step = b->options->step, size = b->options->agitation * step * GRAVITY;
  double *f = take((size_t)problem->dof, sizeof *f);
  for (int i = 0; i < problem->dof; i++) {
    const double v = drawn(&b->state, -size, size);
    f[i] = problem->M.x[i] * (v - (i % 6 == 2 ? step * GRAVITY : 0));
  }
  problem->f = f;
}

void packing_create(const packing_options *o, packing *out)
{
  const size_t contacts = (size_t)o->contacts;
  builder b = {.options = o, .out = out, .state = o->seed, .side = 2, .layers = o->layers};
  const double spheres = o->contacts / 4.7;
  while (o->layers ? (double)b.side * b.side * o->layers < spheres
                   : (double)b.side * b.side * b.side < spheres)
    b.side++;
  if (!o->layers) b.layers = b.side;
  b.capacity = o->contacts + b.side * b.side;
  *out = (packing){.body = take(2 * contacts, sizeof(int)),
                   .place = take(3 * (size_t)b.capacity, sizeof(double))};
  b.normal = take(3 * contacts, sizeof(double));
  b.radius = take((size_t)b.capacity, sizeof(double));
  b.mass = take((size_t)b.capacity, sizeof(double));
  place(&b);

  dls_incremental *problem = &out->problem;
  *problem = (dls_incremental){
      .dimension = 3, .contacts = b.contacts, .global = true, .dof = 6 * out->spheres};
  double *mu = take(contacts, sizeof *mu);
  for (int c = 0; c < b.contacts; c++) mu[c] = o->mu;
  problem->mu = mu;
  problem->w = take(3 * contacts, sizeof(double));
  fill_M(&b, &problem->M);
  fill_H(&b, &problem->H);
  fill_f(&b, problem);
  free(b.normal), free(b.radius), free(b.mass);
}

static void free_view(dls_matrix_view *A)
{
  free((void *)A->pattern.p), free((void *)A->pattern.i), free((void *)A->x);
}

void packing_free(packing *p)
{
  free_view(&p->problem.M), free_view(&p->problem.H), free_view(&p->problem.W);
  free((void *)p->problem.f), free((void *)p->problem.w), free((void *)p->problem.mu);
  free((void *)p->problem.q), free(p->body), free(p->place);
  *p = (packing){0};
}

// ---- the local form ----------------------------------------------------------------------------

// Contacts of each sphere, in increasing order.
static void contacts_of(const packing *p, int **first, int **list)
{
  const int contacts = p->problem.contacts;
  *first = take((size_t)p->spheres + 1, sizeof(int));
  *list = take(2 * (size_t)contacts, sizeof(int));
  for (int e = 0; e < 2 * contacts; e++)
    if (p->body[e] >= 0) (*first)[p->body[e] + 1]++;
  for (int s = 0; s < p->spheres; s++) (*first)[s + 1] += (*first)[s];
  int *next = take((size_t)p->spheres, sizeof *next);
  memcpy(next, *first, (size_t)p->spheres * sizeof *next);
  for (int e = 0; e < 2 * contacts; e++)
    if (p->body[e] >= 0) (*list)[next[p->body[e]]++] = e / 2;
  free(next);
}

static int compare(const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

// The contacts that share a sphere with c, and c itself, once each.
static int neighbours(const packing *p, const int *first, const int *list, int c, int *out)
{
  int count = 0, kept = 0;
  for (int k = 0; k < 2; k++)
    if (p->body[2 * c + k] >= 0)
      for (int e = first[p->body[2 * c + k]]; e < first[p->body[2 * c + k] + 1]; e++)
        out[count++] = list[e];
  qsort(out, (size_t)count, sizeof *out, compare);
  for (int i = 0; i < count; i++)
    if (i == 0 || out[i] != out[i - 1]) out[kept++] = out[i];
  return kept;
}

// x^T M^-1 y of two columns of H.
static double product(const dls_incremental *p, int x, int y)
{
  const int *at = p->H.pattern.p, *row = p->H.pattern.i;
  double sum = 0;
  for (int a = at[x], b = at[y]; a < at[x + 1] && b < at[y + 1];) {
    if (row[a] == row[b]) sum += p->H.x[a] * p->H.x[b] / p->M.x[row[a]], a++, b++;
    else if (row[a] < row[b]) a++;
    else b++;
  }
  return sum;
}

void packing_to_local(packing *p)
{
  dls_incremental *o = &p->problem;
  const int rows = 3 * o->contacts;
  int *first, *list, *near = take(64, sizeof *near);
  contacts_of(p, &first, &list);
  int *at = take((size_t)rows + 1, sizeof *at);
  for (int c = 0; c < o->contacts; c++)
    for (int k = 0, count = 3 * neighbours(p, first, list, c, near); k < 3; k++)
      at[3 * c + k + 1] = at[3 * c + k] + count;
  int *row = take((size_t)at[rows], sizeof *row);
  double *x = take((size_t)at[rows], sizeof *x), *q = take((size_t)rows, sizeof *q);
  for (int j = 0; j < rows; j++) {
    const int count = neighbours(p, first, list, j / 3, near);
    for (int e = 0; e < 3 * count; e++) {
      row[at[j] + e] = 3 * near[e / 3] + e % 3;
      x[at[j] + e] = product(o, 3 * near[e / 3] + e % 3, j);
    }
    q[j] = o->w[j];
    for (int e = o->H.pattern.p[j]; e < o->H.pattern.p[j + 1]; e++)
      q[j] += o->H.x[e] * o->f[o->H.pattern.i[e]] / o->M.x[o->H.pattern.i[e]];
  }
  free_view(&o->W);
  free((void *)o->q);
  o->W = (dls_matrix_view){{rows, rows, at, row}, x};
  o->q = q;
  o->global = false;
  free(first), free(list), free(near);
}
