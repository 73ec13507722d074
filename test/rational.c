#include "rational.h"
#include <assert.h>
#include <math.h>

void rational_set(fmpq_t out, double x)
{
  int exponent = 0;
  const double mantissa = frexp(x, &exponent);
  fmpq_set_si(out, (slong)(mantissa * 0x1p53), 1);
  if (exponent >= 53) fmpq_mul_2exp(out, out, (flint_bitcnt_t)(exponent - 53));
  else fmpq_div_2exp(out, out, (flint_bitcnt_t)(53 - exponent));
}

void linear_init(linear *s, int n)
{
  s->n = n, s->rows = 0;
  fmpq_mat_init(s->a, LINEAR_ROWS, n + 1);
}

void linear_clear(linear *s)
{
  fmpq_mat_clear(s->a);
}

fmpq *linear_add(linear *s, bool equation)
{
  assert(s->rows < LINEAR_ROWS);
  fmpq *row = s->a->rows[s->rows];
  for (int j = 0; j <= s->n; j++) fmpq_zero(row + j);
  s->equation[s->rows++] = equation;
  return row;
}

void linear_cut(linear *s, int rows)
{
  s->rows = rows;
}

void linear_join(linear *s, const linear *other)
{
  for (int i = 0; i < other->rows; i++) {
    fmpq *row = linear_add(s, other->equation[i]);
    for (int j = 0; j <= s->n; j++) fmpq_set(row + j, other->a->rows[i] + j);
  }
}

// ---- a dictionary: each row is a variable as a function of the variables of the columns

typedef struct dictionary {
  int n, rows;
  fmpq_mat_t a;
  int row[LINEAR_ROWS];  // which variable: j is x_j, n + i the slack of row i
  int *column;           // n; -1: an equation's slack, always zero
} dictionary;

// The variable of row i takes the place of that of column j.
static void pivot(dictionary *d, int i, int j)
{
  fmpq_t factor, product;
  fmpq_init(factor), fmpq_init(product);
  fmpq *p = d->a->rows[i];
  fmpq_inv(factor, p + j);
  for (int k = 0; k <= d->n; k++)
    if (k != j && !fmpq_is_zero(p + k)) {
      fmpq_mul(p + k, p + k, factor);
      fmpq_neg(p + k, p + k);
    }
  fmpq_set(p + j, factor);
  for (int r = 0; r < d->rows; r++) {
    fmpq *q = d->a->rows[r];
    if (r == i || fmpq_is_zero(q + j)) continue;
    fmpq_set(factor, q + j);
    fmpq_zero(q + j);
    for (int k = 0; k <= d->n; k++) {
      if (fmpq_is_zero(p + k) || (k < d->n && d->column[k] < 0)) continue;
      fmpq_mul(product, factor, p + k);
      fmpq_add(q + k, q + k, product);
    }
  }
  const int variable = d->row[i];
  d->row[i] = d->column[j], d->column[j] = variable;
  fmpq_clear(factor), fmpq_clear(product);
}

// The equations: each removes a column. False when they contradict each other.
static bool use_equations(dictionary *d, const bool *equation)
{
  for (int i = 0; i < d->rows; i++) {
    if (!equation[i]) continue;
    int j = 0;
    while (j < d->n && (d->column[j] < 0 || fmpq_is_zero(d->a->rows[i] + j))) j++;
    if (j < d->n) {
      pivot(d, i, j);
      d->column[j] = -1;
    } else if (!fmpq_is_zero(d->a->rows[i] + d->n)) {
      return false;
    } else {
      d->row[i] = -1;
    }
  }
  return true;
}

// Variables of either sign leave the columns, where some inequality knows them.
static void free_columns(dictionary *d)
{
  for (int j = 0; j < d->n; j++) {
    if (d->column[j] < 0 || d->column[j] >= d->n) continue;
    int i = 0;
    while (i < d->rows && (d->row[i] < d->n || fmpq_is_zero(d->a->rows[i] + j))) i++;
    if (i < d->rows) pivot(d, i, j);
  }
}

