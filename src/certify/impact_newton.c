// Are there percussions for Newton's law with a restitution matrix?                    eq (imp.2)
//
// Without friction a linear program decides: with b = u- + E u-, either there are z and p with
//
//   M z = G_b p_b + G_u p_u,  G_b^T z = 0,  G_u^T z + b = 0,  p_u >= 0,
//
// or there are d and alpha (Farkas) with                                               eq (imp.6)
//
//   M d + G_b alpha_b + G_u alpha_u = 0,  G_b^T d = 0,  G_u^T d >= 0,  alpha_u^T b < 0.
//
// The program looks for the latter in a box, with -alpha_u^T b as large as it can be: it always has
// an optimum, 0 when there are percussions, also where constraints are redundant up to rounding.
// The percussions are those of the complementarity problem with the same b: where Newton's law can
// be fulfilled, it is its solution. With friction the solutions of that problem decide.
#include "certify/impact.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "contact/scaling.h"
#include "convex/lp.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// ---- the program --------------------------------------------------------------------------------

// Rows: n of M d + G alpha, m of G^T d; columns: d, alpha_b, alpha_u. All in scaled units.
typedef struct program {
  const dls_problem *p;
  const dls_scaling *s;
  ptrdiff_t n, m_b, m, rows;
  double *A, *low, *high, *col_low, *col_high, *cost, *x, *y;
} program;

static bool make_program(dls_arena *arena, program *q)
{
  const ptrdiff_t rows = q->rows;
  double **const vectors[] = {&q->low, &q->high, &q->col_low, &q->col_high, &q->cost, &q->x, &q->y};
  q->A = dls_arena_alloc(arena, rows * rows, sizeof *q->A);
  bool good = q->A != NULL;
  for (ptrdiff_t k = 0; k < dls_count_of(vectors); k++) {
    *vectors[k] = dls_arena_alloc(arena, rows, sizeof(double));
    good = good && *vectors[k];
  }
  return good;
}

static double constraint_unit(const program *q, ptrdiff_t j)
{
  return j < q->m_b ? q->s->C_b[j] : q->s->C_u[j - q->m_b];
}

static double load_unit(const program *q, ptrdiff_t j)
{
  return j < q->m_b ? q->s->S_b[j] : q->s->S_u[j - q->m_b];
}

static double gradient(const program *q, ptrdiff_t i, ptrdiff_t j)
{
  return j < q->m_b ? q->p->G_b[i + q->n * j] : q->p->G_u[i + q->n * (j - q->m_b)];
}

static double load(const program *q, ptrdiff_t j)
{
  const double b = j < q->m_b ? q->p->b_b[j] : q->p->b_u[j - q->m_b];
  return constraint_unit(q, j) / load_unit(q, j) * b;
}

static void fill_program(program *q)
{
  const ptrdiff_t n = q->n, rows = q->rows;
  const double *D = q->s->D;
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < n; i++)
      q->A[i + rows * j] = D[i] / q->s->mass * q->p->M[i + n * j] * D[j];
  for (ptrdiff_t j = 0; j < q->m; j++) {
    for (ptrdiff_t i = 0; i < n; i++) {
      const double g = D[i] * gradient(q, i, j) * constraint_unit(q, j);
      q->A[i + rows * (n + j)] = q->A[n + j + rows * i] = g;
    }
    q->high[n + j] = j < q->m_b ? 0 : INFINITY;
    q->cost[n + j] = load(q, j);
  }
  for (ptrdiff_t k = 0; k < rows; k++) q->col_low[k] = -1, q->col_high[k] = 1;
}

// ---- the Farkas vector --------------------------------------------------------------------------

// What it is worth, from the scaled data: -b^T alpha over what its errors, times loads of unit
// size, leave open.
static double worth(const program *q, const double *d, const double *alpha)
{
  const ptrdiff_t n = q->n;
  long double value = 0, errors = 0;
  double size = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    long double sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += (long double)q->A[i + q->rows * j] * d[j];
    for (ptrdiff_t j = 0; j < q->m; j++) sum += (long double)q->A[i + q->rows * (n + j)] * alpha[j];
    errors += fabsl(sum);
    size = fmax(size, fabs(d[i]));
  }
  for (ptrdiff_t j = 0; j < q->m; j++) {
    long double along = 0;
    for (ptrdiff_t i = 0; i < n; i++) along += (long double)q->A[i + q->rows * (n + j)] * d[i];
    errors += j < q->m_b ? fabsl(along) : along < 0 ? -along : 0;
    value -= (long double)load(q, j) * alpha[j];
    size = fmax(size, fabs(alpha[j]));
  }
  const double noise = 64 * (double)q->rows * DBL_EPSILON * size;
  return value > noise ? (double)(value / (errors + (long double)DBL_EPSILON * size)) : 0;
}

