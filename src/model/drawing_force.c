// Which way the force of a contact points, from how its place moves.
//
// The place p(q) is a point of the body; relative to the other body it moves by J v, J = dp/dq, or
// the difference of two such. A force f there does the work f^T J v, and the contact's multiplier
// lambda the work lambda G^T v. They are the same force if f = n lambda with                eq
// (dra.2)
//
//   J^T n = G,   and J^T t_k = H_k for the tangential ones.
//
// That has one solution when the columns of J^T are independent; a part of p that no coordinate
// changes has no column, and n is 0 there. It has none when the place moves otherwise than the
// contact does: residuals are measured in the kinetic metric, by the diagonal of M, which makes
// lengths and angles comparable. In n lambda the length of n makes up for gaps that are no lengths.
#include "model/drawing.h"

#include "base/memory.h"
#include "base/message.h"
#include "linalg/dense.h"
#include "model/tolerances.h"

#include <math.h>

// The numbers of a place at the state: A = J^T has one column for each part that moves.
typedef struct frame {
  int n, columns;
  int part[3];
  double *A;    // n x columns
  double L[9];  // with orthonormal columns in place of those of A, A = Q L^T
} frame;

// Coordinates without mass are taken as they are.
void dls_drawing_weigh(dls_drawing *d)
{
  const dls_pattern *mass = &d->system->mass;
  for (int j = 0; j < d->system->n; j++) {
    double own = 0;
    for (int k = mass->p[j]; k < mass->p[j + 1]; k++)
      if (mass->i[k] == j) own = d->values->M[k];
    d->weight[j] = own > 0 ? 1 / sqrt(own) : 1;
  }
}

static void read_frame(const dls_drawing *d, const dls_place *place, frame *f)
{
  const int n = f->n = d->system->n;
  int column[3] = {-1, -1, -1};
  f->columns = 0;
  f->A = d->J;
  dls_clear(d->J, (ptrdiff_t)3 * n);
  for (int k = 0; k < place->entries; k++) {
    const dls_place_entry *entry = &d->entries.items[place->first + k];
    if (column[entry->part] < 0) {
      f->part[f->columns] = entry->part;
      column[entry->part] = f->columns++;
    }
    d->J[column[entry->part] * n + entry->coordinate] =
        d->weight[entry->coordinate] * d->value[d->outputs + place->first + k];
  }
}

// Orthogonalizes the columns one after the other; false when one is a combination of others.
static bool factor(frame *f)
{
  double largest = 0;
  for (int j = 0; j < f->columns; j++)
    largest = fmax(largest, dls_norm2(f->n, f->A + (ptrdiff_t)j * f->n));
  for (int j = 0; j < f->columns; j++) {
    double *a = f->A + (ptrdiff_t)j * f->n;
    // twice is enough
    for (int k = 0; k < j; k++) f->L[j * 3 + k] = 0;
    for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < j; k++) {
        const double *q = f->A + (ptrdiff_t)k * f->n;
        const double along = dls_dot(f->n, q, a);
        f->L[j * 3 + k] += along;
        for (int i = 0; i < f->n; i++) a[i] -= along * q[i];
      }
    const double rest = dls_norm2(f->n, a);
    if (!(rest > place_tolerance * largest)) return false;
    f->L[j * 3 + j] = rest;
    for (int i = 0; i < f->n; i++) a[i] /= rest;
  }
  return true;
}

// x with A x = b; false when there is none. b is overwritten by what is left.
static bool solve(const frame *f, double *b, double x[3])
{
  double y[3] = {0};
  const double size = dls_norm2(f->n, b);
  for (int k = 0; k < 3; k++) x[k] = 0;
  for (int j = 0; j < f->columns; j++) {
    const double *q = f->A + (ptrdiff_t)j * f->n;
    y[j] = dls_dot(f->n, q, b);
    for (int i = 0; i < f->n; i++) b[i] -= y[j] * q[i];
  }
  for (int j = f->columns - 1; j >= 0; j--) {
    double sum = y[j];
    for (int k = j + 1; k < f->columns; k++) sum -= f->L[k * 3 + j] * x[f->part[k]];
    x[f->part[j]] = sum / f->L[j * 3 + j];
  }
  return dls_norm2(f->n, b) <= place_tolerance * size;
}

static void read_column(dls_drawing *d, const dls_pattern *pattern, const double *entry, int column)
{
  dls_clear(d->rows, d->system->n);
  for (int k = pattern->p[column]; k < pattern->p[column + 1]; k++)
    d->rows[pattern->i[k]] = d->weight[pattern->i[k]] * entry[k];
}

// As the text has them. In a plane the normal, turned clockwise, is a tangent.
static void take_given(const dls_drawing *d, const dls_place *place, dls_shape *shape)
{
  const double *n = d->value + place->normal;
  dls_copy(shape->normal, n, 3);
  const bool turned = place->given == 0 && d->space == 2 && shape->tangents == 1;
  if (!turned) shape->tangents = place->given;
  for (int k = 0; k < place->given; k++)
    dls_copy(shape->tangent[k], d->value + place->tangent + (ptrdiff_t)3 * k, 3);
  if (turned) shape->tangent[0][0] = n[1], shape->tangent[0][1] = -n[0], shape->tangent[0][2] = 0;
}

static dls_status direct(dls_drawing *d, const dls_place *place, dls_shape *shape,
                         dls_message *message)
{
  const dls_system *s = d->system;
  const char *name = s->contacts[shape->contact].name;
  int slip = 0;
  for (int j = 0; j < shape->contact; j++) slip += s->contacts[j].tangents;
  frame f;
  read_frame(d, place, &f);
  const bool moves = factor(&f);
  if (!moves)
    return dls_fail(message, DLS_ERR_MODEL,
                    "draw force %s: the place does not tell which way the force points, since it "
                    "moves in fewer directions than it has parts; say it: `{ normal (nx, ny) }`",
                    name);
  read_column(d, &s->normal, d->values->G, shape->contact);
  bool good = solve(&f, d->rows, shape->normal);
  for (int k = 0; k < shape->tangents && good; k++) {
    read_column(d, &s->tangent, d->values->H, slip + k);
    good = solve(&f, d->rows, shape->tangent[k]);
  }
  if (good) return DLS_OK;
  return dls_fail(
      message, DLS_ERR_MODEL,
      "draw force %s: the place does not move as the contact does; give a point that is "
      "fixed in the body (and, behind a comma, one of the other body), or say `{ normal (nx, ny) "
      "}`",
      name);
}

dls_status dls_drawing_direct(dls_drawing *d, const dls_place *place, dls_message *message)
{
  dls_shape *shape = &d->shape[place->shape];
  dls_status status = DLS_OK;
  if (!shape->visible) return DLS_OK;
  shape->tangents = d->system->contacts[shape->contact].tangents;
  if (place->normal >= 0) take_given(d, place, shape);
  else status = direct(d, place, shape, message);
  for (int k = 0; k < 3; k++) {
    shape->visible = shape->visible && isfinite(shape->normal[k]);
    for (int j = 0; j < shape->tangents; j++)
      shape->visible = shape->visible && isfinite(shape->tangent[j][k]);
  }
  return status;
}
