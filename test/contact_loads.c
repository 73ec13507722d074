#include "contact_loads.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MOST = 64 };

typedef long double number;

typedef struct dense {
  int d, contacts, end, rows;
  number W[MOST][MOST], q[MOST], u[MOST], size[MOST];  // size: of what u is added up from
  number scale[MOST];                                  // velocity per impulse, of each node
  number load[MOST];                                   // of contacts, then equations
} dense;

static void spread(const dls_matrix_view *A, number to[MOST][MOST])
{
  for (int j = 0; j < A->pattern.cols; j++)
    for (int e = A->pattern.p[j]; e < A->pattern.p[j + 1]; e++) to[A->pattern.i[e]][j] = A->x[e];
}

static void swap_rows(number A[MOST][2 * MOST], int a, int b, int cols)
{
  for (int c = 0; c < cols; c++) {
    const number kept = A[a][c];
    A[a][c] = A[b][c], A[b][c] = kept;
  }
}

// The right half of A becomes left^-1 right, by Gauss and Jordan. A column without a pivot beside
// the size of its diagonal is left out: its unknown is 0.
static void eliminate(int n, int right, number A[MOST][2 * MOST])
{
  bool used[MOST] = {false};
  number diagonal[MOST];
  for (int i = 0; i < n; i++) diagonal[i] = fabsl(A[i][i]);
  for (int c = 0; c < n; c++) {
    int best = -1;
    number most = 1e-9L * diagonal[c];
    for (int i = 0; i < n; i++)
      if (!used[i] && fabsl(A[i][c]) > most) best = i, most = fabsl(A[i][c]);
    if (best < 0) {
      for (int k = 0; k < right; k++) A[c][MOST + k] = 0;
      used[c] = true;
      continue;
    }
    if (best != c) swap_rows(A, best, c, MOST + right);
    used[c] = true;
    for (int i = 0; i < n; i++) {
      if (i == c || A[i][c] == 0) continue;
      const number factor = A[i][c] / A[c][c];
      for (int k = c; k < n; k++) A[i][k] -= factor * A[c][k];
      for (int k = 0; k < right; k++) A[i][MOST + k] -= factor * A[c][MOST + k];
    }
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < right; k++)
      if (A[i][i] != 0) A[i][MOST + k] /= A[i][i];
}

static void set_local(const dls_incremental *p, const double *r, dense *x)
{
  spread(&p->W, x->W);
  for (int i = 0; i < x->rows; i++) {
    x->q[i] = x->u[i] = p->q[i], x->size[i] = fabsl(x->q[i]);
    for (int j = 0; j < x->rows; j++)
      x->u[i] += x->W[i][j] * r[j], x->size[i] += fabsl(x->W[i][j] * r[j]);
  }
}

static void set_global(const dls_incremental *p, const double *v, dense *x)
{
  static number H[MOST][MOST], M[MOST][MOST], A[MOST][2 * MOST];
  memset(H, 0, sizeof H), memset(M, 0, sizeof M);
  spread(&p->H, H), spread(&p->M, M);
  for (int k = 0; k < p->dof; k++) {
    for (int l = 0; l < p->dof; l++) A[k][l] = M[k][l];
    for (int j = 0; j < x->rows; j++) A[k][MOST + j] = H[k][j];
    A[k][MOST + x->rows] = p->f[k];
  }
  eliminate(p->dof, x->rows + 1, A);
  for (int i = 0; i < x->rows; i++) {
    number added = 0;
    x->q[i] = x->u[i] = p->w[i];
    for (int k = 0; k < p->dof; k++) {
      const number free = A[k][MOST + x->rows];
      x->q[i] += H[k][i] * free, x->u[i] += H[k][i] * v[k];
      added += fabsl(H[k][i] * (v[k] - free));
      for (int j = 0; j < x->rows; j++) x->W[i][j] += H[k][i] * A[k][MOST + j];
    }
    x->size[i] = fabsl(x->q[i]) + added;
  }
}

static int first_row(const dense *x, int node)
{
  return node < x->contacts ? x->d * node : x->end + node - x->contacts;
}

