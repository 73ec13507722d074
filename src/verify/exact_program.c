// The most room s <= 1 that inequalities leave is the least value of the dual,
//
//   max s:  L t + l >= s   =   min kappa^T l + kappa_0:  L^T kappa = 0,  sum kappa + kappa_0 = 1,
//   kappa >= 0
//
// over what the equations leave free. There is a point if and only if it is not negative.
#include "verify/exact_program.h"

#include "verify/guard.h"

bool dls_exact_program_create(dls_trial *x, int size, int most, dls_exact_program *p)
{
  const ptrdiff_t count = most * ((ptrdiff_t)size + 1);
  *p = (dls_exact_program){.size = size, .most = most};
  p->entry = dls_trial_alloc(x, count, sizeof *p->entry);
  p->equation = dls_trial_alloc(x, most, sizeof *p->equation);
  if (!p->entry || !p->equation) return false;
  for (ptrdiff_t k = 0; k < count; k++) mpq_init(p->entry[k]);
  return true;
}

void dls_exact_program_clear(dls_exact_program *p)
{
  const ptrdiff_t count = p->most * ((ptrdiff_t)p->size + 1);
  for (ptrdiff_t k = 0; k < count; k++) mpq_clear(p->entry[k]);
}

static mpq_t *row_at(const dls_exact_program *p, int row)
{
  return p->entry + row * ((ptrdiff_t)p->size + 1);
}

mpq_t *dls_exact_row(dls_exact_program *p, bool equation)
{
  p->equation[p->rows] = equation;
  if (equation) p->equations++;
  else p->inequalities++;
  return row_at(p, p->rows++);
}

// to -= factor from, over `count` entries; factor is one of `to`, and copied first.
static void subtract(mpq_t *to, mpq_t *from, int factor, int count, mpq_t *work)
{
  if (mpq_sgn(to[factor]) == 0) return;
  mpq_set(work[0], to[factor]);
  for (int j = 0; j < count; j++) {
    if (mpq_sgn(from[j]) == 0) continue;
    mpq_mul(work[1], work[0], from[j]);
    mpq_sub(to[j], to[j], work[1]);
  }
}

static void divide(mpq_t *row, int by, int count, mpq_t *work)
{
  mpq_set(work[0], row[by]);
  for (int j = 0; j < count; j++)
    if (mpq_sgn(row[j]) != 0) mpq_div(row[j], row[j], work[0]);
}

// Takes a coordinate out of all other rows with each equation. False: they contradict each other.
static bool eliminate(const dls_exact_program *p, bool *used, mpq_t *work)
{
  for (int i = 0; i < p->rows; i++) {
    mpq_t *row = row_at(p, i);
    int col = 0;
    if (!p->equation[i]) continue;
    while (col < p->size && mpq_sgn(row[col]) == 0) col++;
    if (col == p->size) {
      if (mpq_sgn(row[col]) != 0) return false;
      continue;
    }
    used[col] = true;
    divide(row, col, p->size + 1, work);
    for (int k = 0; k < p->rows; k++)
      if (k != i) subtract(row_at(p, k), row, col, p->size + 1, work);
    dls_guard_look();
  }
  return true;
}

// The dual as a tableau: a row for each free unknown, one for the sum, the last one for the cost.
typedef struct table {
  int rows, cols;  // with the cost; with the right-hand side
  mpq_t *T;
  int *basis;
  mpq_t work[2];
} table;

static mpq_t *table_row(const table *s, int row)
{
  return s->T + (ptrdiff_t)row * s->cols;
}

static void pivot(table *s, int row, int col)
{
  mpq_t *from = table_row(s, row);
  divide(from, col, s->cols, s->work);
  for (int k = 0; k < s->rows; k++)
    if (k != row) subtract(table_row(s, k), from, col, s->cols, s->work);
  s->basis[row] = col;
}

