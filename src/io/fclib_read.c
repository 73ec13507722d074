// FCLIB files, read.
//
// Local problems have the groups W, V, R and the vectors mu, q, s:
//
//   u = W r + V l + q,   0 = V^T r + R l + s
//
// with Coulomb's law between u and r; global ones M, H, G and mu, f, w, b:
//
//   M v = H r + G l + f,   u = H^T v + w,   0 = G^T v + b.
//
// V, R, s and G, b are there only with equations. Their multipliers l take the same side as r, so
// that the equations are further rows: W is [W V; V^T R] with q = (q, s), and H is [H G] with
// w = (w, b), of eq (inc.1) and eq (inc.2). No sign changes.
#include "base/memory.h"
#include "base/message.h"
#include "io/fclib_matrix.h"
#include "io/fclib_own.h"
#include "contact/incremental.h"

#include <stdio.h>
#include <string.h>

enum { MOST_GUESSES = 1000 };

// The file, and what is being made of it. What is read goes to the arena of h, which dies after
// reading; what stays goes to the arena of out.
typedef struct reading {
  dls_hdf5 h;
  dls_fclib_own *out;
} reading;

static void *stay(reading *r, int count, size_t size)
{
  void *place = dls_arena_alloc(r->out->arena, count, size);
  if (!place) dls_hdf5_fail(&r->h, DLS_ERR_MEMORY, NULL, "out of memory");
  return place;
}

// The numbers of up to two datasets, one after the other; the second may be NULL: zeros.
static const double *joined(reading *r, const char *first, int m, const char *second, int n)
{
  const double *a = dls_hdf5_numbers(&r->h, first, m, m);
  const double *b = second ? dls_hdf5_numbers(&r->h, second, n, n) : NULL;
  double *x = a && (b || !second) ? stay(r, m + n, sizeof *x) : NULL;
  if (!x) return NULL;
  if (m) memcpy(x, a, (size_t)m * sizeof *x);
  if (n && b) memcpy(x + m, b, (size_t)n * sizeof *x);
  return x;
}

// Rows of contacts give their number.
static bool count_contacts(reading *r, const dls_fclib_matrix *A, const char *what, int rows)
{
  dls_incremental *p = &r->out->base.problem;
  if (rows % p->dimension)
    return dls_hdf5_fail(&r->h, DLS_ERR_FILE, A->place, "%d %s are not a multiple of %d, spacedim",
                         rows, what, p->dimension);
  p->contacts = rows / p->dimension;
  return true;
}

// The sizes are compared with the vectors, which must be in the file, before a matrix takes memory
// that follows from a number alone.
static bool read_local(reading *r)
{
  dls_incremental *p = &r->out->base.problem;
  dls_hdf5 *h = &r->h;
  dls_fclib_matrix W, V = {0}, R = {0};
  p->dimension = (int)dls_hdf5_integer(h, "/fclib_local/spacedim", 2, 3);
  if (!dls_fclib_matrix_sizes(h, "/fclib_local/W", &W)) return false;
  if (!dls_fclib_matrix_expect(h, &W, W.m, W.m) || !count_contacts(r, &W, "rows", W.m))
    return false;
  const bool mixed = dls_hdf5_has(h, "/fclib_local/V") || dls_hdf5_has(h, "/fclib_local/R");
  if (mixed) {
    if (!dls_fclib_matrix_sizes(h, "/fclib_local/V", &V)) return false;
    if (!dls_fclib_matrix_sizes(h, "/fclib_local/R", &R)) return false;
    p->equations = R.m;
    if (!dls_fclib_matrix_expect(h, &R, R.m, R.m)) return false;
    if (!dls_fclib_matrix_expect(h, &V, W.m, R.m)) return false;
  }
  p->mu = joined(r, "/fclib_local/vectors/mu", p->contacts, NULL, 0);
  p->q = joined(r, "/fclib_local/vectors/q", W.m, mixed ? "/fclib_local/vectors/s" : NULL,
                p->equations);
  if (!p->mu || !p->q || !dls_fclib_matrix_entries(h, &W)) return false;
  if (mixed && (!dls_fclib_matrix_entries(h, &V) || !dls_fclib_matrix_entries(h, &R))) return false;
  const dls_fclib_block blocks[] = {
      {&W, 0, 0, false}, {&V, 0, W.m, false}, {&V, W.m, 0, true}, {&R, W.m, W.m, false}};
  const int rows = W.m + p->equations;
  return dls_fclib_assemble(h, r->out->arena, rows, rows, mixed ? 4 : 1, blocks, &p->W);
}

