// The global form: M and H stay apart. Coordinates are grouped by threes for the factorization of
// M + H Q^-1 P H^T, eq (ops.1), whose blocks couple the coordinates that share a contact.
#include "base/memory.h"
#include "linalg/block.h"
#include "linalg/block_lu.h"
#include "linalg/mass.h"
#include "solve/operator.h"

#include <limits.h>
#include <stdlib.h>

enum { GROUP = 3 };  // coordinates of a group

typedef struct global {
  dls_operator op;
  dls_arena *arena;
  dls_mass *mass;
  double *x;  // dof: work
  // for rows: Y = M^-1 H by columns, and the velocities of the sweep
  int *Yp, *Yi;
  double *Y, *v;
  // for systems
  int groups;
  int *p, *i;                // the pattern of the matrix, groups x groups
  int *touched_p, *touched;  // the groups that block b of rows touches, increasing
  ptrdiff_t *pair_p;         // where its pairs of groups begin
  int *pair;                 // the place of (group a, group b) in the pattern
  double *H;                 // the blocks GROUP x d of H, in the order of touched
  double *inverse, *T;       // Q^-1 and Q^-1 P of each block
  double *forces;            // R Q^-1
  int sign;                  // of the determinants of all Q
  int *mass_place;           // the place of each number of M in the pattern
  double *y, *z;             // GROUP * groups, padded
  dls_block_lu *lu;
} global;

static void destroy(dls_operator *op)
{
  global *g = (global *)op;
  dls_block_lu_free(g->lu);
  dls_mass_free(g->mass);
  dls_arena_free(g->arena);
  free(g);
}

// The pattern of M^-1 H: each part of the mass matrix that a column touches, whole.
static dls_status set_up_rows(global *g, const dls_mass_parts *m)
{
  dls_operator *op = &g->op;
  const dls_pattern *s = &op->problem->H.pattern;
  int *seen = dls_alloc((ptrdiff_t)m->count + 1, sizeof(int));
  g->Yp = dls_arena_alloc(g->arena, (ptrdiff_t)op->rows + 1, sizeof(int));
  g->v = dls_arena_alloc(g->arena, (ptrdiff_t)op->problem->dof + 1, sizeof(double));
  dls_status status = seen && g->Yp && g->v ? DLS_OK : DLS_ERR_MEMORY;
  for (int pass = 0; status == DLS_OK && pass < 2; pass++) {
    long long total = 0;
    for (int k = 0; k < m->count; k++) seen[k] = -1;
    for (int j = 0; j < op->rows; j++)
      for (int e = s->p[j]; e < s->p[j + 1]; e++) {
        const int k = m->part[s->i[e]];
        if (seen[k] == j) continue;
        seen[k] = j;
        for (int c = m->first[k]; c < m->first[k + 1]; c++, total++)
          if (pass == 1) g->Yi[total] = m->index[c];
        if (pass == 0 && total <= INT_MAX) g->Yp[j + 1] = (int)total;
      }
    if (pass == 1) break;
    for (int j = 0; j < op->rows; j++)
      if (g->Yp[j + 1] < g->Yp[j]) g->Yp[j + 1] = g->Yp[j];  // columns without entries
    if (total > INT_MAX) status = DLS_ERR_LIMIT;
    else if (!(g->Yi = dls_arena_alloc(g->arena, (ptrdiff_t)total + 1, sizeof(int))) ||
             !(g->Y = dls_arena_alloc(g->arena, (ptrdiff_t)total + 1, sizeof(double))))
      status = DLS_ERR_MEMORY;
  }
  free(seen);
  op->has_rows = status == DLS_OK;
  return status;
}

static dls_status create(const dls_incremental *problem, dls_operator **out)
{
  *out = NULL;
  global *g = dls_alloc(1, sizeof *g);
  if (!g) return DLS_ERR_MEMORY;
  dls_operator *op = &g->op;
  dls_operator_shape(&dls_operator_global, problem, op);
  g->arena = dls_arena_create();
  dls_status status = g->arena ? dls_mass_create(&problem->M, &g->mass) : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    op->q = dls_arena_alloc(g->arena, (ptrdiff_t)op->padded + 1, sizeof(double));
    op->diagonal = dls_arena_alloc(g->arena, (ptrdiff_t)op->blocks + 1,
                                   dls_bytes((op->d * op->d), sizeof(double)));
    g->x = dls_arena_alloc(g->arena, (ptrdiff_t)problem->dof + 1, sizeof(double));
    if (!op->q || !op->diagonal || !g->x) status = DLS_ERR_MEMORY;
  }
  dls_mass_parts parts;
  if (status == DLS_OK && dls_mass_small(g->mass, &parts)) status = set_up_rows(g, &parts);
  if (status == DLS_OK) *out = op;
  else destroy(op);
  return status;
}