// The least index of a slack below zero, exchanged for the least that can raise it: ends, as
// Bland's rule does, at a point or at a row that no point fulfils.
static bool raise_slacks(dictionary *d)
{
  for (;;) {
    int i = -1, j = -1;
    for (int r = 0; r < d->rows; r++)
      if (d->row[r] >= d->n && fmpq_sgn(d->a->rows[r] + d->n) < 0 &&
          (i < 0 || d->row[r] < d->row[i]))
        i = r;
    if (i < 0) return true;
    for (int k = 0; k < d->n; k++)
      if (d->column[k] >= d->n && fmpq_sgn(d->a->rows[i] + k) > 0 &&
          (j < 0 || d->column[k] < d->column[j]))
        j = k;
    if (j < 0) return false;
    pivot(d, i, j);
  }
}

bool linear_feasible(const linear *s, fmpq *x, int *freedom)
{
  dictionary d = {.n = s->n, .rows = s->rows};
  int column[LINEAR_ROWS];
  d.column = column;
  fmpq_mat_init(d.a, s->rows, s->n + 1);
  for (int j = 0; j < s->n; j++) column[j] = j;
  for (int i = 0; i < s->rows; i++) {
    d.row[i] = s->n + i;
    for (int j = 0; j <= s->n; j++) fmpq_set(d.a->rows[i] + j, s->a->rows[i] + j);
  }
  bool yes = use_equations(&d, s->equation);
  if (freedom) *freedom = 0;
  for (int j = 0; freedom && j < s->n; j++) *freedom += column[j] >= 0;
  if (yes) {
    free_columns(&d);
    yes = raise_slacks(&d);
  }
  if (yes && x) {
    for (int j = 0; j < s->n; j++) fmpq_zero(x + j);
    for (int i = 0; i < s->rows; i++)
      if (d.row[i] >= 0 && d.row[i] < s->n) fmpq_set(x + d.row[i], d.a->rows[i] + s->n);
    assert(linear_holds(s, x));
  }
  fmpq_mat_clear(d.a);
  return yes;
}

static void row_value(fmpq_t value, const linear *s, int i, const fmpq *x)
{
  const fmpq *row = s->a->rows[i];
  fmpq_t product;
  fmpq_init(product);
  fmpq_set(value, row + s->n);
  for (int j = 0; j < s->n; j++) {
    fmpq_mul(product, row + j, x + j);
    fmpq_add(value, value, product);
  }
  fmpq_clear(product);
}

bool linear_holds(const linear *s, const fmpq *x)
{
  fmpq_t value;
  fmpq_init(value);
  bool yes = true;
  for (int i = 0; i < s->rows && yes; i++) {
    row_value(value, s, i, x);
    yes = s->equation[i] ? fmpq_is_zero(value) : fmpq_sgn(value) >= 0;
  }
  fmpq_clear(value);
  return yes;
}

bool linear_moves(const linear *s, const fmpq *x, int j)
{
  linear directions;
  fmpq_t value;
  fmpq_init(value);
  linear_init(&directions, s->n);
  for (int i = 0; i < s->rows; i++) {
    row_value(value, s, i, x);
    if (!s->equation[i] && !fmpq_is_zero(value)) continue;
    fmpq *row = linear_add(&directions, s->equation[i]);
    for (int k = 0; k < s->n; k++) fmpq_set(row + k, s->a->rows[i] + k);
  }
  fmpq *row = linear_add(&directions, true);
  fmpq_one(row + j);
  bool moves = false;
  for (int sign = -1; sign <= 1 && !moves; sign += 2) {
    fmpq_set_si(row + s->n, sign, 1);
    moves = linear_feasible(&directions, NULL, NULL);
  }
  linear_clear(&directions);
  fmpq_clear(value);
  return moves;
}
