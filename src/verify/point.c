// One combination of modes: its equations are linear.                            eq (chk.6)
//
//   | M   -B | | z |   | -F |      B: a column per force that may act, g, h or g - s mu H u
//   | C^T  0 | | f | = | -c |      C: a column per acceleration that vanishes, g or h
//
// A nonsingular matrix leaves at most one solution, and balls enclose it; the inequalities of the
// modes say whether it is one.
#include "verify/checks.h"
#include "verify/modes.h"

#include <math.h>

// A force that acts and an acceleration that vanishes, of the same contact.
typedef struct active {
  int contact, slip;  // slip: -1 for the normal
  int sign;           // of the normal force: friction is -sign mu u lambda
  double u[2];        // direction of sliding; 0 when the force is along its own column
} active;

typedef struct equations {
  const dls_data *d;
  int count;
  active *active;
  bool symmetric;  // B = C
} equations;

static dls_modes mode_only(dls_modes mode)
{
  return mode >= 1u << DLS_PULL_SHIFT ? mode >> DLS_PULL_SHIFT : mode;
}

static int sign_of(dls_modes mode)
{
  return mode >= 1u << DLS_PULL_SHIFT ? -1 : 1;
}

// False for sliding from rest in space: its direction is one of the unknowns.
static bool collect(const dls_data *d, const dls_modes *mode, equations *e)
{
  for (int j = 0; j < d->m; j++) {
    const dls_modes only = mode_only(mode[j]);
    if (only == DLS_DETACH) continue;
    active normal = {.contact = j, .slip = -1, .sign = sign_of(mode[j])};
    if (only == DLS_PLUS) normal.u[0] = 1;
    if (only == DLS_MINUS) normal.u[0] = -1;
    if (only == DLS_SLIDE) {
      if (!d->sliding[j]) return false;
      for (int k = 0; k < dls_slips_of(d, j); k++) normal.u[k] = d->xi[d->first[j] + k];
    }
    e->symmetric &= d->mu[j] == 0 || (normal.u[0] == 0 && normal.u[1] == 0);
    e->active[e->count++] = normal;
    for (int k = d->first[j]; k < d->first[j + 1] && only == DLS_STICK; k++)
      e->active[e->count++] = (active){.contact = j, .slip = k, .sign = 1};
  }
  return true;
}

static const double *column_of(const dls_data *d, const active *a)
{
  return a->slip < 0 ? d->g[a->contact] : dls_slip_column(d, a->slip);
}

// Entry i of the force column: g_i - sign mu sum_k u_k H_ik, scaled.
static void set_force_entry(arb_t entry, const dls_data *d, const active *a, slong i)
{
  const int j = a->contact;
  arb_t product, factor;
  arb_init(product), arb_init(factor);
  arb_set_d(entry, column_of(d, a)[i]);
  for (int k = 0; a->slip < 0 && k < dls_slips_of(d, j); k++) {
    if (a->u[k] == 0) continue;
    arb_set_d(product, -a->sign * a->u[k]);
    arb_set_d(factor, d->mu[j]);
    arb_mul(product, product, factor, DLS_BITS);
    arb_set_d(factor, dls_slip_column(d, d->first[j] + k)[i]);
    arb_addmul(entry, product, factor, DLS_BITS);
  }
  arb_set_d(factor, d->D[i] * d->C[j]);
  arb_mul(entry, entry, factor, DLS_BITS);
  arb_clear(product), arb_clear(factor);
}

static void fill(const equations *e, arb_mat_t K, arb_mat_t right)
{
  const dls_data *d = e->d;
  const slong n = d->n;
  const dls_scaled M = dls_scaled_mass(d);
  arb_mat_t block;
  arb_mat_window_init(block, K, 0, 0, n, n);
  dls_ball_fill(block, &M);
  arb_mat_window_clear(block);
  for (slong i = 0; i < n; i++) arb_set_d(arb_mat_entry(right, i, 0), -d->D[i] * d->F[i]);
  for (slong c = 0; c < e->count; c++) {
    const active *a = &e->active[c];
    const double unit = d->C[a->contact], b = a->slip < 0 ? d->b[a->contact] : d->b_t[a->slip];
    for (slong i = 0; i < n; i++) {
      arb_set_d(arb_mat_entry(K, n + c, i), unit * d->D[i] * column_of(d, a)[i]);
      set_force_entry(arb_mat_entry(K, i, n + c), d, a, i);
      arb_neg(arb_mat_entry(K, i, n + c), arb_mat_entry(K, i, n + c));
    }
    arb_set_d(arb_mat_entry(right, n + c, 0), -unit * b);
  }
}

