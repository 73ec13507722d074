// Unique for every load, and how much friction keeps it so: the contacts that slide, with their
// known directions, and what the others leave of the inertia.                    eq (sli.1)
#include "certify/load.h"

#include "contact/coulomb_residual.h"

#include "base/memory.h"
#include "certify/load_exact.h"
#include "certify/polyhedra.h"
#include "certify/sliding.h"
#include "certify/tolerances.h"
#include "certify/witness.h"
#include "convex/lp_exact.h"
#include "linalg/dense.h"

#include <math.h>

typedef struct load {
  dls_context *x;
  dls_polyhedra *c;
  int m_b, m_u;    // frictional bilateral contacts, unilateral contacts
  int *contact;    // m_b + m_u: their numbers
  int eliminated;  // frictionless bilateral contacts
  double *A_n, *A_t, *mu;
  bool *frictional;
  dls_sliding sliding;
  double kernel;        // condition of the gradients that are eliminated: N inherits its rounding
  double condition;     // of the inertia and of the gradients in its metric, times that
  double rounding;      // of A_n and A_t, relative
  double coupling;      // largest |H_j xi_j| / |g_j| in the metric of the inertia
  bool massless;        // something moves freely without inertia
  bool held;            // what has no inertia is held, by contacts with friction
  bool dependent;       // the gradients depend on each other
  const char *trouble;  // why there are no matrices
} load;

static bool tangents(const dls_polyhedra *c, int j)
{
  return dls_polyhedra_tangents(c, j) > 0;
}

static dls_status sort_contacts(load *l)
{
  const dls_polyhedra *c = l->c;
  const dls_friction *f = c->given->friction;
  l->contact = dls_arena_alloc(l->x->work, c->m, sizeof(int));
  l->frictional = dls_arena_alloc(l->x->work, c->m, sizeof(bool));
  l->mu = dls_context_work(l->x, c->m);
  if (!l->contact || !l->frictional || l->x->out_of_memory) return DLS_ERR_MEMORY;
  for (int j = 0; j < c->m; j++) {
    const bool rubs = tangents(c, j) && f->sliding[j];
    if (dls_polyhedra_bilateral(c, j) && !rubs) {
      l->eliminated++;
      continue;
    }
    const int at = l->m_b + l->m_u;
    l->contact[at] = j, l->frictional[at] = rubs, l->mu[at] = rubs ? f->mu[j] : 0;
    if (dls_polyhedra_bilateral(c, j)) l->m_b++;
    else l->m_u++;
  }
  return DLS_OK;
}

// N: a basis of the motions that the frictionless bilateral contacts leave; identity without any.
static dls_status find_motions(load *l, double **N, int *k)
{
  const dls_polyhedra *c = l->c;
  const ptrdiff_t n = c->n, e = l->eliminated;
  double *G = dls_context_work(l->x, n * e), *U = dls_context_work(l->x, n * n);
  double *S = dls_context_work(l->x, n < e ? n : e);
  if (l->x->out_of_memory) return DLS_ERR_MEMORY;
  ptrdiff_t at = 0;
  int next = 0;
  for (int j = 0; j < c->m_b; j++) {
    if (next < l->m_b && l->contact[next] == j) {
      next++;
      continue;
    }
    dls_copy(G + n * at, c->G + n * j, n);
    at++;
  }
  const dls_status status = dls_svd(c->n, l->eliminated, G, U, S, NULL);
  if (status != DLS_OK) return status;
  int rank = 0;
  for (ptrdiff_t i = 0; i < (n < e ? n : e) && S[0] > 0; i++) rank += S[i] > c->tolerance * S[0];
  if (rank < l->eliminated) l->trouble = "frictionless bilateral contacts are redundant";
  if (rank > 0) l->kernel = S[0] / S[rank - 1];
  *N = U + n * rank, *k = c->n - rank;
  return DLS_OK;
}