// The largest |W| between two nodes.
static number coupling(const dense *x, int i, int j)
{
  const int rows = i < x->contacts ? x->d : 1, cols = j < x->contacts ? x->d : 1;
  number most = 0;
  for (int a = 0; a < rows; a++)
    for (int b = 0; b < cols; b++)
      most = fmaxl(most, fabsl(x->W[first_row(x, i) + a][first_row(x, j) + b]));
  return most;
}

// Loads of contacts: q, and q while the equations are held.
static void set_loads(dense *x, int equations)
{
  static number A[MOST][2 * MOST];
  for (int a = 0; a < equations; a++) {
    for (int b = 0; b < equations; b++) A[a][b] = x->W[x->end + a][x->end + b];
    A[a][MOST] = x->q[x->end + a];
  }
  eliminate(equations, 1, A);
  for (int row = 0; row < x->end; row++) {
    number held = x->q[row];
    for (int b = 0; b < equations; b++) held -= x->W[row][x->end + b] * A[b][MOST];
    number *load = &x->load[row / x->d];
    *load = fmaxl(*load, fmaxl(fabsl(held), fabsl(x->q[row])));
  }
}

// Loads that come from others, until none grows.
static void reach(dense *x, int nodes)
{
  for (bool more = true; more;) {
    more = false;
    for (int j = 0; j < nodes; j++)
      for (int i = 0; i < nodes; i++) {
        const bool both = i < x->contacts && j < x->contacts;
        const number scale = both ? x->scale[j] : sqrtl(x->scale[i] * x->scale[j]);
        const number part = 1024 * coupling(x, i, j) / scale;
        const number comes = x->load[j] * fminl(part, 1);
        if (!(comes > x->load[i])) continue;
        x->load[i] = comes, more = true;
      }
  }
}

// The velocity that is wrong: impulses times the contact's own scale are velocities too.
static number wrong(const dense *x, int i, number mu, const double *r)
{
  const int at = x->d * i;
  const number s = x->scale[i], normal = s * r[at], a = s * r[at + 1];
  const number b = x->d == 3 ? s * r[at + 2] : 0, u2 = x->d == 3 ? x->u[at + 2] : 0;
  const number friction = hypotl(a, b), slip = hypotl(x->u[at + 1], u2);
  const number inside = (mu * normal - friction) / sqrtl(1 + mu * mu);
  number worst = fmaxl(fmaxl(-x->u[at], -normal), fmaxl(-inside, fminl(normal, x->u[at])));
  if (!(slip > 0) || !(mu > 0)) return worst;
  worst = fmaxl(worst, fminl(slip, inside));
  if (!(friction > 0)) return worst;
  const number turned = hypotl(a / friction + x->u[at + 1] / slip, b / friction + u2 / slip);
  return fmaxl(worst, fminl(slip, friction) * turned);
}

double contact_loads_error(const dls_incremental *p, const double *r, const double *v)
{
  static dense x;
  const int nodes = p->contacts + p->equations;
  x = (dense){.d = p->dimension, .contacts = p->contacts, .end = p->dimension * p->contacts};
  x.rows = x.end + p->equations;
  if (p->global) set_global(p, v, &x);
  else set_local(p, r, &x);
  for (int i = 0; i < nodes; i++) {
    const int count = i < p->contacts ? x.d : 1;
    for (int k = 0; k < count; k++) {
      const int row = first_row(&x, i) + k;
      x.scale[i] += fabsl(x.W[row][row]) / count;
    }
  }
  set_loads(&x, p->equations);
  reach(&x, nodes);
  number worst = 0;
  for (int i = 0; i < p->contacts; i++) {
    number size = 0;
    for (int k = x.d * i; k < x.d * (i + 1); k++) size = fmaxl(size, x.size[k]);
    const number rest = wrong(&x, i, p->mu[i], r) - (x.rows + 4) * (number)DBL_EPSILON * size;
    if (rest > 0 && x.load[i] > 0) worst = fmaxl(worst, rest / x.load[i]);
    else if (isnan((double)rest)) worst = NAN;
  }
  return (double)worst;
}
