#include "coulomb_maker.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the problem

static const double zeros[COULOMB_S];

dls_problem coulomb_problem(coulomb *p)
{
  p->friction = (dls_friction){.tangents = p->tangents,
                               .first = p->first,
                               .H = p->H,
                               .b_t = p->b_t,
                               .mu = p->mu,
                               .xi = p->xi,
                               .sliding = p->sliding,
                               .w_n = zeros,
                               .w_t = zeros};
  return (dls_problem){.n = p->n,
                       .m_b = p->m_b,
                       .m_u = p->m_u,
                       .M = p->M,
                       .F = p->F,
                       .G_b = p->G,
                       .b_b = p->b,
                       .G_u = p->G + p->n * p->m_b,
                       .b_u = p->b + p->m_b,
                       .friction = &p->friction};
}

static void print_rows(const char *name, int rows, int cols, const double *A)
{
  printf("  %s =", name);
  for (int i = 0; i < rows; i++) {
    printf(i ? ";" : " [");
    for (int j = 0; j < cols; j++) printf(" %.17g", A[i + j * rows]);
  }
  printf(rows ? "]\n" : " []\n");
}

void coulomb_print(const coulomb *p)
{
  const int m = p->m_b + p->m_u;
  printf("problem %s: n %d, m_b %d, m_u %d, slips %d\n", p->name, p->n, p->m_b, p->m_u,
         p->tangents);
  print_rows("M", p->n, p->n, p->M);
  print_rows("F^T", 1, p->n, p->F);
  print_rows("G", p->n, m, p->G);
  print_rows("b^T", 1, m, p->b);
  print_rows("H", p->n, p->tangents, p->H);
  print_rows("b_t^T", 1, p->tangents, p->b_t);
  print_rows("mu^T", 1, m, p->mu);
  print_rows("xi^T", 1, p->tangents, p->xi);
  printf("  slips of contacts:");
  for (int i = 0; i < m; i++)
    printf(" %d%s", p->first[i + 1] - p->first[i], p->sliding[i] ? " (sliding)" : "");
  printf("\n  object:");
  for (int i = 0; i < p->objects; i++) printf(" %d", p->object[i]);
  printf("\n");
}

void coulomb_start(coulomb *p, const char *name, int n)
{
  *p = (coulomb){.n = n, .name = name};
}

int coulomb_add(coulomb *p, dls_contact_kind kind, int tangents, double mu)
{
  const int i = p->m_b + p->m_u;
  p->mu[i] = tangents ? mu : 0;
  p->tangents += tangents;
  p->first[i + 1] = p->tangents;
  if (kind == DLS_BILATERAL) p->m_b++;
  else p->m_u++;
  return i;
}

double *coulomb_normal(coulomb *p, int i)
{
  return p->G + p->n * i;
}

double *coulomb_tangent(coulomb *p, int i, int k)
{
  return p->H + p->n * (p->first[i] + k);
}

// ---- pieces to draw

static double draw_mu(rng *r)
{
  static const double values[] = {0.25, 0.5, 0.5, 1, 1, 2, 3, 0};
  return values[rng_int(r, 0, 7)];
}

static void draw(rng *r, int count, double *x, int most)
{
  for (int i = 0; i < count; i++) x[i] = rng_int(r, -most, most);
}

// M = B^T B with `rank` rows.
static void draw_mass(coulomb *p, rng *r, int rank)
{
  const int n = p->n;
  double row[COULOMB_N];
  for (int k = 0; k < rank; k++) {
    draw(r, n, row, rng_chance(r, 0.5) ? 1 : 2);
    if (rng_chance(r, 0.5)) {  // often the axes: no direction is left out by chance
      for (int i = 0; i < n; i++) row[i] = i == k ? rng_int(r, 1, 2) : 0;
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) p->M[i + j * n] += row[i] * row[j];
  }
}