// Gradients that depend on each other make the rows of every A_n - mu A_t with all contacts closed
// depend on each other, whatever the friction.
static dls_status find_rank(load *l, int k, const double *X)
{
  const int m = l->m_b + l->m_u, least = k < m ? k : m;
  double *S = dls_context_work(l->x, least);
  if (!S) return DLS_ERR_MEMORY;
  const dls_status status = dls_svd(k, m, X, NULL, S, NULL);
  // that of the kernel, and of the solution with L
  const double noise = l->x->basic.noise * l->kernel * sqrt(l->condition / l->kernel);
  int certain = 0, possible = 0;
  for (int i = 0; status == DLS_OK && i < least && S[0] > 0; i++) {
    certain += S[i] > l->c->tolerance * fmax(1, S[0]);
    possible += S[i] > noise * fmax(1, S[0]);
  }
  l->dependent = possible < m;
  // what other contacts leave of a gradient may be little
  if (!l->dependent && least > 0)
    l->condition = fmax(l->condition, l->kernel * pow(fmax(1, S[0]) / S[least - 1], 2));
  if (!l->dependent && certain < m) l->trouble = "the constraints may or may not be independent";
  return status;
}

// In the user's units. Y: as given, X: what eliminated contacts leave; of a tangent along their
// gradients that is rounding.
static void find_coupling(load *l, int k, const double *X, const double *Y)
{
  const dls_polyhedra *c = l->c;
  const int m = l->m_b + l->m_u;
  for (int i = 0; i < m; i++) {
    if (!l->frictional[i]) continue;
    const double normal = dls_norm2(k, X + k * i);
    const double tangent = fmax(dls_norm2(k, X + k * (m + i)), dls_norm2(c->n, Y + c->n * (m + i)));
    const int j = l->contact[i];
    const double unit = c->units.C_n[j] / c->units.C_t[c->first[j]];
    if (normal > 0) l->coupling = fmax(l->coupling, tangent / normal * unit);
  }
}

// Is there a motion without inertia that all bilateral contacts leave? Then the determinant of
// every choice in which the unilateral contacts are open is zero. Without rounding, and by singular
// values.
static dls_status find_massless(load *l)
{
  const dls_polyhedra *c = l->c;
  const int n = c->n, rows = n + c->m_b;
  const ptrdiff_t size = rows * ((ptrdiff_t)n + 1);
  double *A = dls_context_work(l->x, size), *a = dls_context_work(l->x, size);
  double *S = dls_context_work(l->x, n);
  bool *equation = dls_arena_alloc(l->x->work, rows, sizeof *equation);
  if (l->x->out_of_memory || !equation) return DLS_ERR_MEMORY;
  for (int i = 0; i < rows; i++) {
    equation[i] = true;
    for (int j = 0; j < n; j++)
      A[i + rows * j] = a[i * (n + 1) + j] = i < n ? c->M[i + n * j] : c->G[j + n * (i - n)];
  }
  const dls_exact_rows data = {rows, n, a, equation};
  dls_exact_outcome outcome;
  int rank = n;
  dls_status status = dls_exact_solve(&data, NULL, NULL, &rank, &outcome);
  if (status == DLS_OK) status = dls_svd(rows, n, A, NULL, S, NULL);
  if (status != DLS_OK) return status;
  const bool exactly = outcome != DLS_EXACT_LARGE && rank < n;
  l->massless = exactly || S[n - 1] <= l->x->basic.noise * S[0];
  l->held = S[n - 1] > c->tolerance * S[0];
  return DLS_OK;
}

