// Unsmoothed aggregation: the coarse motions are the rigid ones of the aggregates,
//
//   v_i = V + Omega x (x_i - X),                                                     eq (bod.4)
//
// which cost no energy inside an aggregate. Symmetric block Gauss-Seidel before and after, and two
// steps of conjugate gradients on every coarse level (a K-cycle).
#include "base/memory.h"
#include "solve/multigrid_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_DENSE = 6000 };            // unknowns of the coarsest level
static const double least_coarser = 0.8;  // of the bodies: with more another level is not worth it

static void *take(dls_multigrid *g, ptrdiff_t count, size_t size)
{
  g->bytes += dls_bytes(count, size);
  return dls_alloc(count, size);
}

void dls_multigrid_free(dls_multigrid *g)
{
  if (!g) return;
  for (int k = 0; k < LEVELS; k++) {
    level *l = g->at + k;
    free(l->p), free(l->col), free(l->aggregate), free(l->map), free(l->value), free(l->diagonal);
    free(l->inverse), free(l->P), free(l->place);
    for (int i = 0; i < WORK; i++) free(l->work[i]);
  }
  free(g->slot), free(g->dense);
  free(g);
}

static bool level_numbers(dls_multigrid *g, level *l)
{
  const ptrdiff_t n = l->n;
  l->value = take(g, B * (ptrdiff_t)l->p[n], sizeof(double));
  l->diagonal = take(g, B * n, sizeof(double)), l->inverse = take(g, B * n, sizeof(double));
  bool good = l->value && l->diagonal && l->inverse;
  for (int i = 0; i < WORK; i++) {
    l->work[i] = take(g, N * n, sizeof(double));
    good = good && l->work[i];
  }
  return good;
}

// ---- the finest level --------------------------------------------------------------------------

// Blocks of a body: one for each other body that it touches.
static bool fine_pattern(dls_multigrid *g)
{
  const dls_bodies *b = g->b;
  level *l = g->at;
  const ptrdiff_t n = b->bodies, contacts = b->contacts;
  l->n = b->bodies;
  l->p = take(g, n + 1, sizeof(int)), l->col = take(g, 2 * contacts, sizeof(int));
  g->slot = take(g, 2 * contacts, sizeof(int));
  int *first = dls_alloc(n + 1, sizeof(int)), *list = dls_alloc(2 * contacts, sizeof(int));
  int *mark = dls_alloc(n, sizeof(int)), count = 0;
  const bool good = l->p && l->col && g->slot && first && list && mark;
  if (good) {
    for (ptrdiff_t e = 0; e < 2 * contacts; e++)
      if (b->body[e] >= 0) first[b->body[e] + 1]++;
    for (ptrdiff_t i = 0; i < n; i++) first[i + 1] += first[i], mark[i] = first[i];
    for (ptrdiff_t e = 0; e < 2 * contacts; e++)
      if (b->body[e] >= 0) list[mark[b->body[e]]++] = (int)e;
    for (ptrdiff_t i = 0; i < n; i++) mark[i] = -1;
    for (ptrdiff_t i = 0; i < n; i++) {
      for (int e = first[i]; e < first[i + 1]; e++) {
        const int other = b->body[list[e] ^ 1];
        if (other < 0) continue;
        if (mark[other] < l->p[i]) mark[other] = count, l->col[count++] = other;
        g->slot[list[e]] = mark[other];
      }
      l->p[i + 1] = count;
    }
  }
  free(first), free(list), free(mark);
  return good && level_numbers(g, l);
}

// Where the contact is, seen from a body: T_k = lever x e_k, so that sum e_k x T_k = 2 lever.
static void lever(const dls_bodies *b, const dls_incremental *p, ptrdiff_t at, int body, double *x)
{
  const dls_pattern *s = &p->H.pattern;
  x[0] = x[1] = x[2] = 0;
  for (int k = 0; k < 3; k++) {
    double h[N] = {0};
    const int column = 3 * b->row[at] + k;
    for (int e = s->p[column]; e < s->p[column + 1]; e++)
      if (b->place[s->i[e]] / N == body) h[b->place[s->i[e]] % N] = p->H.x[e];
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, m = (i + 2) % 3;
      x[i] += 0.5 * (h[j] * h[3 + m] - h[m] * h[3 + j]);
    }
  }
}

