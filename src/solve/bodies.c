// Taking a problem apart into bodies and contacts, and colouring them.
#include "solve/bodies.h"

#include "base/memory.h"
#include "base/union_find.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { N = DLS_BODY_SIZE };

void dls_bodies_free(dls_bodies *b)
{
  if (!b) return;
  free(b->place), free(b->L), free(b->y0), free(b->row), free(b->body);
  free(b->G), free(b->W), free(b->mu), free(b->w);
  free(b);
}

// ---- blocks of M ------------------------------------------------------------------------------

// The blocks are the connected components of the pattern, numbered by their first row.
static dls_status find_bodies(dls_bodies *b, const dls_incremental *p)
{
  const dls_pattern *s = &p->M.pattern;
  int *parent = dls_alloc(p->dof, sizeof *parent);
  int *used = dls_alloc(p->dof, sizeof *used);
  dls_status status = parent && used ? DLS_OK : DLS_ERR_MEMORY;
  for (int i = 0; status == DLS_OK && i < p->dof; i++) parent[i] = i;
  for (int j = 0; status == DLS_OK && j < p->dof; j++)
    for (int e = s->p[j]; e < s->p[j + 1]; e++) {
      dls_unite(parent, j, s->i[e]);
    }
  // a component that has only one row, like the axes of a sphere, may share a body with the next
  // ones when the same contacts touch them: rows 6k ... 6k + 5 when no block crosses their border
  bool aligned = p->dof % N == 0;
  for (int i = 0; status == DLS_OK && i < p->dof; i++)
    if (dls_class_of(parent, i) / N != i / N) aligned = false;
  for (int i = 0; status == DLS_OK && i < p->dof; i++) {
    const int body = aligned ? i / N : 0, first = dls_class_of(parent, i);
    if (aligned) b->place[i] = i;
    else if (first == i) b->place[i] = N * b->bodies++;
    else b->place[i] = b->place[first] + used[first];
    if (!aligned && ++used[first] > N) status = DLS_ERR_ARGUMENT;
    if (aligned) b->bodies = body + 1;
  }
  free(parent), free(used);
  return status;
}

// In place: rows of the lower factor.
static bool factor(double *A)
{
  for (int j = 0; j < N; j++) {
    double d = A[(N + 1) * j];
    for (int k = 0; k < j; k++) d -= A[N * j + k] * A[N * j + k];
    if (!(d > 0)) return false;
    A[(N + 1) * j] = sqrt(d);
    for (int i = j + 1; i < N; i++) {
      double t = A[N * i + j];
      for (int k = 0; k < j; k++) t -= A[N * i + k] * A[N * j + k];
      A[N * i + j] = t / A[(N + 1) * j], A[N * j + i] = 0;
    }
  }
  return true;
}

static void lower_solve(const double *L, double *x)
{
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < i; k++) x[i] -= L[N * i + k] * x[k];
    x[i] /= L[(N + 1) * i];
  }
}

static dls_status factor_mass(dls_bodies *b, const dls_incremental *p)
{
  const dls_pattern *s = &p->M.pattern;
  dls_clear(b->L, 36 * (ptrdiff_t)b->bodies);
  dls_clear(b->y0, 6 * (ptrdiff_t)b->bodies);
  for (ptrdiff_t k = 0; k < b->bodies; k++)
    for (ptrdiff_t i = 0; i < N; i++) b->L[36 * k + 7 * i] = 1;
  for (int j = 0; j < p->dof; j++) {
    const int at = b->place[j];
    b->L[(ptrdiff_t)36 * (at / N) + (7 * (at % N))] = 0;
    for (int e = s->p[j]; e < s->p[j + 1]; e++) {
      const int row = b->place[s->i[e]];
      b->L[(ptrdiff_t)36 * (at / N) + (N * (row % N) + at % N)] = p->M.x[e];
    }
    b->y0[at] = p->f[j];
  }
  for (ptrdiff_t k = 0; k < b->bodies; k++) {
    if (!factor(b->L + 36 * k)) return DLS_ERR_NUMBER;
    lower_solve(b->L + 36 * k, b->y0 + 6 * k);
  }
  return DLS_OK;
}

// ---- contacts ----------------------------------------------------------------------------------

// The one or two bodies that a contact touches, the first one always there. False: more than two.
static bool touched(const dls_bodies *b, const dls_incremental *p, int contact, int *body)
{
  const dls_pattern *s = &p->H.pattern;
  body[0] = body[1] = -1;
  for (int e = s->p[3 * contact]; e < s->p[3 * contact + 3]; e++) {
    const int k = b->place[s->i[e]] / N;
    if (k == body[0] || k == body[1]) continue;
    if (body[0] < 0) body[0] = k;
    else if (body[1] < 0) body[1] = k;
    else return false;
  }
  if (body[0] < 0) body[0] = 0;  // touches nothing: G = 0
  return true;
}