// ---- products ----------------------------------------------------------------------------------

// x = H r, or H r + f
static void add_forces(const dls_incremental *p, int rows, const double *r, double *x)
{
  const dls_pattern *s = &p->H.pattern;
  for (int j = 0; j < rows; j++) {
    if (r[j] == 0) continue;
    for (int e = s->p[j]; e < s->p[j + 1]; e++) x[s->i[e]] += p->H.x[e] * r[j];
  }
}

// u = H^T v
static void relative(const dls_incremental *p, int rows, const double *v, double *u)
{
  const dls_pattern *s = &p->H.pattern;
  for (int j = 0; j < rows; j++) {
    double sum = 0;
    for (int e = s->p[j]; e < s->p[j + 1]; e++) sum += p->H.x[e] * v[s->i[e]];
    u[j] = sum;
  }
}

static void velocity(dls_operator *op, const double *r, double *v, double *u)
{
  global *g = (global *)op;
  const dls_incremental *p = op->problem;
  double *x = v ? v : g->x;
  if (p->dof > 0) dls_copy(x, p->f, p->dof);
  add_forces(p, op->rows, r, x);
  dls_mass_solve(g->mass, x);
  relative(p, op->rows, x, u);
  for (int i = 0; i < op->rows; i++) u[i] += p->w[i];
  for (int i = op->rows; i < op->padded; i++) u[i] = 0;
}

static void multiply(dls_operator *op, const double *x, double *y)
{
  global *g = (global *)op;
  dls_clear(g->x, op->problem->dof);
  add_forces(op->problem, op->rows, x, g->x);
  dls_mass_solve(g->mass, g->x);
  relative(op->problem, op->rows, g->x, y);
  for (int i = op->rows; i < op->padded; i++) y[i] = 0;
}

static void rows_begin(dls_operator *op, const double *r)
{
  global *g = (global *)op;
  dls_copy(g->v, op->problem->f, op->problem->dof);
  add_forces(op->problem, op->rows, r, g->v);
  dls_mass_solve(g->mass, g->v);
}

static void row(const dls_operator *op, int block, const double *r, double *u)
{
  const global *g = (const global *)op;
  const dls_incremental *p = op->problem;
  const dls_pattern *s = &p->H.pattern;
  (void)r;
  for (int k = 0; k < op->d; k++) {
    const int j = op->d * block + k;
    u[k] = 0;
    if (j >= op->rows) continue;
    double sum = p->w[j];
    for (int e = s->p[j]; e < s->p[j + 1]; e++) sum += p->H.x[e] * g->v[s->i[e]];
    u[k] = sum;
  }
}

static void row_changed(dls_operator *op, int block, const double *change)
{
  global *g = (global *)op;
  for (int k = 0; k < op->d && op->d * block + k < op->rows; k++) {
    const int j = op->d * block + k;
    for (int e = g->Yp[j]; e < g->Yp[j + 1]; e++) g->v[g->Yi[e]] += g->Y[e] * change[k];
  }
}

// Y = M^-1 H
static void fill_rows(global *g, const dls_mass_parts *m)
{
  const dls_incremental *p = g->op.problem;
  const dls_pattern *s = &p->H.pattern;
  for (int j = 0; j < g->op.rows; j++)
    for (int e = g->Yp[j]; e < g->Yp[j + 1]; e++) {
      const int i = g->Yi[e], k = m->part[i], size = m->first[k + 1] - m->first[k];
      double sum = 0;
      for (int f = s->p[j]; f < s->p[j + 1]; f++)
        if (m->part[s->i[f]] == k)
          sum +=
              m->inverse[m->square[k] + (m->position[i] + size * m->position[s->i[f]])] * p->H.x[f];
      g->Y[e] = sum;
    }
}