// Walks from body to body over the contacts.
static bool find_places(dls_multigrid *g, const dls_incremental *p)
{
  const dls_bodies *b = g->b;
  level *l = g->at;
  const ptrdiff_t n = b->bodies, contacts = b->contacts;
  l->place = take(g, 3 * n, sizeof(double));
  int *queue = dls_alloc(n, sizeof(int)), *contact = dls_alloc(2 * contacts, sizeof(int));
  bool *seen = dls_alloc(n, sizeof(bool));
  const bool good = l->place && queue && contact && seen;
  for (ptrdiff_t e = 0; good && e < 2 * contacts; e++)
    if (b->body[e] >= 0 && b->body[e ^ 1] >= 0) contact[g->slot[e]] = (int)(e / 2);
  for (ptrdiff_t start = 0; good && start < n; start++) {
    if (seen[start]) continue;
    ptrdiff_t head = 0, tail = 0;
    queue[tail++] = (int)start, seen[start] = true;
    while (head < tail) {
      const int i = queue[head++];
      for (int e = l->p[i]; e < l->p[i + 1]; e++) {
        const int j = l->col[e];
        if (seen[j]) continue;
        double own[3], other[3];
        lever(b, p, contact[e], i, own), lever(b, p, contact[e], j, other);
        for (int k = 0; k < 3; k++) l->place[3 * j + k] = l->place[3 * i + k] + own[k] - other[k];
        seen[j] = true, queue[tail++] = j;
      }
    }
  }
  free(queue), free(contact), free(seen);
  return good;
}

// ---- coarser levels ----------------------------------------------------------------------------

// A body with all its neighbours where none of them is taken yet; then the rest joins the aggregate
// with most neighbours.
static bool aggregate(dls_multigrid *g, level *l)
{
  const int n = l->n;
  int *a = take(g, n, sizeof(int)), *first = dls_alloc(n, sizeof(int)), count = 0;
  l->aggregate = a;
  if (!a || !first) {
    free(first);
    return false;
  }
  for (int i = 0; i < n; i++) a[i] = -1;
  for (int i = 0; i < n; i++) {
    bool free_around = a[i] < 0;
    for (int e = l->p[i]; e < l->p[i + 1]; e++) free_around = free_around && a[l->col[e]] < 0;
    if (!free_around) continue;
    a[i] = count;
    for (int e = l->p[i]; e < l->p[i + 1]; e++) a[l->col[e]] = count;
    count++;
  }
  dls_copy(first, a, n);
  for (int i = 0; i < n; i++) {
    int most = 0;
    for (int e = l->p[i]; first[i] < 0 && e < l->p[i + 1]; e++) {
      int votes = 0;
      for (int f = l->p[i]; f < l->p[i + 1]; f++) votes += first[l->col[f]] == first[l->col[e]];
      if (first[l->col[e]] >= 0 && votes > most) most = votes, a[i] = first[l->col[e]];
    }
    if (a[i] < 0) a[i] = count++;
  }
  l->coarse = count;
  free(first);
  return true;
}

static bool coarse_pattern(dls_multigrid *g, level *l, level *c)
{
  const ptrdiff_t n = l->n, nc = l->coarse, blocks = l->p[n];
  c->n = l->coarse;
  c->p = take(g, nc + 1, sizeof(int)), c->col = take(g, blocks, sizeof(int));
  l->map = take(g, blocks, sizeof(int));
  int *first = dls_alloc(nc + 1, sizeof(int)), *list = dls_alloc(n, sizeof(int));
  int *mark = dls_alloc(nc, sizeof(int)), count = 0;
  const bool good = c->p && c->col && l->map && first && list && mark;
  if (good) {
    for (ptrdiff_t i = 0; i < n; i++) first[l->aggregate[i] + 1]++;
    for (ptrdiff_t i = 0; i < nc; i++) first[i + 1] += first[i], mark[i] = first[i];
    for (ptrdiff_t i = 0; i < n; i++) list[mark[l->aggregate[i]]++] = (int)i;
    for (ptrdiff_t i = 0; i < nc; i++) mark[i] = -1;
    for (ptrdiff_t I = 0; I < nc; I++) {
      for (int q = first[I]; q < first[I + 1]; q++)
        for (int e = l->p[list[q]]; e < l->p[list[q] + 1]; e++) {
          const int J = l->aggregate[l->col[e]];
          if (J != (int)I && mark[J] < c->p[I]) mark[J] = count, c->col[count++] = J;
          l->map[e] = J == (int)I ? -1 : mark[J];
        }
      c->p[I + 1] = count;
    }
  }
  free(first), free(list), free(mark);
  return good && level_numbers(g, c);
}