// Greedy: the first colour that neither body has yet, in the order of the problem.
static dls_status colour_contacts(dls_bodies *b, const dls_incremental *p)
{
  uint64_t *mask = dls_alloc(b->bodies, sizeof *mask);
  int *colour = dls_alloc(p->contacts, sizeof *colour), next[DLS_COLOURS] = {0};
  dls_status status = mask && colour ? DLS_OK : DLS_ERR_MEMORY;
  for (int c = 0; status == DLS_OK && c < p->contacts; c++) {
    int body[2], k = 0;
    if (!touched(b, p, c, body)) {
      status = DLS_ERR_ARGUMENT;
      break;
    }
    const uint64_t taken = mask[body[0]] | (body[1] < 0 ? 0 : mask[body[1]]);
    while (k < DLS_COLOURS - 1 && taken >> k & 1) k++;
    mask[body[0]] |= (uint64_t)1 << k;
    if (body[1] >= 0) mask[body[1]] |= (uint64_t)1 << k;
    colour[c] = k;
    b->colour[k + 1]++;
  }
  for (int k = 0; k < DLS_COLOURS; k++) b->colour[k + 1] += b->colour[k], next[k] = b->colour[k];
  for (int c = 0; status == DLS_OK && c < p->contacts; c++) {
    const int at = next[colour[c]]++;
    b->row[at] = c;
    touched(b, p, c, b->body + 2 * (ptrdiff_t)at);
  }
  free(mask), free(colour);
  return status;
}

static void fill_contact(dls_bodies *b, const dls_incremental *p, ptrdiff_t at)
{
  const dls_pattern *s = &p->H.pattern;
  const int contact = b->row[at];
  double *G = b->G + 36 * at, *W = b->W + 9 * at;
  dls_clear(G, 36);
  dls_clear(W, 9);
  for (int k = 0; k < 3; k++) {
    for (int e = s->p[3 * contact + k]; e < s->p[3 * contact + k + 1]; e++) {
      const int place = b->place[s->i[e]], side = place / N != b->body[2 * at];
      G[18 * side + 6 * k + place % N] = p->H.x[e];
    }
    for (int side = 0; side < 2; side++)
      if (b->body[2 * at + side] >= 0)
        lower_solve(b->L + (ptrdiff_t)36 * b->body[2 * at + side], G + 18 * side + 6 * k);
    b->w[3 * at + k] = p->w[3 * contact + k];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 6; k++)
        W[3 * i + j] += G[6 * i + k] * G[6 * j + k] + G[18 + 6 * i + k] * G[18 + 6 * j + k];
  b->mu[at] = p->mu[contact];
}

static dls_status fill(dls_bodies *b, const dls_incremental *p)
{
  const ptrdiff_t dof = p->dof, contacts = p->contacts;
  b->place = dls_alloc(dof, sizeof *b->place);
  if (!b->place) return DLS_ERR_MEMORY;
  dls_status status = find_bodies(b, p);
  if (status != DLS_OK) return status;
  b->L = dls_alloc(36 * (ptrdiff_t)b->bodies, sizeof(double));
  b->y0 = dls_alloc(6 * (ptrdiff_t)b->bodies, sizeof(double));
  b->row = dls_alloc(contacts, sizeof(int)), b->body = dls_alloc(2 * contacts, sizeof(int));
  b->G = dls_alloc(36 * contacts, sizeof(double)), b->W = dls_alloc(9 * contacts, sizeof(double));
  b->mu = dls_alloc(contacts, sizeof(double)), b->w = dls_alloc(3 * contacts, sizeof(double));
  if (!b->L || !b->y0 || !b->row || !b->body || !b->G || !b->W || !b->mu || !b->w)
    return DLS_ERR_MEMORY;
  status = colour_contacts(b, p);
  return status == DLS_OK ? dls_bodies_refresh(b, p) : status;
}

// |q| with q = G^T y0 + w
static double size_of_load(const dls_bodies *b)
{
  long double sum = 0;
  for (ptrdiff_t at = 0; at < b->contacts; at++)
    for (ptrdiff_t k = 0; k < 3; k++) {
      double q = b->w[3 * at + k];
      for (ptrdiff_t side = 0; side < 2 && b->body[2 * at + side] >= 0; side++)
        for (ptrdiff_t i = 0; i < N; i++)
          q += b->G[36 * at + 18 * side + 6 * k + i] *
               b->y0[(ptrdiff_t)N * b->body[2 * at + side] + i];
      sum += (long double)q * q;
    }
  return (double)sqrtl(sum);
}

dls_status dls_bodies_refresh(dls_bodies *b, const dls_incremental *p)
{
  const dls_status status = factor_mass(b, p);
  if (status != DLS_OK) return status;
  for (ptrdiff_t at = 0; at < b->contacts; at++) fill_contact(b, p, at);
  b->norm_q = size_of_load(b);
  return DLS_OK;
}

dls_status dls_bodies_create(const dls_incremental *p, dls_bodies **out)
{
  *out = NULL;
  if (!p->global || p->dimension != 3 || p->equations > 0 || p->dof < 1) return DLS_ERR_ARGUMENT;
  dls_bodies *b = dls_alloc(1, sizeof *b);
  if (!b) return DLS_ERR_MEMORY;
  b->contacts = p->contacts, b->dof = p->dof, b->unit = 1;
  const dls_status status = fill(b, p);
  if (status == DLS_OK) *out = b;
  else dls_bodies_free(b);
  return status;
}