// The optimum, in the user's units, as a leaf in which every contact stays closed.
static dls_status refuse(dls_impact_work *x, const program *q, dls_verdict *v)
{
  const ptrdiff_t n = q->n, m = q->m;
  double *d = dls_arena_alloc(x->arena, n, sizeof *d);
  double *alpha = dls_arena_alloc(x->arena, m, sizeof *alpha);
  double *sigma = dls_arena_alloc(x->arena, x->out->tangents, sizeof *sigma);
  unsigned char *mode = dls_arena_alloc(x->arena, m, 1);
  dls_leaf *leaf = dls_arena_alloc(x->arena, 1, sizeof *leaf);
  if (!d || !alpha || !sigma || !mode || !leaf) return DLS_ERR_MEMORY;
  double largest = 0;
  for (ptrdiff_t k = 0; k < q->rows; k++) largest = fmax(largest, fabs(q->x[k]));
  for (ptrdiff_t k = 0; k < q->rows; k++) {
    const double value = fabs(q->x[k]) <= 8 * DBL_EPSILON * largest ? 0 : q->x[k];
    *(k < n ? &d[k] : &alpha[k - n]) = value;
  }
  const double strength = worth(q, d, alpha);
  v->answer = strength >= decisive_proof ? DLS_NO : DLS_UNDECIDED;
  if (v->answer != DLS_NO) return DLS_OK;
  for (ptrdiff_t i = 0; i < n; i++) d[i] *= q->s->D[i] / (q->s->mass * q->s->S[i]);
  for (ptrdiff_t j = 0; j < m; j++) {
    alpha[j] *= constraint_unit(q, j) / load_unit(q, j);
    mode[j] = DLS_MODE_CLOSED;
  }
  *leaf = (dls_leaf){
      .mode = mode, .kind = DLS_LEAF_EMPTY, .direction = d, .alpha = alpha, .sigma = sigma};
  v->shows = "M direction + G alpha = 0, G_b^T direction = 0, G_u^T direction >= 0, alpha^T (u- + "
             "E u-) < 0";
  v->leaves = 1, v->leaf = leaf;
  return DLS_OK;
}

// ---- the verdict --------------------------------------------------------------------------------

static bool keeps_law(const dls_impact *o, const dls_impact_motion *motion)
{
  for (int j = 0; j < o->m_u; j++)
    if (!(motion->above[j] == 0)) return false;
  return true;
}

static void accept(dls_impact *o, const dls_impact_motion *m)
{
  dls_verdict *v = &o->newton;
  v->answer = DLS_YES;
  v->shows = "M jump = G_b p_b + G_u p_u + H p_t, G_b^T jump = 0, G_u^T jump = -(u- + E u-), p_u "
             ">= 0";
  v->part[0] = (dls_witness_part){"jump", DLS_INDEX_COORDINATES, o->n, m->jump, NULL};
  v->part[1] = (dls_witness_part){"p_b", DLS_INDEX_BILATERAL, o->m_b, m->p_b, NULL};
  v->part[2] = (dls_witness_part){"p_u", DLS_INDEX_UNILATERAL, o->m_u, m->p_u, NULL};
  v->part[3] = (dls_witness_part){"p_t", DLS_INDEX_TANGENTS, o->tangents, m->p_t, NULL};
  v->parts = o->tangents ? 4 : 3;
  o->by_newton = m;
}

// The program has to agree with the complementarity problem, or nothing is claimed.
static dls_status by_program(dls_impact_work *x, dls_arena *arena, const dls_impact_motion *motion)
{
  dls_impact *o = x->out;
  const dls_problem *p = &o->matrix.problem;
  dls_scaling scaling = {0};
  program q = {.p = p,
               .s = &scaling,
               .n = (ptrdiff_t)p->n,
               .m_b = (ptrdiff_t)p->m_b,
               .m = (ptrdiff_t)p->m_b + p->m_u};
  q.rows = q.n + q.m;
  double value = NAN;
  dls_lp_outcome outcome = DLS_LP_FAILED;
  dls_status status = make_program(arena, &q) ? dls_scaling_create(p, &scaling) : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    fill_program(&q);
    const dls_lp_data data = {.rows = (int)q.rows,
                              .cols = (int)q.rows,
                              .A = q.A,
                              .row_low = q.low,
                              .row_high = q.high,
                              .col_low = q.col_low,
                              .col_high = q.col_high,
                              .cost = q.cost};
    status = dls_lp_run(&data, q.x, q.y, &value, &outcome);
  }
  if (status == DLS_OK && outcome == DLS_LP_OPTIMAL) {
    o->newton.margin = value < 0 ? -value : 0;
    if (motion && -value <= x->tolerance) accept(o, motion);
    else if (!motion && -value > x->tolerance) status = refuse(x, &q, &o->newton);  // eq (num.1)
  }
  dls_scaling_free(&scaling);
  return status;
}

// Some contact opens in the only solution, or there is none.
static void by_solutions(dls_impact *o, const dls_impact_motion *motion)
{
  const dls_impact_problem *law = &o->matrix;
  if (motion) {
    accept(o, motion);
  } else if (law->exists.answer == DLS_NO) {
    o->newton.answer = DLS_NO;
    o->newton.shows = "even the law that lets contacts separate faster has no solution";
  } else if (law->exists.answer == DLS_YES && law->unique.answer == DLS_YES && law->motions == 1) {
    o->newton.answer = DLS_NO;
    o->newton.shows = "the law that lets contacts separate faster has one velocity after the "
                      "impact only, and a contact does separate faster";
  }
}

dls_status dls_impact_newton(dls_impact_work *x)
{
  dls_impact *o = x->out;
  const dls_impact_motion *motion = NULL;
  for (int k = 0; k < o->matrix.motions && !motion; k++)
    if (keeps_law(o, &o->matrix.motion[k])) motion = &o->matrix.motion[k];
  o->newton = (dls_verdict){.answer = DLS_UNDECIDED,
                            .margin = (double)NAN,
                            .by = "linear program (INC (77), theory §16)"};
  if (o->friction) {
    o->newton.by = "the solutions of the law with friction";
    by_solutions(o, motion);
    return DLS_OK;
  }
  dls_arena *arena = dls_arena_create();
  const dls_status status = arena ? by_program(x, arena, motion) : DLS_ERR_MEMORY;
  dls_arena_free(arena);
  return status;
}