// H_a^T M^-1 H_b of two columns, part by part of the mass matrix.
static double couple(const dls_incremental *p, const dls_mass_parts *m, int a, int b)
{
  const dls_pattern *s = &p->H.pattern;
  double sum = 0;
  for (int e = s->p[a]; e < s->p[a + 1]; e++)
    for (int f = s->p[b]; f < s->p[b + 1]; f++) {
      const int i = s->i[e], j = s->i[f], k = m->part[i];
      if (m->part[j] != k) continue;
      const int size = m->first[k + 1] - m->first[k];
      sum += p->H.x[e] * p->H.x[f] *
             m->inverse[m->square[k] + (m->position[i] + size * m->position[j])];
    }
  return sum;
}

// One column of W through a solution with M, for masses that hang together.
static void couple_all(global *g, int b, int first, int last, double *column)
{
  const dls_incremental *p = g->op.problem;
  const dls_pattern *s = &p->H.pattern;
  dls_clear(g->x, p->dof);
  for (int e = s->p[b]; e < s->p[b + 1]; e++) g->x[s->i[e]] = p->H.x[e];
  dls_mass_solve(g->mass, g->x);
  for (int a = first; a < last; a++) {
    column[a - first] = 0;
    for (int e = s->p[a]; e < s->p[a + 1]; e++) column[a - first] += p->H.x[e] * g->x[s->i[e]];
  }
}

static dls_status refresh(dls_operator *op)
{
  global *g = (global *)op;
  const dls_incremental *p = op->problem;
  const int d = op->d;
  dls_status status = dls_mass_refresh(g->mass);
  if (status != DLS_OK) return status;
  dls_clear(op->diagonal, (ptrdiff_t)op->blocks * (ptrdiff_t)(d * d));
  dls_mass_parts parts;
  const bool small = dls_mass_small(g->mass, &parts);
  for (int i = 0; i < op->blocks; i++) {
    double *D = op->diagonal + (ptrdiff_t)(d * d) * i;
    const int first = d * i, last = first + d < op->rows ? first + d : op->rows;
    for (int b = first; b < last; b++) {
      double column[3];
      if (!small) couple_all(g, b, first, last, column);
      for (int a = first; a < last; a++)
        D[(a - first) + d * (b - first)] = small ? couple(p, &parts, a, b) : column[a - first];
    }
    for (int a = last; a < first + d; a++) D[(a - first) * (d + 1)] = 1;
  }
  if (small) fill_rows(g, &parts);
  // q = W 0 + q
  double *zero = op->q;  // velocity reads r before it writes u
  dls_clear(zero, op->padded);
  velocity(op, zero, NULL, op->q);
  op->free = g->x;
  return DLS_OK;
}

// ---- systems -----------------------------------------------------------------------------------

// The groups that each block of rows touches.
static dls_status find_touched(global *g)
{
  const dls_operator *op = &g->op;
  const dls_pattern *s = &op->problem->H.pattern;
  g->touched_p = dls_arena_alloc(g->arena, (ptrdiff_t)op->blocks + 1, sizeof(int));
  g->touched = dls_arena_alloc(g->arena, (ptrdiff_t)s->p[op->rows] + 1, sizeof(int));
  g->pair_p = dls_arena_alloc(g->arena, (ptrdiff_t)op->blocks + 1, sizeof(ptrdiff_t));
  if (!g->touched_p || !g->touched || !g->pair_p) return DLS_ERR_MEMORY;
  int total = 0;
  for (int b = 0; b < op->blocks; b++) {
    const int begin = total;
    for (int j = op->d * b; j < op->d * (b + 1) && j < op->rows; j++)
      for (int e = s->p[j]; e < s->p[j + 1]; e++) {  // insertion: few, and nearly in order
        const int group = s->i[e] / GROUP;
        int k = total;
        while (k > begin && g->touched[k - 1] > group) k--;
        if (k > begin && g->touched[k - 1] == group) continue;
        dls_move(g->touched + k + 1, g->touched + k, total - k);
        g->touched[k] = group, total++;
      }
    g->touched_p[b + 1] = total;
    g->pair_p[b + 1] = g->pair_p[b] + (ptrdiff_t)(total - begin) * (total - begin);
  }
  return DLS_OK;
}