// X = L^-1 N^T (G, H xi) with L L^T = N^T M N, so that A_n = X_n^T X_n and A_t = X_n^T X_t; back in
// the user's units, which the bounds depend on.
static dls_status make_matrices(load *l)
{
  const dls_polyhedra *c = l->c;
  dls_context *x = l->x;
  const int m = l->m_b + l->m_u;
  const ptrdiff_t n = c->n, size = m;
  double *N = NULL;
  int k = 0;
  dls_status status = find_motions(l, &N, &k);
  if (status != DLS_OK) return status;
  if (l->trouble) {  // what nothing holds is lost all the same
    status = find_massless(l);
    l->held = false;
    return status;
  }
  const ptrdiff_t rows = k;
  double *MN = dls_context_work(x, n * rows), *K = dls_context_work(x, rows * rows);
  double *L = dls_context_work(x, rows * rows), *Y = dls_context_work(x, n * 2 * size);
  double *X = dls_context_work(x, rows * 2 * size), *w = dls_context_work(x, rows);
  l->A_n = dls_context_work(x, size * size), l->A_t = dls_context_work(x, size * size);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  for (ptrdiff_t i = 0; i < size; i++) {
    const ptrdiff_t j = l->contact[i];
    dls_copy(Y + n * i, c->G + n * j, n);
    for (int s = c->first[j]; l->frictional[i] && s < c->first[j + 1]; s++)
      for (ptrdiff_t r = 0; r < n; r++) Y[r + n * (size + i)] += c->H[r + n * s] * c->xi[s];
  }
  dls_gemm(false, false, c->n, k, c->n, 1, c->M, N, 0, MN);
  dls_gemm(true, false, k, k, c->n, 1, N, MN, 0, K);
  bool definite = false;
  if (k == 0) {  // nothing can move: no force has an effect
    l->dependent = m > 0;
    return DLS_OK;
  }
  status = dls_eigen_symmetric(k, K, w, NULL);
  // beside all of the inertia: what is left of it may be rounding
  const double inertia = fmax(w[k - 1], dls_norm_max((int)(n * n), c->M));
  if (status == DLS_OK && w[0] > c->tolerance * inertia) status = dls_cholesky(k, K, L, &definite);
  if (status != DLS_OK) return status;
  if (definite) l->condition = l->kernel * w[k - 1] / w[0];
  l->rounding = x->basic.noise * l->condition;
  if (!definite) {
    l->trouble = "the mass matrix is not definite on the motions that frictionless contacts leave";
    return find_massless(l);
  }
  dls_gemm(true, false, k, 2 * m, c->n, 1, N, Y, 0, X);
  dls_lower_solve(k, 2 * m, L, false, X);
  find_coupling(l, k, X, Y);
  status = find_rank(l, k, X);
  if (status != DLS_OK || l->trouble) return status;
  dls_gemm(true, false, m, m, k, 1, X, X, 0, l->A_n);
  dls_gemm(true, false, m, m, k, 1, X, X + rows * size, 0, l->A_t);
  for (ptrdiff_t i = 0; i < size; i++)
    for (ptrdiff_t j = 0; j < size; j++) {
      const int to = l->contact[j];
      const double row = c->units.C_n[l->contact[i]];
      l->A_n[i + size * j] /= row * c->units.C_n[to];
      if (l->frictional[j]) l->A_t[i + size * j] /= row * c->units.C_t[c->first[to]];
    }
  l->sliding = (dls_sliding){.m_b = l->m_b,
                             .m_u = l->m_u,
                             .A_n = l->A_n,
                             .A_t = l->A_t,
                             .mu = l->mu,
                             .frictional = l->frictional,
                             .eliminated = l->eliminated > 0};
  return DLS_OK;
}

// --- unique_for_every_load ----------------------------------------------------------------------

static dls_status add_choice(load *l, dls_verdict *v, const int *choice, const char *signs,
                             const char *closed)
{
  dls_context *x = l->x;
  double *sign = dls_context_keep(x, l->c->m_b);
  int *index = dls_arena_alloc(x->work, l->m_u, sizeof *index), count = 0;
  if (x->out_of_memory || !index) return DLS_ERR_MEMORY;
  for (int i = 0; i < l->m_b; i++) sign[l->contact[i]] = choice[i];
  for (int i = l->m_b; i < l->m_b + l->m_u; i++)
    if (choice[i]) index[count++] = l->contact[i] - l->c->m_b;
  if (l->c->m_b)
    v->part[v->parts++] = (dls_witness_part){
        .name = signs, .index_set = DLS_INDEX_BILATERAL, .count = l->c->m_b, .values = sign};
  dls_witness_set(x, v, closed, DLS_INDEX_UNILATERAL, index, count);
  return DLS_OK;
}

static dls_load_contacts contacts_of(const load *l)
{
  return (dls_load_contacts){.c = l->c,
                             .m_b = l->m_b,
                             .m = l->m_b + l->m_u,
                             .contact = l->contact,
                             .frictional = l->frictional};
}

static const char small_determinants[] = "determinants too small to trust";

