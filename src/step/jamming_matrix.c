// A of eq (cap.9) for a group of closed contacts, and its determinant.
#include "step/jamming_internal.h"

#include "step/tolerances.h"

#include <math.h>
#include <string.h>

bool dls_jamming_take_blocks(dls_integrator *g)
{
  dls_jamming *w = g->jamming;
  const dls_step_problem *c = g->moreau->contacts;
  memset(w->W, 0, sizeof w->W);
  for (int k = 0; k < w->members; k++) {
    const int i = w->group[k], place = c->place[i];
    if (place < 0 || !c->active[i] || c->frictionless) return false;
    for (int l = c->neighbour_first[place]; l < c->neighbour_first[place + 1]; l++)
      for (int o = 0; o < w->members; o++) {
        if (w->group[o] != c->member[c->neighbour[l]]) continue;
        for (int col = w->row[k]; col < w->row[k + 1]; col++) {
          const double *x =
              dls_step_problem_block(c, place, l - c->neighbour_first[place], col - w->row[k]);
          for (int row = w->row[o]; row < w->row[o + 1]; row++)
            w->W[row + DLS_JAMMING_ROWS * col] = x[row - w->row[o]];
        }
      }
  }
  return true;
}

void dls_jamming_make_blocks(dls_integrator *g)
{
  dls_jamming *w = g->jamming;
  const dls_step_problem *c = g->moreau->contacts;
  for (int k = 0; k < w->members; k++) {
    const int i = w->group[k];
    for (int col = w->row[k]; col < w->row[k + 1]; col++) {
      dls_snapshot_add_J(&g->point, c->contact[i], col - w->row[k], 1, w->x);
      for (int e = c->component_first[i]; e < c->component_first[i + 1]; e++)
        dls_step_kkt_solve_component(g->moreau->kkt, c->component[e], w->x);
      for (int o = 0; o < w->members; o++)
        for (int row = w->row[o]; row < w->row[o + 1]; row++)
          w->W[row + DLS_JAMMING_ROWS * col] =
              dls_snapshot_Jt_times(&g->point, c->contact[w->group[o]], row - w->row[o], w->x);
      for (int e = c->component_first[i]; e < c->component_first[i + 1]; e++)
        dls_step_kkt_clear_component(g->moreau->kkt, c->component[e], w->x);
    }
  }
}

// Of the leading `count` rows of A, rows and columns of unit diagonal before friction; 0: singular.
static double determinant(double *A, int count)
{
  double product = 1;
  for (int k = 0; k < count; k++) {
    int pivot = k;
    for (int i = k + 1; i < count; i++)
      if (fabs(A[i + DLS_JAMMING_ROWS * k]) > fabs(A[pivot + DLS_JAMMING_ROWS * k])) pivot = i;
    const double value = A[pivot + DLS_JAMMING_ROWS * k];
    if (!(fabs(value) > jam_rounding)) return 0;
    product *= pivot == k ? value : -value;
    for (int j = k; j < count; j++) {
      const double kept = A[k + DLS_JAMMING_ROWS * j];
      A[k + DLS_JAMMING_ROWS * j] = A[pivot + DLS_JAMMING_ROWS * j],
                               A[pivot + DLS_JAMMING_ROWS * j] = kept;
    }
    for (int i = k + 1; i < count; i++) {
      const double by = A[i + DLS_JAMMING_ROWS * k] / value;
      for (int j = k + 1; j < count; j++)
        A[i + DLS_JAMMING_ROWS * j] -= by * A[k + DLS_JAMMING_ROWS * j];
    }
  }
  return product;
}

// The column of member k's normal, with friction or without; into column `to` of A.
static void put_normal(dls_jamming *w, int k, const int *row, int count, double mu, int to)
{
  const int first = w->row[k];
  for (int r = 0; r < count; r++) {
    double sum = w->W[row[r] + DLS_JAMMING_ROWS * first];
    for (int l = first + 1; l < w->row[k + 1]; l++)
      sum -= mu * w->along[2 * k + l - first - 1] * w->W[row[r] + DLS_JAMMING_ROWS * l];
    w->A[r + DLS_JAMMING_ROWS * to] = sum / (w->size[row[r]] * w->size[first]);
  }
}

// det A, members that slide with friction or without.
static double det_of(const dls_integrator *g, bool friction)
{
  dls_jamming *w = g->jamming;
  const dls_step_problem *c = g->moreau->contacts;
  int row[DLS_JAMMING_ROWS], count = 0;
  for (int k = 0; k < w->members; k++) {
    row[count++] = w->row[k];
    for (int r = w->row[k] + 1; r < w->row[k + 1] && !w->sliding[k]; r++) row[count++] = r;
  }
  for (int k = 0, to = 0; k < w->members; k++) {
    const double mu = g->point.values->friction[c->contact[w->group[k]]];
    put_normal(w, k, row, count, friction && w->sliding[k] ? mu * w->side[k] : 0, to++);
    for (int l = w->row[k] + 1; l < w->row[k + 1] && !w->sliding[k]; l++, to++)
      for (int r = 0; r < count; r++)
        w->A[r + DLS_JAMMING_ROWS * to] =
            w->W[row[r] + DLS_JAMMING_ROWS * l] / (w->size[row[r]] * w->size[l]);
  }
  return determinant(w->A, count);
}

double dls_jamming_effect(dls_integrator *g)
{
  dls_jamming *w = g->jamming;
  const dls_step_problem *c = g->moreau->contacts;
  for (int r = 0; r < w->rows; r++) {
    w->size[r] = sqrt(w->W[r + DLS_JAMMING_ROWS * r]);
    if (!(w->size[r] > 0)) return NAN;
  }
  const double without = det_of(g, false);
  if (!(without > 0)) return NAN;
  double least = det_of(g, true);
  for (int k = 0; k < w->members; k++) {
    if (!w->sliding[k] || !g->moreau->bilateral[c->contact[w->group[k]]]) continue;
    w->side[k] *= -1;
    least = fmin(least, det_of(g, true));
    w->side[k] *= -1;
  }
  return least / without;
}

int dls_jamming_max_doubtful(const dls_integrator *g)
{
  const dls_jamming *w = g->jamming;
  int worst = 0;
  double least = INFINITY;
  for (int k = 0; k < w->members; k++) {
    if (!w->sliding[k]) continue;
    const int j = g->moreau->contacts->contact[w->group[k]], first = w->row[k];
    double coupled = 0;
    for (int l = first + 1; l < w->row[k + 1]; l++)
      coupled += w->along[2 * k + l - first - 1] * w->W[first + DLS_JAMMING_ROWS * l];
    if (g->moreau->bilateral[j]) coupled = fabs(coupled);
    const double effect =
        1 - g->point.values->friction[j] * coupled / w->W[first + DLS_JAMMING_ROWS * first];
    if (effect < least) least = effect, worst = k;
  }
  return worst;
}
