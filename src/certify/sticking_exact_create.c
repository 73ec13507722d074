// Planar contacts without rounding: may whole numbers decide here? They take data as they are, and
// contacts that depend on each other up to rounding are independent for them.          eq (num.1)
#include "certify/sticking_exact.h"

#include "base/memory.h"
#include "linalg/dense.h"

#include <stdlib.h>

enum { MOST_SIGNS = 6, LARGEST = 80 };

typedef struct dls_stick_exact exact;

typedef struct rank {
  bool same;      // without rounding and by singular values
  bool doubtful;  // some are too small to trust and too large to be rounding
} rank;

// Rows are count x n, by rows.                                                       eq (num.1)
static dls_status find_rank(const dls_polyhedra *c, int count, int n, const double *rows, rank *r)
{
  const ptrdiff_t size = (ptrdiff_t)count * n, least = (count < n ? count : n);
  double *block = dls_alloc(2 * size + count + least, sizeof *block), *S = block + size;
  double *a = S + least;
  bool *equation = dls_alloc(count, sizeof *equation);
  dls_status status = block && equation ? DLS_OK : DLS_ERR_MEMORY;
  int exactly = 0, about = 0;
  dls_exact_outcome outcome = DLS_EXACT_LARGE;
  for (int i = 0; i < count && status == DLS_OK; i++) {
    equation[i] = true;
    for (int j = 0; j < n; j++) block[i + count * j] = a[i * (n + 1) + j] = rows[i * n + j];
  }
  const dls_exact_rows data = {count, n, a, equation};
  if (status == DLS_OK) status = dls_exact_solve(&data, NULL, NULL, &exactly, &outcome);
  if (status == DLS_OK) status = dls_svd(count, n, block, NULL, S, NULL);
  for (ptrdiff_t k = 0; k < least && status == DLS_OK; k++) {
    const bool counts = S[k] > c->tolerance * S[0];
    about += counts;
    r->doubtful |= !counts && S[k] > c->x->basic.noise * S[0];
  }
  r->same &= outcome != DLS_EXACT_LARGE && exactly == about;
  free(block), free(equation);
  return status;
}

// Contacts that depend on each other up to rounding only are for other methods, and those that do
// so almost for none.
static dls_status assess_data(dls_stick *s, bool *usable)
{
  const dls_polyhedra *c = s->polyhedra;
  const int contacts = c->m + s->held_tangents, n = c->n;
  double *rows = dls_alloc((ptrdiff_t)(contacts + n) * n, sizeof *rows);
  rank r = {.same = true}, normals = {.same = true};
  if (!rows) return DLS_ERR_MEMORY;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < c->m; j++) rows[i + n * j] = c->G[i + n * j];
    for (int k = 0; k < c->tangents; k++)
      if (s->slip_row[k] >= 0) rows[i + n * (c->m + s->slip_row[k])] = c->H[i + n * k];
    for (int k = 0; k < n; k++) rows[i + n * (contacts + k)] = c->M[i + n * k];
  }
  dls_status status = find_rank(c, contacts, n, rows, &r);
  if (status == DLS_OK) status = find_rank(c, contacts + n, n, rows, &r);
  if (status == DLS_OK) status = find_rank(c, c->m, n, rows, &normals);
  *usable = r.same, s->doubtful = r.doubtful, s->nearly = normals.doubtful;
  free(rows);
  return status;
}

// Equations that contradict each other by rounding only are for other methods, too.
static dls_status find_consistent(dls_stick *s)
{
  exact *e = s->exact;
  dls_status status = DLS_OK;
  e->usable = e->equations_only = true;
  for (int p = 0; p < 1 << e->signs && status == DLS_OK && e->usable; p++) {
    dls_exact_outcome outcome = DLS_EXACT_LARGE;
    dls_stick_exact_pattern(s, p, DLS_LAW_GIVEN);
    status = dls_stick_exact_solve(s, DLS_SHAPE_WHOLE, -1, &outcome);
    if (status == DLS_OK && outcome == DLS_EXACT_EMPTY) {
      dls_stick_exact_proof(s);
      e->usable = dls_proof_check(s->polyhedra, e->mode, &s->proof) > s->polyhedra->tolerance;
    }
    e->usable &= outcome != DLS_EXACT_LARGE;
  }
  e->equations_only = false;
  return status;
}

static dls_status allocate(dls_stick *s, exact *e, ptrdiff_t cols)
{
  const dls_polyhedra *c = s->polyhedra;
  dls_context *x = c->x;
  const ptrdiff_t rows = 2 * cols + 2 * (ptrdiff_t)c->tangents + c->m + 2;
  *e = (exact){.cols = (int)cols};
  e->a = dls_context_work(x, rows * (cols + 1));
  e->x = dls_context_work(x, cols), e->y = dls_context_work(x, rows);
  e->equation = dls_arena_alloc(x->work, rows, sizeof *e->equation);
  e->row_of = dls_arena_alloc(x->work, cols, sizeof *e->row_of);
  e->either = dls_arena_alloc(x->work, c->m, sizeof *e->either);
  e->cone_at = dls_arena_alloc(x->work, c->m, sizeof *e->cone_at);
  e->law = dls_arena_alloc(x->work, c->m, 1);
  e->mode = dls_arena_alloc(x->work, c->m, 1);
  const bool all = e->equation && e->row_of && e->either && e->cone_at && e->law && e->mode;
  return x->out_of_memory || !all ? DLS_ERR_MEMORY : DLS_OK;
}

dls_status dls_stick_exact_create(dls_stick *s)
{
  const dls_polyhedra *c = s->polyhedra;
  const ptrdiff_t cols = (ptrdiff_t)c->n + c->m + c->tangents + 1;
  bool same = false, planar = true;
  if (cols > LARGEST) return DLS_OK;
  dls_status status = assess_data(s, &same);
  for (int j = 0; j < c->m; j++) planar &= !s->held[j] || dls_polyhedra_tangents(c, j) == 1;
  if (status != DLS_OK || !planar) return status;
  exact *e = dls_arena_alloc(c->x->work, 1, sizeof *e);
  status = e ? allocate(s, e, cols) : DLS_ERR_MEMORY;
  if (status != DLS_OK) return status;
  for (int j = 0; j < c->m_b; j++)
    if (s->held[j] || dls_stick_slides(s, j)) e->either[e->signs++] = j;
  if (e->signs > MOST_SIGNS) return DLS_OK;
  s->exact = e;
  if (same) status = find_consistent(s);
  if (!same || !e->usable) s->objector = e, s->exact = NULL;
  return status;
}
