// The numbers of W, from the columns of J and the factors of K.                      eq (int.2)
#include "step/step_problem.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

int dls_step_problem_rows(const dls_step_problem *c, int i)
{
  return c->frictionless ? 1 : dls_step_problem_tangents(c, i) + 1;
}

int dls_step_problem_looks_at(const dls_step_problem *c, int i)
{
  return dls_law_slides((dls_law)c->law[i]) ? 1 : dls_step_problem_rows(c, i);
}

double *dls_step_problem_block(const dls_step_problem *c, int k, int neighbour, int col)
{
  const int *p = c->problem.W.pattern.p;
  return c->W + p[k * c->dimension + col] + neighbour * c->dimension;
}

void dls_step_problem_unit_blocks(dls_step_problem *c)
{
  dls_clear(c->W, (ptrdiff_t)c->problem.W.pattern.p[c->members * c->dimension]);
  for (int k = 0; k < c->members; k++)
    for (int l = c->neighbour_first[k]; l < c->neighbour_first[k + 1]; l++)
      if (c->neighbour[l] == k)
        for (int a = 0; a < c->dimension; a++)
          dls_step_problem_block(c, k, l - c->neighbour_first[k], a)[a] = 1;
}

// Column k of contact i after K^-1, met by the rows of its neighbours.
static void end_column(dls_step_problem *c, int i, int k, const double *x)
{
  const int d = c->dimension, own = c->place[i];
  for (int l = c->neighbour_first[own]; l < c->neighbour_first[own + 1]; l++) {
    const int other = c->member[c->neighbour[l]];
    if (!c->active[other]) continue;
    double *entry = dls_step_problem_block(c, own, l - c->neighbour_first[own], k);
    const int last = dls_step_problem_rows(c, other);
    for (int row = 0; row < last; row++)
      entry[row] = dls_snapshot_Jt_times(c->point, c->contact[other], row, x);
    for (int row = last; row < d; row++) entry[row] = 0;
  }
}

typedef struct column {
  int contact, row;
} column;

static bool same_components(const dls_step_problem *c, int i, int j)
{
  const int a = c->component_first[i], b = c->component_first[j];
  const int count = c->component_first[i + 1] - a;
  return count == c->component_first[j + 1] - b &&
         memcmp(c->component + a, c->component + b, dls_bytes(count, sizeof(int))) == 0;
}

// Columns of contacts in the same components.
static void fill_columns(dls_step_problem *c, int count, const column *list)
{
  const ptrdiff_t size = dls_step_kkt_size(c->kkt);
  double *const x[] = {c->x, c->x + size, c->x + 2 * size, c->x + 3 * size};
  const int i = list[0].contact;
  for (int k = 0; k < count; k++)
    dls_snapshot_add_J(c->point, c->contact[list[k].contact], list[k].row, 1, x[k]);
  for (int e = c->component_first[i]; e < c->component_first[i + 1]; e++)
    dls_step_kkt_solve_columns(c->kkt, c->component[e], count, x);
  for (int k = 0; k < count; k++) {
    end_column(c, list[k].contact, list[k].row, x[k]);
    for (int e = c->component_first[i]; e < c->component_first[i + 1]; e++)
      dls_step_kkt_clear_component(c->kkt, c->component[e], x[k]);
  }
}

static void fill(dls_step_problem *c)
{
  column list[DLS_STEP_KKT_COLUMNS];
  int count = 0;
  dls_step_problem_unit_blocks(c);
  for (int l = 0; l < c->members; l++) {
    const int i = c->member[l];
    if (!c->active[i]) continue;
    for (int k = 0; k < dls_step_problem_rows(c, i); k++) {
      if (count == DLS_STEP_KKT_COLUMNS || (count > 0 && !same_components(c, list[0].contact, i))) {
        fill_columns(c, count, list);
        count = 0;
      }
      list[count++] = (column){i, k};
    }
  }
  if (count > 0) fill_columns(c, count, list);
}

// Friction alone has no normal: a number of the size of the others keeps the place, and the normal
// impulse is 0.
static void fill_place(dls_step_problem *c, int k)
{
  int own = 0;
  while (c->neighbour[c->neighbour_first[k] + own] != k) own++;
  double most = 0;
  for (int row = 1; row < c->dimension; row++)
    most = fmax(most, dls_step_problem_block(c, k, own, row)[row]);
  dls_step_problem_block(c, k, own, 0)[0] = most > 0 ? most : 1;
}

void dls_step_problem_refill(dls_step_problem *c)
{
  if (c->filled) return;
  fill(c);
  for (int k = 0; k < c->members; k++)
    if (c->active[c->member[k]] && c->point->system->contacts[c->contact[c->member[k]]].dry)
      fill_place(c, k);
  dls_step_problem_rescale(c);
  c->filled = true;
}

void dls_step_problem_take_out(dls_step_problem *c)
{
  const dls_pattern *W = &c->problem.W.pattern;
  dls_step_problem_refill(c);
  const int d = c->dimension;
  for (int col = 0; col < d * c->members; col++) {
    const int i = c->member[col / d];
    const double r = c->r[i * d + col % d] * c->unit * c->scale[i];
    if (!c->active[i] || r == 0) continue;
    for (int e = W->p[col]; e < W->p[col + 1]; e++) {
      const int row = W->i[e] % d, other = c->member[W->i[e] / d];
      if (c->active[other]) c->q[other * d + row] -= c->scale[other] * c->W[e] * r;
    }
  }
}