static bool read_global(reading *r)
{
  dls_incremental *p = &r->out->base.problem;
  dls_hdf5 *h = &r->h;
  dls_fclib_matrix M, H, G = {0};
  p->global = true;
  p->dimension = (int)dls_hdf5_integer(h, "/fclib_global/spacedim", 2, 3);
  if (!dls_fclib_matrix_sizes(h, "/fclib_global/M", &M)) return false;
  if (!dls_fclib_matrix_sizes(h, "/fclib_global/H", &H)) return false;
  p->dof = M.m;
  if (!dls_fclib_matrix_expect(h, &M, M.m, M.m) || !dls_fclib_matrix_expect(h, &H, M.m, H.n))
    return false;
  if (!count_contacts(r, &H, "columns", H.n)) return false;
  const bool mixed = dls_hdf5_has(h, "/fclib_global/G");
  if (mixed) {
    if (!dls_fclib_matrix_sizes(h, "/fclib_global/G", &G)) return false;
    p->equations = G.n;
    if (!dls_fclib_matrix_expect(h, &G, M.m, G.n)) return false;
  }
  p->mu = joined(r, "/fclib_global/vectors/mu", p->contacts, NULL, 0);
  p->f = joined(r, "/fclib_global/vectors/f", p->dof, NULL, 0);
  p->w = joined(r, "/fclib_global/vectors/w", H.n, mixed ? "/fclib_global/vectors/b" : NULL,
                p->equations);
  if (!p->mu || !p->f || !p->w) return false;
  if (!dls_fclib_matrix_entries(h, &M) || !dls_fclib_matrix_entries(h, &H)) return false;
  if (mixed && !dls_fclib_matrix_entries(h, &G)) return false;
  const dls_fclib_block mass = {&M, 0, 0, false};
  const dls_fclib_block blocks[] = {{&H, 0, 0, false}, {&G, 0, H.n, false}};
  return dls_fclib_assemble(h, r->out->arena, p->dof, p->dof, 1, &mass, &p->M) &&
         dls_fclib_assemble(h, r->out->arena, p->dof, H.n + p->equations, mixed ? 2 : 1, blocks,
                            &p->H);
}

// ---- what comes with a problem -----------------------------------------------------------------

static bool read_point(reading *r, const char *group, dls_fclib_point *point)
{
  const dls_incremental *p = &r->out->base.problem;
  const int rows = p->dimension * p->contacts;
  char u[40], f[40], l[40], v[40];
  snprintf(u, sizeof u, "%.30s/u", group);
  snprintf(f, sizeof f, "%.30s/r", group);
  snprintf(l, sizeof l, "%.30s/l", group);
  snprintf(v, sizeof v, "%.30s/v", group);
  if (dls_hdf5_filled(&r->h, u)) point->u = joined(r, u, rows, NULL, p->equations);
  if (dls_hdf5_filled(&r->h, f))
    point->r = joined(r, f, rows, p->equations ? l : NULL, p->equations);
  if (p->global && dls_hdf5_filled(&r->h, v)) point->v = joined(r, v, p->dof, NULL, 0);
  return r->h.status == DLS_OK;
}

static bool read_guesses(reading *r)
{
  dls_fclib *out = &r->out->base;
  if (!dls_hdf5_has(&r->h, "/guesses")) return r->h.status == DLS_OK;
  const int count = (int)dls_hdf5_integer(&r->h, "/guesses/number_of_guesses", 0, MOST_GUESSES);
  dls_fclib_point *guess = r->h.status == DLS_OK ? stay(r, count, sizeof *guess) : NULL;
  for (int k = 0; guess && k < count; k++) {
    char group[30];
    snprintf(group, sizeof group, "/guesses/%d", k + 1);
    if (!dls_hdf5_has(&r->h, group))
      return dls_hdf5_fail(&r->h, DLS_ERR_FILE, group, "it is missing");
    if (!read_point(r, group, &guess[k])) return false;
  }
  out->guesses = count;
  out->guess = guess;
  return r->h.status == DLS_OK;
}

static const char *read_text(reading *r, const char *name)
{
  char place[40];
  snprintf(place, sizeof place, "/fclib_%s/info/%.15s",
           r->out->base.problem.global ? "global" : "local", name);
  const char *text = dls_hdf5_text(&r->h, place);
  const char *copy = dls_arena_copy(r->out->arena, text, strlen(text));
  if (!copy) dls_hdf5_fail(&r->h, DLS_ERR_MEMORY, NULL, "out of memory");
  return copy;
}

static bool read_all(reading *r)
{
  dls_fclib *out = &r->out->base;
  const bool global = dls_hdf5_has(&r->h, "/fclib_global");
  if (!global && !dls_hdf5_has(&r->h, "/fclib_local"))
    return dls_hdf5_fail(&r->h, DLS_ERR_FILE, NULL,
                         "no FCLIB problem: neither /fclib_local nor /fclib_global is there");
  if (!(global ? read_global(r) : read_local(r))) return false;
  dls_message text = {0};
  const dls_status status = dls_incremental_validate(&out->problem, &text);
  if (status != DLS_OK)
    return dls_hdf5_fail(&r->h, status == DLS_ERR_ARGUMENT ? DLS_ERR_FILE : status, NULL, "%s",
                         text.text);
  out->title = read_text(r, "title");
  out->description = read_text(r, "description");
  out->mathematics = read_text(r, "math_info");
  if (dls_hdf5_has(&r->h, "/solution") && !read_point(r, "/solution", &out->solution)) return false;
  return read_guesses(r);
}

// ---- the calls ---------------------------------------------------------------------------------

dls_status dls_fclib_read(const char *path, dls_fclib **out, dls_message *message)
{
  *out = NULL;
  if (message) message->text[0] = 0;
  dls_arena *keep = dls_arena_create(), *work = dls_arena_create();
  dls_fclib_own *own = keep ? dls_arena_alloc(keep, 1, sizeof *own) : NULL;
  if (!own || !work) {
    dls_arena_free(keep);
    dls_arena_free(work);
    return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  }
  own->arena = keep;
  reading r = {.out = own};
  if (dls_hdf5_open(&r.h, path, work, message)) read_all(&r);
  dls_hdf5_close(&r.h);
  dls_arena_free(work);
  if (r.h.status == DLS_OK) *out = &own->base;
  else dls_arena_free(keep);
  return r.h.status;
}

void dls_fclib_free(dls_fclib *fclib)
{
  if (fclib) dls_arena_free(((dls_fclib_own *)fclib)->arena);
}