static void fill(const dls_exact_program *p, const bool *used, table *s)
{
  const int sum = s->rows - 2, cost = s->rows - 1;
  int col = 0;
  for (int i = 0; i < p->rows; i++) {
    if (p->equation[i]) continue;
    int row = 0;
    for (int j = 0; j < p->size; j++)
      if (!used[j]) mpq_set(table_row(s, row++)[col], row_at(p, i)[j]);
    mpq_set_ui(table_row(s, sum)[col], 1, 1);
    mpq_set(table_row(s, cost)[col++], row_at(p, i)[p->size]);
  }
  mpq_set_ui(table_row(s, sum)[col], 1, 1);
  mpq_set_ui(table_row(s, cost)[col], 1, 1);
  mpq_set_ui(table_row(s, sum)[col + 1], 1, 1);
}

// kappa_0 = 1 and any columns for the other rows, whose right-hand sides are 0; rows without an
// entry are empty and stay so.
static void start(table *s)
{
  const int sum = s->rows - 2;
  pivot(s, sum, s->cols - 2);
  for (int i = 0; i < sum; i++) {
    int col = 0;
    while (col < s->cols - 2 && mpq_sgn(table_row(s, i)[col]) == 0) col++;
    s->basis[i] = s->cols;
    if (col < s->cols - 2) pivot(s, i, col);
  }
}

// The row that leaves when the column enters: the smallest ratio, of several that of the first
// variable.
static int find_leaving(table *s, int enter)
{
  const int right = s->cols - 1;
  int leave = -1;
  for (int i = 0; i < s->rows - 1; i++) {
    mpq_t *row = table_row(s, i);
    if (mpq_sgn(row[enter]) <= 0) continue;
    mpq_div(s->work[1], row[right], row[enter]);
    const int order = leave < 0 ? -1 : mpq_cmp(s->work[1], s->work[0]);
    if (order > 0 || (order == 0 && s->basis[i] > s->basis[leave])) continue;
    leave = i;
    mpq_set(s->work[0], s->work[1]);
  }
  return leave;
}

static dls_exact minimise(table *s)
{
  enum { MOST_STEPS = 2000 };
  const int cost = s->rows - 1, right = s->cols - 1;
  for (int step = 0; step < MOST_STEPS; step++) {
    dls_guard_look();
    // the right-hand side of the cost is minus its value
    if (mpq_sgn(table_row(s, cost)[right]) > 0) return DLS_EXACT_NO;
    int enter = 0;
    while (enter < right && mpq_sgn(table_row(s, cost)[enter]) >= 0) enter++;
    if (enter == right) return DLS_EXACT_YES;
    const int leave = find_leaving(s, enter);
    if (leave < 0) return DLS_EXACT_UNKNOWN;  // cannot be: the sum is 1
    pivot(s, leave, enter);
  }
  return DLS_EXACT_UNKNOWN;
}

static dls_exact decide_inequalities(dls_trial *x, const dls_exact_program *p, const bool *used)
{
  table s = {.rows = 2, .cols = p->inequalities + 2};
  for (int j = 0; j < p->size; j++) s.rows += !used[j];
  const ptrdiff_t count = (ptrdiff_t)s.rows * s.cols;
  s.T = dls_trial_alloc(x, count, sizeof *s.T);
  s.basis = dls_trial_alloc(x, s.rows, sizeof *s.basis);
  if (!s.T || !s.basis) return DLS_EXACT_UNKNOWN;
  for (ptrdiff_t k = 0; k < count; k++) mpq_init(s.T[k]);
  mpq_inits(s.work[0], s.work[1], NULL);
  fill(p, used, &s);
  start(&s);
  const dls_exact found = minimise(&s);
  for (ptrdiff_t k = 0; k < count; k++) mpq_clear(s.T[k]);
  mpq_clears(s.work[0], s.work[1], NULL);
  return found;
}

dls_exact dls_exact_program_decide(dls_trial *x, dls_exact_program *p)
{
  bool *used = dls_trial_alloc(x, p->size, sizeof *used);
  if (!used) return DLS_EXACT_UNKNOWN;
  mpq_t work[2];
  mpq_inits(work[0], work[1], NULL);
  const bool agree = eliminate(p, used, work);
  mpq_clears(work[0], work[1], NULL);
  return agree ? decide_inequalities(x, p, used) : DLS_EXACT_NO;
}