// The kinds of `m` contacts, without directions: bilateral ones first.
static void draw_contacts(coulomb *p, rng *r, int m, double sliding)
{
  const int m_b = rng_chance(r, 0.5) ? 0 : rng_int(r, 0, m > 2 ? 2 : m);
  for (int k = 0; k < m; k++) {
    const int tangents = rng_chance(r, 0.85);
    const int i = coulomb_add(p, k < m_b ? DLS_BILATERAL : DLS_UNILATERAL, tangents, draw_mu(r));
    if (tangents && rng_chance(r, sliding)) {
      p->sliding[i] = true;
      p->xi[p->first[i]] = rng_chance(r, 0.5) ? 1 : -1;
    }
  }
}

static void draw_object(coulomb *p, rng *r)
{
  p->objects = rng_chance(r, 0.3) ? rng_int(r, 1, p->n) : rng_chance(r, 0.5) ? p->n : 0;
  for (int i = 0; i < p->objects; i++) p->object[i] = i;
}

static int draw_count(rng *r)
{
  static const int counts[] = {1, 1, 2, 2, 2, 2, 3, 3, 3, 4};
  return counts[rng_int(r, 0, 9)];
}

static void draw_directions(coulomb *p, rng *r)
{
  draw(r, p->n * (p->m_b + p->m_u), p->G, 2);
  draw(r, p->n * p->tangents, p->H, 2);
}

static void draw_biases(coulomb *p, rng *r)
{
  if (rng_chance(r, 0.6)) draw(r, p->m_b + p->m_u, p->b, 3);
  if (rng_chance(r, 0.6)) draw(r, p->tangents, p->b_t, 3);
}

// ---- families

void coulomb_integers(coulomb *p, rng *r)
{
  coulomb_start(p, "integers", rng_int(r, 1, 4));
  draw_mass(p, r, rng_chance(r, 0.6) ? p->n : rng_int(r, 0, p->n));
  draw_contacts(p, r, draw_count(r), 0.4);
  draw_directions(p, r);
  draw_biases(p, r);
  draw(r, p->n, p->F, 5);
  draw_object(p, r);
}

void coulomb_touch(coulomb *p, int i, double nx, double ny, double x, double y)
{
  double *g = coulomb_normal(p, i);
  g[0] = nx, g[1] = ny, g[2] = x * ny - y * nx;
  if (p->first[i + 1] == p->first[i]) return;
  double *h = coulomb_tangent(p, i, 0);
  h[0] = ny, h[1] = -nx, h[2] = -x * nx - y * ny;
}

void coulomb_body(coulomb *p, rng *r)
{
  static const double normal[][2] = {{0, 1}, {0, 1},  {0, 1}, {1, 0}, {-1, 0},
                                     {3, 4}, {-3, 4}, {1, 1}, {0, -1}};
  coulomb_start(p, "body", 3);
  p->M[0] = p->M[4] = rng_int(r, 1, 3), p->M[8] = rng_int(r, 1, 4);
  draw_contacts(p, r, draw_count(r), 0.35);
  for (int i = 0; i < p->m_b + p->m_u; i++) {
    const double *d = normal[rng_int(r, 0, 8)];
    coulomb_touch(p, i, d[0], d[1], rng_int(r, -3, 3), rng_int(r, -3, 1));
  }
  if (rng_chance(r, 0.3)) draw_biases(p, r);
  draw(r, 3, p->F, 4);
  p->F[1] += 3;
  draw_object(p, r);
}

void coulomb_rod(coulomb *p, rng *r)
{
  coulomb_start(p, "rod", 3);
  p->M[0] = p->M[4] = rng_int(r, 2, 4), p->M[8] = 1;
  const int m = rng_int(r, 1, 3);
  for (int k = 0; k < m; k++) {
    const int i = coulomb_add(p, DLS_UNILATERAL, 1, rng_int(r, 1, 3));
    const double x = rng_int(r, -3, 3), y = rng_int(r, -3, -1);
    coulomb_touch(p, i, 0, 1, x, y);
    p->sliding[i] = rng_chance(r, 0.6);
    // the direction in which friction presses the tip into the ground
    if (p->sliding[i]) p->xi[p->first[i]] = (x * y > 0) == rng_chance(r, 0.8) ? 1 : -1;
    p->b[i] = rng_int(r, -2, 4);
    p->b_t[p->first[i]] = rng_int(r, -3, 3);
  }
  p->F[0] = rng_int(r, -3, 3), p->F[1] = rng_int(r, -3, 4), p->F[2] = rng_int(r, -3, 3);
  draw_object(p, r);
}