// Calls for every group the groups that it meets: those of its contacts and of M. Since the pattern
// is made symmetric, writing i into the list of each j it meets sorts the lists.
static dls_status find_pattern(global *g)
{
  const dls_operator *op = &g->op;
  const dls_pattern *M = &op->problem->M.pattern;
  const int n = g->groups, shared = g->touched_p[op->blocks];
  int *mirror_p = dls_alloc((ptrdiff_t)n + 2, sizeof(int));  // the groups of the rows of M
  int *mirror = dls_alloc((ptrdiff_t)M->p[M->cols] + 1, sizeof(int));
  int *at = dls_alloc((ptrdiff_t)n + 2, sizeof(int)),
      *block = dls_alloc((ptrdiff_t)shared + 1, sizeof(int));
  int *seen = dls_alloc((ptrdiff_t)n + 1, sizeof(int)),
      *length = dls_alloc((ptrdiff_t)n + 1, sizeof(int));
  g->p = dls_arena_alloc(g->arena, (ptrdiff_t)n + 1, sizeof(int));
  bool good = at && block && seen && length && g->p && mirror_p && mirror;
  dls_status status = good ? DLS_OK : DLS_ERR_MEMORY;
  if (good) {
    for (int e = 0; e < M->p[M->cols]; e++) mirror_p[M->i[e] / GROUP + 1]++;
    for (int i = 0; i < n; i++) mirror_p[i + 1] += mirror_p[i];
    for (int c = 0; c < M->cols; c++)
      for (int e = M->p[c]; e < M->p[c + 1]; e++) mirror[mirror_p[M->i[e] / GROUP]++] = c / GROUP;
    for (int i = n; i > 0; i--) mirror_p[i] = mirror_p[i - 1];
    mirror_p[0] = 0;
    for (int e = 0; e < shared; e++) at[g->touched[e] + 1]++;
    for (int i = 0; i < n; i++) at[i + 1] += at[i];
    for (int b = 0; b < op->blocks; b++)
      for (int e = g->touched_p[b]; e < g->touched_p[b + 1]; e++) block[at[g->touched[e]]++] = b;
    for (int i = n; i > 0; i--) at[i] = at[i - 1];
    at[0] = 0;
  }
  for (int pass = 0; status == DLS_OK && pass < 2; pass++) {
    long long total = 0;
    for (int i = 0; i < n; i++) seen[i] = -1, length[i] = 0;
    for (int i = 0; i < n; i++) {
#define MEET(j)                                   \
  do {                                            \
    if (seen[j] == i) break;                      \
    seen[j] = i;                                  \
    if (pass == 1) g->i[g->p[j] + length[j]] = i; \
    length[j]++, total++;                         \
  } while (0)
      MEET(i);
      for (int e = at[i]; e < at[i + 1]; e++)
        for (int k = g->touched_p[block[e]]; k < g->touched_p[block[e] + 1]; k++)
          MEET(g->touched[k]);
      for (int c = GROUP * i; c < GROUP * (i + 1) && c < op->problem->dof; c++)
        for (int e = M->p[c]; e < M->p[c + 1]; e++) MEET(M->i[e] / GROUP);
      for (int e = mirror_p[i]; e < mirror_p[i + 1]; e++) MEET(mirror[e]);
#undef MEET
    }
    if (pass == 1) break;
    if (total > INT_MAX) status = DLS_ERR_LIMIT;
    for (int i = 0; i < n && status == DLS_OK; i++) g->p[i + 1] = g->p[i] + length[i];
    if (status == DLS_OK && !(g->i = dls_arena_alloc(g->arena, (ptrdiff_t)total + 1, sizeof(int))))
      status = DLS_ERR_MEMORY;
  }
  free(at), free(block), free(seen), free(length), free(mirror_p), free(mirror);
  return status;
}