// eq (bod.4), on the finest level in y = L^T v
static bool rigid_motions(dls_multigrid *g, level *l, level *c)
{
  const ptrdiff_t n = l->n, nc = l->coarse;
  l->P = take(g, B * n, sizeof(double)), c->place = take(g, 3 * nc, sizeof(double));
  int *count = dls_alloc(nc, sizeof(int));
  const bool good = l->P && c->place && count;
  for (ptrdiff_t i = 0; good && i < n; i++) {
    count[l->aggregate[i]]++;
    for (ptrdiff_t k = 0; k < 3; k++)
      c->place[3 * (ptrdiff_t)l->aggregate[i] + k] += l->place[3 * i + k];
  }
  for (ptrdiff_t I = 0; good && I < nc; I++)
    for (ptrdiff_t k = 0; k < 3; k++) c->place[3 * I + k] /= count[I];
  for (ptrdiff_t i = 0; good && i < n; i++) {
    double d[3], R[B] = {0}, *P = l->P + B * i;
    for (ptrdiff_t k = 0; k < 3; k++)
      d[k] = l->place[3 * i + k] - c->place[3 * (ptrdiff_t)l->aggregate[i] + k];
    for (int k = 0; k < N; k++) R[(N + 1) * k] = 1;
    R[4] = d[2], R[5] = -d[1], R[9] = -d[2], R[11] = d[0], R[15] = d[1], R[16] = -d[0];
    const double *L = g->b->L + B * i;
    for (int a = 0; a < N; a++)
      for (int k = 0; k < N; k++) {
        P[N * a + k] = l == g->at ? 0 : R[N * a + k];
        for (int m = a; l == g->at && m < N; m++) P[N * a + k] += L[N * m + a] * R[N * m + k];
      }
  }
  free(count);
  return good;
}

dls_status dls_multigrid_create(const dls_bodies *b, const dls_incremental *problem,
                                dls_multigrid **out)
{
  dls_multigrid *g = dls_alloc(1, sizeof *g);
  *out = NULL;
  if (!g) return DLS_ERR_MEMORY;
  g->b = b, g->levels = 1;
  bool good = fine_pattern(g) && find_places(g, problem);
  while (good && g->levels < LEVELS && g->at[g->levels - 1].n > COARSEST) {
    level *l = g->at + g->levels - 1;
    good = aggregate(g, l);
    if (!good || l->coarse > least_coarser * l->n) break;
    good = coarse_pattern(g, l, l + 1) && rigid_motions(g, l, l + 1);
    g->levels++;
  }
  const ptrdiff_t last = N * (ptrdiff_t)g->at[g->levels - 1].n;
  g->dense = good && last <= LARGEST_DENSE ? take(g, last * last, sizeof(double)) : NULL;
  if (good && g->dense) *out = g;
  else dls_multigrid_free(g);
  if (good && last > LARGEST_DENSE) return DLS_ERR_LIMIT;  // bodies that do not touch each other
  return *out ? DLS_OK : DLS_ERR_MEMORY;
}

// ---- numbers -----------------------------------------------------------------------------------

static bool invert(const double *A, double *inverse)
{
  double L[B];
  memcpy(L, A, sizeof L);
  for (int j = 0; j < N; j++) {
    double d = L[(N + 1) * j];
    for (int k = 0; k < j; k++) d -= L[N * j + k] * L[N * j + k];
    if (!(d > 0) || !isfinite(d)) return false;
    L[(N + 1) * j] = sqrt(d);
    for (int i = j + 1; i < N; i++) {
      for (int k = 0; k < j; k++) L[N * i + j] -= L[N * i + k] * L[N * j + k];
      L[N * i + j] /= L[(N + 1) * j];
    }
  }
  for (int c = 0; c < N; c++) {
    double x[N] = {0};
    x[c] = 1;
    for (int i = 0; i < N; i++) {
      for (int k = 0; k < i; k++) x[i] -= L[N * i + k] * x[k];
      x[i] /= L[(N + 1) * i];
    }
    for (int i = N - 1; i >= 0; i--) {
      for (int k = i + 1; k < N; k++) x[i] -= L[N * k + i] * x[k];
      x[i] /= L[(N + 1) * i];
    }
    for (int i = 0; i < N; i++) inverse[N * i + c] = x[i];
  }
  return true;
}