void coulomb_klein(coulomb *p, rng *r)
{
  coulomb_start(p, "guides", 3);
  p->M[0] = p->M[4] = 12, p->M[8] = 1;
  const bool sticking = rng_chance(r, 0.3);
  const double xi = rng_chance(r, 0.3) ? 1 : -1;
  for (int k = 0; k < 2; k++) {
    const int i = coulomb_add(p, DLS_BILATERAL, 1, draw_mu(r) + rng_int(r, 0, 1));
    const double sign = k ? 1 : -1;
    coulomb_touch(p, i, 0, 1, 3 * sign, 4 * sign);
    p->sliding[i] = !sticking;
    p->xi[i] = sticking ? 0 : xi;
  }
  p->F[0] = rng_int(r, -2, 2), p->F[1] = rng_int(r, -3, 3), p->F[2] = rng_int(r, -6, 6);
  if (rng_chance(r, 0.3)) draw_biases(p, r);
}

// Forces and accelerations that obey the law, and the data for which they are a solution.
static void draw_contact_solution(coulomb *p, rng *r, int i, double *lambda, double *tau, double *a,
                                  double *s)
{
  const bool bilateral = i < p->m_b;
  *a = *tau = 0, *s = rng_int(r, -3, 3);
  *lambda = rng_int(r, bilateral ? -4 : 0, 4);
  if (!bilateral && rng_chance(r, 0.3)) {
    *lambda = 0, *a = rng_int(r, 0, 3);
    return;
  }
  if (p->first[i + 1] == p->first[i]) return;
  const double most = p->mu[i] * fabs(*lambda);
  if (p->sliding[i]) {
    *tau = -p->xi[p->first[i]] * most;
  } else if (rng_chance(r, 0.5)) {
    *s = 0, *tau = most * rng_int(r, -4, 4) / 4;
  } else {
    *tau = *s > 0 ? -most : *s < 0 ? most : most * rng_int(r, -2, 2) / 2;
  }
}

static double column_product(const coulomb *p, const double *column, const double *z)
{
  double sum = 0;
  for (int i = 0; i < p->n; i++) sum += column[i] * z[i];
  return sum;
}

static void draw_solution(coulomb *p, rng *r)
{
  double z[COULOMB_N];
  draw(r, p->n, z, 3);
  for (int i = 0; i < p->n; i++) p->F[i] = -column_product(p, p->M + p->n * i, z);
  for (int i = 0; i < p->m_b + p->m_u; i++) {
    double lambda, tau, a, s;
    const double *g = coulomb_normal(p, i);
    draw_contact_solution(p, r, i, &lambda, &tau, &a, &s);
    p->b[i] = a - column_product(p, g, z);
    for (int k = 0; k < p->n; k++) p->F[k] += g[k] * lambda;
    if (p->first[i + 1] == p->first[i]) continue;
    const double *h = coulomb_tangent(p, i, 0);
    p->b_t[p->first[i]] = s - column_product(p, h, z);
    for (int k = 0; k < p->n; k++) p->F[k] += h[k] * tau;
  }
}

void coulomb_known(coulomb *p, rng *r)
{
  coulomb_start(p, "known", rng_int(r, 1, 4));
  draw_mass(p, r, rng_chance(r, 0.6) ? p->n : rng_int(r, 0, p->n));
  draw_contacts(p, r, draw_count(r), 0.3);
  draw_directions(p, r);
  draw_solution(p, r);
  draw_object(p, r);
}

void coulomb_redundant(coulomb *p, rng *r)
{
  coulomb_start(p, "redundant", rng_int(r, 1, 3));
  draw_mass(p, r, rng_chance(r, 0.8) ? p->n : rng_int(r, 0, p->n));
  draw_contacts(p, r, rng_int(r, 2, 3), 0.3);
  draw_directions(p, r);
  const int m = p->m_b + p->m_u;
  for (int i = 1; i < m; i++) {
    if (rng_chance(r, 0.3)) continue;
    const int from = rng_int(r, 0, i - 1);
    memcpy(coulomb_normal(p, i), coulomb_normal(p, from), (size_t)p->n * sizeof(double));
    if (p->first[i + 1] > p->first[i] && p->first[from + 1] > p->first[from])
      memcpy(coulomb_tangent(p, i, 0), coulomb_tangent(p, from, 0), (size_t)p->n * sizeof(double));
    p->sliding[i] = p->sliding[i] && p->first[i + 1] > p->first[i];
  }
  if (rng_chance(r, 0.7)) draw_solution(p, r);
  else draw(r, p->n, p->F, 4);
  draw_object(p, r);
}