// X is initialised here; true when the matrix is nonsingular.
static bool solve(const equations *e, arb_mat_t X)
{
  const slong size = e->d->n + e->count;
  arb_mat_t K, right;
  arb_mat_init(K, size, size), arb_mat_init(right, size, 1), arb_mat_init(X, size, 1);
  fill(e, K, right);
  const bool solved = arb_mat_solve(X, K, right, dls_ball_bits((int)size));
  arb_mat_clear(K), arb_mat_clear(right);
  return solved;
}

// ---- inequalities ------------------------------------------------------------------------------

typedef struct judge {
  dls_trial *x;
  const dls_modes *mode;
  const arb_mat_struct *X;
  double *size;  // by part
  dls_enclosure *e;
} judge;

// Scaled constant + column^T z.
static dls_interval acceleration(const judge *g, int contact, const double *column, double b)
{
  const dls_data *d = &g->x->data;
  arb_t sum, entry;
  arb_init(sum), arb_init(entry);
  arb_set_d(sum, d->C[contact] * b);
  for (slong i = 0; i < d->n; i++) {
    arb_set_d(entry, d->C[contact] * d->D[i] * column[i]);
    arb_addmul(sum, entry, arb_mat_entry(g->X, i, 0), DLS_BITS);
  }
  const dls_interval value = dls_ball_interval(sum);
  arb_clear(sum), arb_clear(entry);
  return value;
}

// value >= 0 is asked for.
static void ask(judge *g, int contact, dls_interval value)
{
  const double border = g->x->data.noise * g->size[g->x->data.contact_part[contact]];
  if (value.high < -border) g->e->inequality = DLS_OUTSIDE;
  else if (!(value.low > border) && g->e->inequality == DLS_INSIDE) g->e->inequality = DLS_BORDER;
}

static void ask_forces(judge *g, int j)
{
  const dls_data *d = &g->x->data;
  const dls_modes mode = mode_only(g->mode[j]);
  if (mode == DLS_CLOSED && dls_is_bilateral(d, j)) return;
  const dls_interval force = dls_interval_mul(dls_exactly(sign_of(g->mode[j])), g->e->lambda[j]);
  ask(g, j, force);
  if (mode != DLS_STICK) return;
  dls_interval t[2] = {{0, 0}, {0, 0}};
  for (int k = 0; k < dls_slips_of(d, j); k++) t[k] = g->e->tau[d->first[j] + k];
  ask(g, j,
      dls_interval_sub(dls_interval_mul(dls_exactly(d->mu[j]), force),
                       dls_interval_length(t[0], t[1])));
}

static void judge_contact(judge *g, int j)
{
  const dls_data *d = &g->x->data;
  const dls_modes mode = mode_only(g->mode[j]);
  if (mode == DLS_DETACH) {
    ask(g, j, acceleration(g, j, d->g[j], d->b[j]));
    return;
  }
  if (mode == DLS_PLUS || mode == DLS_MINUS) {
    const int k = d->first[j];
    const dls_interval s = acceleration(g, j, dls_slip_column(d, k), d->b_t[k]);
    ask(g, j, dls_interval_mul(dls_exactly(mode == DLS_PLUS ? 1 : -1), s));
  }
  if (g->e->forces) ask_forces(g, j);
  else if (g->e->inequality == DLS_INSIDE) g->e->inequality = DLS_BORDER;
}

// ---- the enclosure -----------------------------------------------------------------------------

static double middle(dls_interval x)
{
  return fmax(fabs(x.low), fabs(x.high));
}

// What forces and accelerations of a part are measured by.
static void measure(judge *g)
{
  const dls_data *d = &g->x->data;
  for (int i = 0; i < d->n; i++) {
    dls_raise(&g->size[d->coordinate_part[i]], d->D[i] * fabs(d->F[i]));
    dls_raise(&g->size[d->coordinate_part[i]], middle(g->e->z[i]));
  }
  for (int j = 0; j < d->m; j++) {
    double *size = &g->size[d->contact_part[j]];
    dls_raise(size, d->C[j] * fabs(d->b[j]));
    dls_raise(size, middle(g->e->lambda[j]));
    for (int k = d->first[j]; k < d->first[j + 1]; k++) dls_raise(size, middle(g->e->tau[k]));
  }
}

static void read_off(dls_trial *x, const equations *q, const arb_mat_t X, dls_enclosure *e)
{
  const dls_data *d = &x->data;
  for (slong i = 0; i < d->n; i++) e->z[i] = dls_ball_interval(arb_mat_entry(X, i, 0));
  for (slong c = 0; c < q->count && e->forces; c++) {
    const active *a = &q->active[c];
    const dls_interval force = dls_ball_interval(arb_mat_entry(X, d->n + c, 0));
    if (a->slip >= 0) {
      e->tau[a->slip] = force;
      continue;
    }
    e->lambda[a->contact] = force;
    for (int k = 0; k < dls_slips_of(d, a->contact); k++)
      if (a->u[k] != 0)
        e->tau[d->first[a->contact] + k] = dls_interval_mul(
            dls_interval_mul(dls_exactly(-a->sign * a->u[k]), dls_exactly(d->mu[a->contact])),
            force);
  }
}