// By the data themselves.
static dls_status answer_exactly(const load *l, int *first, int *second,
                                 dls_sliding_verdict *result)
{
  const dls_load_contacts contacts = contacts_of(l);
  const ptrdiff_t m = contacts.m;
  int *choice = dls_arena_alloc(l->x->work, 2 * m, sizeof *choice);
  dls_answer answer = DLS_UNDECIDED;
  double margin = NAN;
  bool done = false;
  if (!choice) return DLS_ERR_MEMORY;
  const dls_status status =
      dls_load_signs(&contacts, l->mu, &answer, &margin, choice, choice + m, &done);
  if (status != DLS_OK || !done) return status;
  result->answer = answer, result->margin = margin, result->has_witness = true;
  result->by = "signs of all determinants, without rounding";
  dls_copy(first, choice, m), dls_copy(second, choice + m, m);
  return DLS_OK;
}

// Nearly parallel gradients leave little of A_n and A_t but rounding.
static bool is_doubtful(const load *l)
{
  return l->x->basic.noise * l->condition > doubtful_rounding;
}

// A determinant of A_n and A_t that is small says little: it is of the second order where gradients
// are nearly parallel. It vanishes where the data are singular within rounding, or exactly.
//                                                                                 eq (sli.7)
static dls_status answer_small(const load *l, int *first, int *second, dls_sliding_verdict *result)
{
  const dls_load_contacts contacts = contacts_of(l);
  double distance = NAN;
  const dls_status status = dls_load_distance(&contacts, l->mu, first, &distance);
  const bool proven_zero = result->determinant_first == 0 && result->error_first == 0;
  if (status != DLS_OK || (isnan(distance) && proven_zero)) return status;
  const double zero = is_doubtful(l) ? 0 : l->x->basic.noise;
  result->answer = distance <= zero ? DLS_NO : DLS_UNDECIDED;
  result->by = "a determinant that vanishes within rounding";
  if (result->answer == DLS_NO) return DLS_OK;
  result->by = small_determinants, result->has_witness = false;
  return answer_exactly(l, first, second, result);
}

// By A_n and A_t, where they say something.
static dls_status answer_regular(const load *l, int *first, int *second,
                                 dls_sliding_verdict *result)
{
  dls_sliding known = l->sliding;
  known.rounding = l->rounding, known.coupling = l->coupling;
  const dls_status status = dls_sliding_unique(&known, NULL, first, second, result);
  if (status != DLS_OK) return status;
  if (result->has_witness && !(fabs(result->determinant_first) > result->error_first))
    return answer_small(l, first, second, result);
  if (!is_doubtful(l)) return DLS_OK;
  result->answer = DLS_UNDECIDED, result->by = small_determinants, result->has_witness = false;
  return answer_exactly(l, first, second, result);
}

static dls_status answer_load(load *l)
{
  dls_context *x = l->x;
  const ptrdiff_t m = ((ptrdiff_t)l->m_b + l->m_u);
  int *first = dls_arena_alloc(x->work, m, sizeof *first);
  int *second = dls_arena_alloc(x->work, m, sizeof *second);
  if (!first || !second) return DLS_ERR_MEMORY;
  dls_sliding_verdict result = {.answer = DLS_NO,
                                .margin = NAN,
                                .by = "the constraints depend on each other",
                                .has_witness = true};
  for (ptrdiff_t i = 0; i < m; i++) first[i] = 1, second[i] = i < l->m_b;
  if (l->massless) result.by = "a motion without inertia that open contacts leave free";
  dls_status status = DLS_OK;
  if (l->trouble && !l->massless) {
    // contacts with friction may hold what has no inertia: no A_n, but determinants   eq (chk.8)
    result = (dls_sliding_verdict){.answer = DLS_UNDECIDED, .margin = NAN, .by = l->trouble};
    if (l->held) status = answer_exactly(l, first, second, &result);
  } else if (!l->dependent && !l->massless) {
    status = answer_regular(l, first, second, &result);
  }
  if (status != DLS_OK) return status;
  const bool no = result.answer == DLS_NO;
  dls_verdict *v = dls_verdict_set(
      x, DLS_UNIQUE_FOR_EVERY_LOAD, result.answer, result.margin, result.by,
      no ? "the determinants of the matrices with the columns G^T P (g_i - sign mu_i H_i xi_i) of "
           "the bilateral contacts and of those in closed, and unit columns of the others, have "
           "opposite signs for the two choices, or one is zero"
      : result.answer == DLS_YES
          ? "all 2^m determinants of the column choices have one sign (P-property)"
          : NULL);
  if (!no || !result.has_witness) return DLS_OK;
  status = add_choice(l, v, first, "signs", "closed");
  return status == DLS_OK ? add_choice(l, v, second, "other_signs", "other_closed") : status;
}