void coulomb_crowded(coulomb *p, rng *r)
{
  static const double normal[][2] = {{0, 1},  {0, 1},  {1, 0},  {-1, 0},  {3, 4},
                                     {-3, 4}, {0, -1}, {2, -1}, {-1, -2}, {-1, 2}};
  coulomb_start(p, "crowded", 3);
  p->M[0] = p->M[4] = rng_int(r, 1, 2), p->M[8] = rng_int(r, 1, 2);
  const int m = rng_int(r, 4, 5), bilateral = rng_chance(r, 0.2);
  for (int k = 0; k < m; k++) {
    const int i = coulomb_add(p, k < bilateral ? DLS_BILATERAL : DLS_UNILATERAL, 1,
                              0.125 * rng_int(r, 1, rng_chance(r, 0.3) ? 12 : 6));
    const double *d = normal[rng_int(r, 0, 9)];
    coulomb_touch(p, i, d[0], d[1], 0.5 * rng_int(r, -3, 3), 0.5 * rng_int(r, -3, 3));
  }
  if (rng_chance(r, 0.2)) draw_biases(p, r);
  draw(r, 3, p->F, 2);
  p->F[1] += 2;
}

void coulomb_nearly(coulomb *p, rng *r, int least, int most)
{
  coulomb_start(p, "nearly parallel", rng_int(r, 2, 3));
  draw_mass(p, r, p->n);
  for (int i = 0; i < p->n; i++) p->M[i * (p->n + 1)] += 1;
  // of three, two may be apart by the product of two small numbers: rounding
  draw_contacts(p, r, rng_int(r, 2, most > 16 ? 2 : 3), 0.2);
  draw_directions(p, r);
  const int m = p->m_b + p->m_u;
  for (int i = 1; i < m; i++) {
    const double side = rng_chance(r, 0.5) ? 1 : -1, far = ldexp(1, -rng_int(r, least, most));
    const bool both = rng_chance(r, 0.5);
    for (int k = 0; k < p->n; k++) coulomb_normal(p, i)[k] = side * coulomb_normal(p, i - 1)[k];
    coulomb_normal(p, i)[rng_int(r, 0, p->n - 1)] += far;
    p->b[i] = side * p->b[i - 1] + (rng_chance(r, 0.3) ? rng_int(r, -2, 2) : 0);
    if (!both || p->first[i + 1] == p->first[i] || p->first[i] == p->first[i - 1]) continue;
    for (int k = 0; k < p->n; k++)
      coulomb_tangent(p, i, 0)[k] = side * coulomb_tangent(p, i - 1, 0)[k];
  }
  draw(r, p->n, p->F, 4);
}

void coulomb_contradiction(coulomb *p, rng *r)
{
  coulomb_start(p, "contradiction", rng_int(r, 1, 3));
  draw_mass(p, r, rng_int(r, 1, p->n));
  draw_contacts(p, r, rng_int(r, 2, 3), 0.4);
  draw_directions(p, r);
  draw_biases(p, r);
  const int m = p->m_b + p->m_u;
  double *last = coulomb_normal(p, m - 1);
  for (int k = 0; k < p->n; k++) last[k] = 0;
  p->b[m - 1] = -rng_int(r, -1, 3);
  for (int i = 0; i + 1 < m; i++) {
    for (int k = 0; k < p->n; k++) last[k] -= coulomb_normal(p, i)[k];
    p->b[m - 1] -= p->b[i];
  }
  draw(r, p->n, p->F, 4);
  draw_object(p, r);
}