// Columns that depend on others, to the tolerance, are left out: enough for the accelerations.
static bool thin_out(dls_trial *x, equations *q)
{
  const dls_data *d = &x->data;
  const size_t n = (size_t)d->n;
  double *A = dls_trial_alloc(x, n * (size_t)q->count, sizeof *A);
  int *chosen = dls_trial_alloc(x, (size_t)q->count, sizeof *chosen);
  active *kept = dls_trial_alloc(x, (size_t)q->count, sizeof *kept);
  if (!A || !chosen || !kept) return false;
  for (int c = 0; c < q->count; c++)
    for (size_t i = 0; i < n; i++)
      A[i + n * (size_t)c] = d->D[i] * column_of(d, &q->active[c])[i] * d->C[q->active[c].contact];
  const int count = dls_independent_columns(x, A, q->count, chosen);
  for (int c = 0; c < count; c++) kept[c] = q->active[chosen[c]];
  q->active = kept, q->count = count;
  return count >= 0;
}

static bool mass_is_definite(dls_trial *x)
{
  const dls_scaled M = dls_scaled_mass(&x->data);
  if (!x->mass_asked) x->mass_definite = dls_is_definite(&M, x->data.noise);
  x->mass_asked = true;
  return x->mass_definite;
}

bool dls_solve_modes(dls_trial *x, const dls_modes *mode, dls_enclosure *e)
{
  const dls_data *d = &x->data;
  equations q = {.d = d, .symmetric = true};
  judge g = {.x = x, .mode = mode, .e = e};
  *e = (dls_enclosure){.inequality = DLS_INSIDE};
  q.active = dls_trial_alloc(x, (size_t)(d->m + d->slips), sizeof *q.active);
  e->z = dls_trial_alloc(x, (size_t)d->n, sizeof *e->z);
  e->lambda = dls_trial_alloc(x, (size_t)d->m, sizeof *e->lambda);
  e->tau = dls_trial_alloc(x, (size_t)d->slips, sizeof *e->tau);
  g.size = dls_trial_alloc(x, (size_t)d->parts, sizeof *g.size);
  if (!q.active || !e->z || !e->lambda || !e->tau || !g.size) return false;
  if (!collect(d, mode, &q)) {
    e->why = "the direction of sliding is free";
    return true;
  }
  arb_mat_t X;
  e->accelerations = e->forces = solve(&q, X);
  if (!e->forces && q.symmetric && mass_is_definite(x)) {
    arb_mat_clear(X);
    e->why = "forces that depend on each other";
    const bool good = thin_out(x, &q);
    e->accelerations = solve(&q, X) && good;
  } else if (!e->forces) {
    e->why = "its equations are singular";
  }
  if (e->accelerations) {
    read_off(x, &q, X, e);
    g.X = X;
    measure(&g);
    for (int j = 0; j < d->m; j++) judge_contact(&g, j);
  }
  arb_mat_clear(X);
  return !x->out_of_memory;
}

static double away(dls_interval enclosed, double scaled)
{
  return dls_interval_abs(dls_interval_sub(enclosed, dls_exactly(scaled))).high;
}

double dls_distance(dls_trial *x, const dls_enclosure *e, const dls_point *point, bool forces)
{
  const dls_data *d = &x->data;
  judge g = {.x = x, .e = (dls_enclosure *)e};
  double *error = dls_trial_alloc(x, (size_t)d->parts, sizeof *error), distance = 0;
  g.size = dls_trial_alloc(x, (size_t)d->parts, sizeof *g.size);
  if (!g.size || !error) return (double)NAN;
  measure(&g);
  for (int i = 0; i < d->n; i++)
    dls_raise(&error[d->coordinate_part[i]], away(e->z[i], point->z[i] / d->D[i]));
  for (int j = 0; j < d->m && forces; j++) {
    double *worst = &error[d->contact_part[j]];
    dls_raise(worst, away(e->lambda[j], point->lambda[j] / d->C[j]));
    for (int k = d->first[j]; k < d->first[j + 1]; k++)
      dls_raise(worst, away(e->tau[k], point->tau[k] / d->C[j]));
  }
  for (int p = 0; p < d->parts; p++) dls_raise(&distance, dls_over(error[p], g.size[p]));
  return distance;
}