// --- limits -------------------------------------------------------------------------------------

// The same coefficient everywhere.
static dls_status unique_at(const load *l, double mu, dls_answer *answer)
{
  const ptrdiff_t m = (ptrdiff_t)l->m_b + l->m_u;
  double *all = dls_context_work(l->x, m);
  int *choice = dls_arena_alloc(l->x->work, 2 * m, sizeof *choice);
  if (!all || !choice) return DLS_ERR_MEMORY;
  for (ptrdiff_t i = 0; i < m; i++) all[i] = l->frictional[i] ? mu : 0;
  dls_sliding_verdict verdict = {0};
  const dls_status status = dls_sliding_unique(&l->sliding, all, choice, choice + m, &verdict);
  *answer = verdict.answer;
  return status;
}

static const char degenerate[] =
    "inertia and gradients are so near to degenerate that the limit is not known";

static dls_status ambiguous(dls_limit *limit)
{
  limit->value = limit->low = limit->high = NAN;
  limit->by = degenerate;
  return DLS_OK;
}

// The bracket is exact for A_n and A_t as they are; they are known up to rounding, magnified by how
// near the inertia and the gradients are to degenerate. Its ends move apart by that, and are tested
// again.
static dls_status widen(const load *l, dls_limit *limit)
{
  const double part = entry_roundings * l->x->basic.noise * l->condition;
  if (!(part <= doubtful_rounding)) return ambiguous(limit);
  const double low = limit->low * (1 - part), high = limit->high * (1 + part);
  dls_answer below = DLS_UNDECIDED, above = DLS_UNDECIDED;
  dls_status status = unique_at(l, low, &below);
  if (status == DLS_OK) status = unique_at(l, high, &above);
  const bool good = below == DLS_YES && above == DLS_NO;
  limit->low = good ? low : (double)NAN, limit->high = good ? high : (double)NAN;
  return status;
}

// Tested on the data themselves, where that is not too much work.
static dls_status confirm(const load *l, dls_limit *limit)
{
  const dls_load_contacts contacts = contacts_of(l);
  double low = limit->low, high = limit->high;
  bool found = false;
  // eigenvalues of defective matrices are known to the root of the rounding
  const double rounding = l->x->basic.noise * l->condition,
               far = fmin(0.1, solved_roundings * rounding);
  const dls_status status = dls_load_bracket(&contacts, fmax(far, bracket_reach),
                                             fmin(entry_roundings * rounding, bracket_width),
                                             &limit->value, &low, &high, &found);
  if (status != DLS_OK || !found) return status != DLS_OK ? status : widen(l, limit);
  // an earlier loss may have been missed by eigenvalues that are rounding
  if (rounding > hopeless_rounding) return ambiguous(limit);
  limit->low = low, limit->high = high;
  limit->by = "eigenvalues over all choices, determinants without rounding at both ends";
  return DLS_OK;
}

// A coupling of normal and tangential forces that is zero up to rounding is none.    eq (num.1)
static bool forget_noise(const load *l, dls_limit *limit)
{
  const double left = 1 / (limit->value * l->coupling);
  if (!(left <= l->c->tolerance)) return false;
  const bool zero = left <= l->x->basic.noise * fmin(l->condition, excusing_condition);
  limit->value = limit->low = limit->high = zero ? (double)INFINITY : (double)NAN;
  limit->by = zero ? "normal and tangential forces are coupled by nothing but rounding"
                   : "normal and tangential forces are coupled by numbers too small to trust";
  return true;
}

// A bound is one for A_n and A_t as they are; what rounding makes of them comes off.
static void lower(const load *l, dls_limit *limit)
{
  const double part = entry_roundings * l->x->basic.noise * l->condition;
  if (!(limit->value > 0) || isinf(limit->value)) return;
  if (part <= hopeless_rounding) limit->value *= 1 - part;
  else ambiguous(limit);
}