void coulomb_massless(coulomb *p, rng *r)
{
  coulomb_start(p, "massless", rng_int(r, 2, 4));
  draw_mass(p, r, rng_int(r, 1, p->n - 1));
  const int light = p->n - 1;
  for (int i = 0; i < p->n; i++) p->M[i + p->n * light] = p->M[light + p->n * i] = 0;
  draw_contacts(p, r, rng_int(r, 1, 3), 0.3);
  draw_directions(p, r);
  if (rng_chance(r, 0.3)) draw_biases(p, r);
  if (rng_chance(r, 0.4)) draw_solution(p, r);
  else draw(r, p->n, p->F, 4);
  if (rng_chance(r, 0.3)) p->F[light] = 0;
}

void coulomb_all_sliding(coulomb *p, rng *r)
{
  coulomb_start(p, "all sliding", rng_int(r, 2, 5));
  draw_mass(p, r, p->n);
  for (int i = 0; i < p->n; i++) p->M[i + p->n * i] += rng_int(r, 0, 2);
  const int m = rng_int(r, 1, p->n < 4 ? p->n : 4), m_b = rng_int(r, 0, m);
  for (int k = 0; k < m; k++) {
    const int tangents = rng_chance(r, 0.8);
    const int i = coulomb_add(p, k < m_b ? DLS_BILATERAL : DLS_UNILATERAL, tangents,
                              rng_chance(r, 0.5) ? 0.25 : draw_mu(r));
    p->sliding[i] = tangents;
    if (tangents) p->xi[p->first[i]] = rng_chance(r, 0.5) ? 1 : -1;
  }
  draw_directions(p, r);
  draw_biases(p, r);
  draw(r, p->n, p->F, 4);
  draw_object(p, r);
}

// Forces on the cone and off it, with Pythagorean directions so that the data stay exact.
void coulomb_spatial(coulomb *p, rng *r)
{
  static const double circle[][2] = {{0.6, 0.8}, {-0.6, 0.8}, {0.8, -0.6}, {-1, 0}, {0, 1}};
  coulomb_start(p, "spatial", rng_int(r, 2, 6));
  draw_mass(p, r, rng_chance(r, 0.7) ? p->n : rng_int(r, 0, p->n));
  const int m = rng_int(r, 1, 3), m_b = rng_int(r, 0, 1);
  for (int k = 0; k < m; k++) {
    const int i = coulomb_add(p, k < m_b ? DLS_BILATERAL : DLS_UNILATERAL, 2, draw_mu(r));
    p->sliding[i] = rng_chance(r, 0.3);
    const double *c = circle[rng_int(r, 0, 4)];
    for (int l = 0; l < 2; l++) p->xi[p->first[i] + l] = p->sliding[i] ? c[l] : 0;
  }
  draw_directions(p, r);
  double z[COULOMB_N];
  draw(r, p->n, z, 3);
  for (int i = 0; i < p->n; i++) p->F[i] = -column_product(p, p->M + p->n * i, z);
  for (int i = 0; i < m; i++) {
    const double *c = circle[rng_int(r, 0, 4)], *g = coulomb_normal(p, i);
    const bool detach = i >= m_b && rng_chance(r, 0.3), stick = rng_chance(r, 0.5);
    const double lambda = detach ? 0 : 5 * rng_int(r, i < m_b ? -2 : 0, 2);
    p->b[i] = (detach ? rng_int(r, 0, 3) : 0) - column_product(p, g, z);
    for (int k = 0; k < p->n; k++) p->F[k] += g[k] * lambda;
    for (int l = 0; l < 2; l++) {
      const double *h = coulomb_tangent(p, i, l);
      const double s = stick && !detach ? 0 : 5 * c[l] * rng_int(r, 1, 1);
      const double along = p->sliding[i] ? p->xi[p->first[i] + l] : c[l];
      const double part = stick && !p->sliding[i] ? 0.5 : 1;
      p->b_t[p->first[i] + l] = s - column_product(p, h, z);
      for (int k = 0; k < p->n; k++) p->F[k] -= h[k] * along * part * p->mu[i] * fabs(lambda);
    }
  }
}

// ---- the same problem, written otherwise