static int place(const global *g, int row, int col)
{
  int low = g->p[col], high = g->p[col + 1] - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (g->i[middle] < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

static dls_status find_places(global *g)
{
  const dls_operator *op = &g->op;
  const dls_pattern *M = &op->problem->M.pattern;
  const ptrdiff_t d = op->d, blocks = (ptrdiff_t)op->blocks + 1;
  g->pair = dls_arena_alloc(g->arena, g->pair_p[op->blocks] + 1, sizeof(int));
  g->mass_place = dls_arena_alloc(g->arena, (ptrdiff_t)M->p[M->cols] + 1, sizeof(int));
  g->H = dls_arena_alloc(g->arena, (ptrdiff_t)g->touched_p[op->blocks] + 1,
                         dls_bytes(GROUP * d, sizeof(double)));
  g->inverse = dls_arena_alloc(g->arena, blocks, dls_bytes(d * d, sizeof(double)));
  g->T = dls_arena_alloc(g->arena, blocks, dls_bytes(d * d, sizeof(double)));
  g->forces = dls_arena_alloc(g->arena, blocks, dls_bytes(d * d, sizeof(double)));
  g->y = dls_arena_alloc(g->arena, (ptrdiff_t)g->groups + 1, dls_bytes(GROUP, sizeof(double)));
  g->z = dls_arena_alloc(g->arena, (ptrdiff_t)op->padded + 1, sizeof(double));
  if (!g->pair || !g->mass_place || !g->H || !g->inverse || !g->T || !g->forces || !g->y || !g->z)
    return DLS_ERR_MEMORY;
  for (int b = 0; b < op->blocks; b++) {
    int *pair = g->pair + g->pair_p[b];
    for (int k = g->touched_p[b]; k < g->touched_p[b + 1]; k++)
      for (int l = g->touched_p[b]; l < g->touched_p[b + 1]; l++)
        *pair++ = place(g, g->touched[k], g->touched[l]);
  }
  for (int c = 0; c < M->cols; c++)
    for (int e = M->p[c]; e < M->p[c + 1]; e++)
      g->mass_place[e] = place(g, M->i[e] / GROUP, c / GROUP);
  return DLS_OK;
}

static dls_status prepare(dls_operator *op, ptrdiff_t fill)
{
  global *g = (global *)op;
  g->groups = (op->problem->dof + GROUP - 1) / GROUP;
  dls_status status = find_touched(g);
  if (status == DLS_OK) status = find_pattern(g);
  if (status == DLS_OK) status = find_places(g);
  if (status == DLS_OK)
    status = dls_block_lu_create(GROUP, g->groups, g->p, g->i,
                                 fill / (GROUP * GROUP * (ptrdiff_t)sizeof(double)), &g->lu);
  if (status == DLS_OK) op->work = dls_block_lu_work(g->lu);
  return status;
}

// The blocks of H, group by group, in the units of the mass matrix.
static void spread(global *g)
{
  const double *unit = dls_mass_units(g->mass);
  const dls_operator *op = &g->op;
  const dls_incremental *p = op->problem;
  const dls_pattern *s = &p->H.pattern;
  dls_clear(g->H, (ptrdiff_t)g->touched_p[op->blocks] * (ptrdiff_t)(GROUP * op->d));
  for (int b = 0; b < op->blocks; b++)
    for (int c = 0; c < op->d && op->d * b + c < op->rows; c++) {
      int k = g->touched_p[b];
      for (int e = s->p[op->d * b + c]; e < s->p[op->d * b + c + 1]; e++) {
        while (g->touched[k] != s->i[e] / GROUP) k++;
        g->H[(ptrdiff_t)(GROUP * op->d) * k + s->i[e] % GROUP + (ptrdiff_t)GROUP * c] =
            unit[s->i[e]] * p->H.x[e];
      }
    }
}

// H T H^T of one contact, group by group; one that is open adds nothing. d is a constant.
static inline void add_coupling(global *g, int d, int contact, const double *T)
{
  const int first = g->touched_p[contact], end = g->touched_p[contact + 1];
  const int *pair = g->pair + g->pair_p[contact];
  bool open = true;
  for (int k = 0; k < d * d && open; k++) open = T[k] == 0;
  for (int k = first; !open && k < end; k++) {
    const double *A = g->H + (ptrdiff_t)(GROUP * d) * k;
    double AT[GROUP * 3];
    for (int c = 0; c < d; c++)
      for (int i = 0; i < GROUP; i++) {
        double sum = 0;
        for (int j = 0; j < d; j++) sum += A[i + GROUP * j] * T[j + d * c];
        AT[i + GROUP * c] = sum;
      }
    for (int l = first; l < end; l++) {
      const double *B = g->H + (ptrdiff_t)(GROUP * d) * l;
      double *S = dls_block_lu_at(g->lu, *pair++);
      for (int j = 0; j < GROUP; j++)
        for (int c = 0; c < d; c++)
          for (int i = 0; i < GROUP; i++) S[i + GROUP * j] += AT[i + GROUP * c] * B[j + GROUP * c];
    }
  }
}

static bool factor(dls_operator *op, const double *P, const double *R, const double *Q)
{
  global *g = (global *)op;
  const dls_pattern *M = &op->problem->M.pattern;
  const double *unit = dls_mass_units(g->mass);
  const int d = op->d, area = d * d;
  spread(g);
  g->sign = 1;
  dls_block_lu_clear(g->lu);
  for (int c = 0; c < M->cols; c++)
    for (int e = M->p[c]; e < M->p[c + 1]; e++)
      dls_block_lu_at(g->lu, g->mass_place[e])[M->i[e] % GROUP + GROUP * (c % GROUP)] =
          unit[M->i[e]] * op->problem->M.x[e] * unit[c];
  for (int i = M->cols; i < GROUP * g->groups; i++)
    dls_block_lu_at(g->lu, place(g, i / GROUP, i / GROUP))[(i % GROUP) * (GROUP + 1)] = 1;
  for (int b = 0; b < op->blocks; b++) {
    double own[9];
    dls_copy(own, Q + (ptrdiff_t)area * b, area);
    for (int i = op->rows; i < d * (b + 1); i++)
      if (i >= d * b) own[(i % d) * (d + 1)] += 1;
    double *inverse = g->inverse + (ptrdiff_t)area * b, *T = g->T + (ptrdiff_t)area * b;
    double *forces = g->forces + (ptrdiff_t)area * b, coupling[9] = {0};
    if (!dls_block_invert(d, own, inverse, &g->sign)) return false;
    if (P) dls_block_multiply(d, inverse, P + (ptrdiff_t)area * b, T);
    else dls_copy(T, inverse, area);
    if (R) dls_block_multiply(d, R + (ptrdiff_t)area * b, inverse, forces);
    else dls_copy(forces, inverse, area);
    if (R) dls_block_multiply(d, R + (ptrdiff_t)area * b, T, coupling);
    else dls_copy(coupling, T, area);
    if (d == 3) add_coupling(g, 3, b, coupling);
    else add_coupling(g, 2, b, coupling);
  }
  return dls_block_lu_factor(g->lu, NULL);
}

static int sign(const dls_operator *op)
{
  const global *g = (const global *)op;
  return g->sign * dls_block_lu_sign(g->lu);
}

// eq (ops.1)
static void solve(dls_operator *op, double *b)
{
  global *g = (global *)op;
  const double *unit = dls_mass_units(g->mass);
  const int d = op->d, area = d * d;
  dls_clear(g->y, GROUP * g->groups);
  dls_clear(g->z, op->padded);
  for (int i = 0; i < op->blocks; i++)
    dls_block_add(d, d, g->forces + (ptrdiff_t)area * i, b + (ptrdiff_t)d * i,
                  g->z + (ptrdiff_t)d * i);
  add_forces(op->problem, op->rows, g->z, g->y);
  for (int k = 0; k < op->problem->dof; k++) g->y[k] *= unit[k];
  dls_block_lu_solve(g->lu, g->y);
  for (int k = 0; k < op->problem->dof; k++) g->y[k] *= unit[k];
  relative(op->problem, op->rows, g->y, g->z);
  for (int i = op->rows; i < op->padded; i++) g->z[i] = 0;
  for (int i = 0; i < op->blocks; i++) {
    double t[3] = {0};
    dls_block_add(d, d, g->inverse + (ptrdiff_t)area * i, b + (ptrdiff_t)d * i, t);
    for (int k = 0; k < d; k++) b[d * i + k] = t[k], t[k] = 0;
    dls_block_add(d, d, g->T + (ptrdiff_t)area * i, g->z + (ptrdiff_t)d * i, t);
    for (int k = 0; k < d; k++) b[d * i + k] -= t[k];
  }
}

const dls_operator_type dls_operator_global = {
    .create = create,
    .destroy = destroy,
    .refresh = refresh,
    .velocity = velocity,
    .multiply = multiply,
    .prepare = prepare,
    .factor = factor,
    .sign = sign,
    .solve = solve,
    .rows_begin = rows_begin,
    .row = row,
    .row_changed = row_changed,
};