// The constraints are independent: without friction nothing is lost but in rounding.
static void doubt_zero(dls_limit *limit)
{
  limit->value = limit->low = limit->high = NAN;
  limit->by = "A_n is not definite beyond rounding";
}

static dls_status find_limits(load *l)
{
  dls_limit *sufficient = &l->x->check->limit[DLS_LIMIT_SUFFICIENT];
  dls_limit *critical = &l->x->check->limit[DLS_LIMIT_CRITICAL];
  const bool first = dls_context_asked(l->x, DLS_ASK_LIMIT(DLS_LIMIT_SUFFICIENT));
  const bool second = dls_context_asked(l->x, DLS_ASK_LIMIT(DLS_LIMIT_CRITICAL));
  dls_status status = DLS_OK;
  const dls_limit none = {.asked = true, .value = NAN, .low = NAN, .high = NAN, .by = l->trouble};
  if (first) *sufficient = none;
  if (second) *critical = none;
  if (l->dependent || l->massless) {
    const char *by =
        l->massless ? "a motion without inertia that open contacts leave: lost without friction"
                    : "the constraints depend on each other: lost without friction";
    const dls_limit lost = {.asked = true, .value = 0, .low = NAN, .high = NAN, .by = by};
    if (first) *sufficient = lost;
    if (second) *critical = lost;
  }
  if (l->trouble || l->dependent) return DLS_OK;
  if (first) {
    dls_sliding_bounds bounds = {0};
    status = dls_sliding_sufficient(&l->sliding, &bounds);
    sufficient->value = bounds.sufficient, sufficient->by = bounds.by;
    lower(l, sufficient);
  }
  if (second && status == DLS_OK) {
    dls_sliding_limit limit = {0};
    status = dls_sliding_critical(&l->sliding, &limit);
    critical->value = limit.value, critical->low = limit.low, critical->high = limit.high;
    critical->by = limit.by;
    if (limit.value == 0) doubt_zero(critical);
    if (status == DLS_OK && limit.low > 0 && isfinite(limit.high) && !forget_noise(l, critical))
      status = confirm(l, critical);
  }
  // within its bracket the value is not below what is enough
  if (first && second && sufficient->value > critical->value && sufficient->value <= critical->high)
    critical->value = sufficient->value;
  return status;
}

dls_status dls_certify_load(dls_context *x)
{
  const dls_problem *p = &x->given;
  const dls_friction *f = p->friction;
  const unsigned limits = DLS_ASK_LIMIT(DLS_LIMIT_SUFFICIENT) | DLS_ASK_LIMIT(DLS_LIMIT_CRITICAL);
  if (!f || !dls_context_asked(x, DLS_ASK(DLS_UNIQUE_FOR_EVERY_LOAD) | limits)) return DLS_OK;
  bool slides = false, rests = false, sticks = false;
  for (int j = 0; j < p->m_b + p->m_u; j++) {
    const bool here = f->first[j + 1] > f->first[j];
    slides |= here && f->sliding[j];
    rests |= here && !f->sliding[j];
    sticks |= here && !f->sliding[j] && dls_static_friction(f, j) > 0;
  }
  // friction with a given bound is a constant where it slides; where it sticks it is none
  for (int k = 0; p->weights && k < p->weights->count; k++) {
    const dls_problem *w = &p->weights->problem;
    sticks |= !w->friction->sliding[w->m_b + w->m_u - 1 - k];
  }
  if (!slides || sticks) return DLS_OK;
  load l = {.x = x, .kernel = 1};
  dls_status status = dls_polyhedra_create(x, &l.c);
  if (status == DLS_OK) status = sort_contacts(&l);
  if (status == DLS_OK) status = make_matrices(&l);
  if (status == DLS_OK && dls_context_asked(x, DLS_ASK(DLS_UNIQUE_FOR_EVERY_LOAD)))
    status = answer_load(&l);
  if (status == DLS_OK && !rests && dls_context_asked(x, limits)) status = find_limits(&l);
  dls_polyhedra_free(l.c);
  return x->out_of_memory ? DLS_ERR_MEMORY : status;
}