coulomb_units coulomb_same_units(void)
{
  coulomb_units u = {.mass = 1, .time = 1};
  for (int i = 0; i < COULOMB_N; i++) u.coordinate[i] = 1;
  for (int i = 0; i < COULOMB_M; i++) u.normal[i] = 1;
  for (int i = 0; i < COULOMB_S; i++) u.tangent[i] = 1;
  return u;
}

void coulomb_draw_units(const coulomb *p, rng *r, double base, int most, coulomb_units *u)
{
  *u = coulomb_same_units();
  u->mass = pow(base, rng_int(r, -most, most));
  u->time = pow(base, rng_int(r, -most, most));
  for (int i = 0; i < p->n; i++) u->coordinate[i] = pow(base, rng_int(r, -most, most));
  for (int i = 0; i < p->m_b + p->m_u; i++) {
    u->normal[i] = pow(base, rng_int(r, -most, most));
    const double t = pow(base, rng_int(r, -most, most));
    for (int k = p->first[i]; k < p->first[i + 1]; k++) u->tangent[k] = t;
  }
}

void coulomb_rescale(const coulomb *p, const coulomb_units *u, coulomb *out)
{
  const int n = p->n;
  *out = *p;
  for (int i = 0; i < n; i++) {
    const double c = u->coordinate[i];
    for (int j = 0; j < n; j++)
      out->M[i + n * j] = u->mass * (c * u->coordinate[j]) * p->M[i + n * j];
    for (int j = 0; j < p->m_b + p->m_u; j++)
      out->G[i + n * j] = c * u->normal[j] * p->G[i + n * j];
    for (int k = 0; k < p->tangents; k++) out->H[i + n * k] = c * u->tangent[k] * p->H[i + n * k];
    out->F[i] = u->mass * u->time * c * p->F[i];
  }
  for (int j = 0; j < p->m_b + p->m_u; j++) {
    out->b[j] = u->time * u->normal[j] * p->b[j];
    for (int k = p->first[j]; k < p->first[j + 1]; k++) {
      out->b_t[k] = u->time * u->tangent[k] * p->b_t[k];
      out->mu[j] = p->mu[j] * u->normal[j] / u->tangent[k];
    }
  }
}

static void shuffle(rng *r, int first, int count, int *order)
{
  for (int i = 0; i < count; i++) order[first + i] = first + i;
  for (int i = count - 1; i > 0; i--) {
    const int j = rng_int(r, 0, i), t = order[first + i];
    order[first + i] = order[first + j], order[first + j] = t;
  }
}

void coulomb_permute(const coulomb *p, rng *r, coulomb *out)
{
  const int n = p->n, m = p->m_b + p->m_u;
  int row[COULOMB_N], contact[COULOMB_M];
  shuffle(r, 0, n, row);
  shuffle(r, 0, p->m_b, contact);
  shuffle(r, p->m_b, p->m_u, contact);
  coulomb_start(out, p->name, n);
  for (int i = 0; i < n; i++) {
    out->F[i] = p->F[row[i]];
    for (int j = 0; j < n; j++) out->M[i + n * j] = p->M[row[i] + n * row[j]];
    for (int k = 0; k < p->objects; k++)
      if (row[i] == p->object[k]) out->object[out->objects++] = i;
  }
  for (int j = 0; j < m; j++) {
    const int from = contact[j], tangents = p->first[from + 1] - p->first[from];
    const double side = j < p->m_b && rng_chance(r, 0.5) ? -1 : 1;
    coulomb_add(out, j < p->m_b ? DLS_BILATERAL : DLS_UNILATERAL, tangents, p->mu[from]);
    out->sliding[j] = p->sliding[from];
    out->b[j] = side * p->b[from];
    for (int i = 0; i < n; i++) out->G[i + n * j] = side * p->G[row[i] + n * from];
    for (int l = 0; l < tangents; l++) {
      const int k = out->first[j] + l, k_from = p->first[from] + l;
      const double way = rng_chance(r, 0.5) ? -1 : 1;
      out->b_t[k] = way * p->b_t[k_from], out->xi[k] = way * p->xi[k_from];
      for (int i = 0; i < n; i++) out->H[i + n * k] = way * p->H[row[i] + n * k_from];
    }
  }
}