static void fill_fine(dls_multigrid *g)
{
  const dls_bodies *b = g->b;
  level *l = g->at;
  const ptrdiff_t n = l->n;
  dls_clear(l->value, B * (ptrdiff_t)l->p[n]);
  dls_clear(l->diagonal, B * n);
  for (ptrdiff_t i = 0; i < n; i++)
    for (ptrdiff_t k = 0; k < N; k++) l->diagonal[B * i + (N + 1) * k] = 1;
  for (ptrdiff_t at = 0; at < b->contacts; at++)
    for (ptrdiff_t t = 0; t < 2 && b->body[2 * at + t] >= 0; t++) {
      const double *D = g->D + 9 * at, *G = b->G + 36 * at + 18 * t;
      double DG[18];
      for (int k = 0; k < 3; k++)
        for (int j = 0; j < N; j++)
          DG[N * k + j] = D[3 * k] * G[j] + D[3 * k + 1] * G[N + j] + D[3 * k + 2] * G[2 * N + j];
      for (ptrdiff_t s = 0; s < 2 && b->body[2 * at + s] >= 0; s++) {
        const double *E = b->G + 36 * at + 18 * s;
        double *block = s == t ? l->diagonal + B * (ptrdiff_t)b->body[2 * at + s]
                               : l->value + B * (ptrdiff_t)g->slot[2 * at + s];
        for (int i = 0; i < N; i++)
          for (int j = 0; j < N; j++)
            block[N * i + j] += E[i] * DG[j] + E[N + i] * DG[N + j] + E[2 * N + i] * DG[2 * N + j];
      }
    }
}

// C += P^T A Q
static void add_product(const double *P, const double *A, const double *Q, double *C)
{
  double AQ[B];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < N; k++) sum += A[N * i + k] * Q[N * k + j];
      AQ[N * i + j] = sum;
    }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < N; k++) sum += P[N * k + i] * AQ[N * k + j];
      C[N * i + j] += sum;
    }
}

static void fill_coarse(const level *l, level *c)
{
  dls_clear(c->value, B * (ptrdiff_t)c->p[c->n]);
  dls_clear(c->diagonal, B * (ptrdiff_t)c->n);
  for (ptrdiff_t i = 0; i < l->n; i++) {
    double *diagonal = c->diagonal + B * (ptrdiff_t)l->aggregate[i];
    add_product(l->P + B * i, l->diagonal + B * i, l->P + B * i, diagonal);
    for (int e = l->p[i]; e < l->p[i + 1]; e++)
      add_product(l->P + B * i, l->value + (ptrdiff_t)B * e, l->P + (ptrdiff_t)B * l->col[e],
                  l->map[e] < 0 ? diagonal : c->value + (ptrdiff_t)B * l->map[e]);
  }
}

static bool factor_coarsest(dls_multigrid *g)
{
  const level *l = g->at + g->levels - 1;
  const ptrdiff_t size = (ptrdiff_t)N * l->n;
  double *A = g->dense;
  dls_clear(A, size * size);
  for (int i = 0; i < l->n; i++)
    for (int k = 0; k < B; k++) {
      double *row = A + size * (N * (ptrdiff_t)i + k / N) + k % N;
      row[N * (ptrdiff_t)i] = l->diagonal[B * (ptrdiff_t)i + k];
      for (int e = l->p[i]; e < l->p[i + 1]; e++)
        row[N * (ptrdiff_t)l->col[e]] = l->value[B * (ptrdiff_t)e + k];
    }
  for (ptrdiff_t j = 0; j < size; j++)
    for (ptrdiff_t i = j; i < size; i++) {
      double sum = A[size * i + j];
      for (ptrdiff_t k = 0; k < j; k++) sum -= A[size * i + k] * A[size * j + k];
      if (i == j && !(sum > 0)) return false;
      A[size * i + j] = i == j ? sqrt(sum) : sum / A[size * j + j];
    }
  return true;
}

bool dls_multigrid_fill(dls_multigrid *g, const double *D)
{
  g->D = D;
  fill_fine(g);
  for (int k = 0; k < g->levels; k++) {
    level *l = g->at + k;
    if (k + 1 < g->levels) fill_coarse(l, l + 1);
    for (ptrdiff_t i = 0; i < l->n; i++)
      if (!invert(l->diagonal + B * i, l->inverse + B * i)) return false;
  }
  return factor_coarsest(g);
}
