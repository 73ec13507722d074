#include "impact_maker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double dot(int n, const double *a, const double *b)
{
  long double sum = 0;
  for (int i = 0; i < n; i++) sum += (long double)a[i] * b[i];
  return (double)sum;
}

void impact_case_velocities(impact_case *c)
{
  int slip = 0;
  for (int j = 0; j < c->m_b + c->m_u; j++) {
    c->u[j] = dot(c->n, c->G + c->n * j, c->v);
    for (int k = 0; k < c->tangents[j]; k++, slip++)
      c->s[slip] = dot(c->n, c->H + c->n * slip, c->v);
  }
}

static dls_contact_status status_of(const impact_case *c, int j)
{
  if (j < c->m_b || c->u[j] >= 0) return DLS_STICKING;
  return DLS_IMPACTING;
}

void impact_case_ready(impact_case *c)
{
  static const char *const names[] = {"c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"};
  const int n = c->n, m = c->m_b + c->m_u;
  c->first[0] = 0;
  for (int j = 0; j < m; j++) {
    c->first[j + 1] = c->first[j] + c->tangents[j];
    c->index[j] = j;
    c->contacts[j] = (dls_contact){.name = names[j],
                                   .kind = j < c->m_b ? DLS_BILATERAL : DLS_UNILATERAL,
                                   .status = status_of(c, j),
                                   .normal_velocity = j < c->m_b ? 0 : c->u[j],
                                   .tangents = c->tangents[j],
                                   .friction = c->mu[j],
                                   .restitution = c->e[j]};
    for (int k = 0; k < c->tangents[j]; k++) c->contacts[j].slip[k] = c->s[c->first[j] + k];
  }
  for (int j = 0; j < n; j++) {
    c->start[j + 1] = (j + 1) * n;
    for (int i = 0; i < n; i++) c->row[j * n + i] = i;
  }
  c->friction = (dls_friction){.tangents = c->first[m],
                               .first = c->first,
                               .H = c->H,
                               .b_t = c->zero,
                               .mu = c->mu,
                               .xi = c->zero,
                               .sliding = c->sliding,
                               .w_n = c->zero,
                               .w_t = c->zero};
  c->state = (dls_contact_state){.tolerance = 1e-300,
                                 .nq = n,
                                 .n = n,
                                 .m = m,
                                 .q = c->q,
                                 .v = c->v,
                                 .contacts = c->contacts,
                                 .problem = {.n = n,
                                             .m_b = c->m_b,
                                             .m_u = c->m_u,
                                             .M = c->M,
                                             .F = c->zero,
                                             .G_b = c->G,
                                             .b_b = c->zero,
                                             .G_u = c->G + n * c->m_b,
                                             .b_u = c->zero,
                                             .friction = &c->friction},
                                 .bilateral_contact = c->index,
                                 .unilateral_contact = c->index + c->m_b,
                                 .matrices = {.M = {{n, n, c->start, c->row}, c->M}}};
  for (int j = 0; j < m; j++) {
    c->state.impact |= c->contacts[j].status == DLS_IMPACTING;
    c->state.friction |= c->tangents[j] > 0 && c->mu[j] > 0;
  }
}

dls_impact *impact_of(impact_case *c)
{
  dls_impact *impact = NULL;
  dls_message message = {0};
  dls_impact_options options = dls_impact_defaults();
  if (c->coupled) options.E = c->E;
  impact_case_ready(c);
  if (dls_impact_create(&c->state, &options, &impact, &message)) {
    fprintf(stderr, "%s\n", message.text);
    abort();
  }
  return impact;
}

// ---- random ------------------------------------------------------------------------------------

static void draw_mass(impact_case *c, rng *r)
{
  double B[IMPACT_N * IMPACT_N];
  for (int i = 0; i < c->n * c->n; i++) B[i] = rng_real(r);
  for (int i = 0; i < c->n; i++)
    for (int j = 0; j < c->n; j++)
      c->M[i + c->n * j] = dot(c->n, B + c->n * i, B + c->n * j) + (i == j ? 0.2 : 0);
}

// A column turned so that its velocity is not positive; a bilateral one is made orthogonal to v.
static void draw_gradient(impact_case *c, rng *r, int j)
{
  double *g = c->G + c->n * j;
  for (int i = 0; i < c->n; i++) g[i] = rng_real(r);
  const double along = dot(c->n, g, c->v) / dot(c->n, c->v, c->v);
  if (j < c->m_b || rng_chance(r, 0.2)) {
    for (int i = 0; i < c->n; i++) g[i] -= along * c->v[i];
  } else if (along > 0) {
    for (int i = 0; i < c->n; i++) g[i] = -g[i];
  }
}

void impact_case_random(impact_case *c, rng *r, bool redundant, int tangents)
{
  *c = (impact_case){.n = rng_int(r, 2, 5)};
  c->m_b = rng_int(r, 0, c->n > 2 ? 1 : 0);
  c->m_u = rng_int(r, 1, redundant ? 4 : c->n - c->m_b);
  draw_mass(c, r);
  for (int i = 0; i < c->n; i++) c->v[i] = rng_real(r);
  for (int j = 0; j < c->m_b + c->m_u; j++) {
    draw_gradient(c, r, j);
    c->e[j] = rng_chance(r, 0.3) ? 0 : rng_chance(r, 0.2) ? 1 : fabs(rng_real(r));
  }
  // a positive combination of others closes when they do
  for (int j = c->m_b + 1; redundant && j < c->m_b + c->m_u; j++) {
    if (!rng_chance(r, 0.6)) continue;
    const double a = fabs(rng_real(r)), b = fabs(rng_real(r));
    const int k = rng_int(r, c->m_b, j - 1), l = rng_int(r, c->m_b, j - 1);
    for (int i = 0; i < c->n; i++)
      c->G[i + c->n * j] = a * c->G[i + c->n * k] + b * c->G[i + c->n * l];
  }
  int used = 0;
  for (int j = c->m_b; tangents && j < c->m_b + c->m_u; j++) {
    c->tangents[j] = tangents;
    c->mu[j] = rng_chance(r, 0.2) ? 0 : fabs(rng_real(r));
    for (int i = 0; i < c->n * tangents; i++) c->H[used++] = rng_real(r);
  }
  impact_case_velocities(c);
  for (int j = 0; j < c->m_b + c->m_u; j++)
    if (j < c->m_b || fabs(c->u[j]) < 1e-12) c->u[j] = 0;
  bool hits = false;
  for (int j = c->m_b; j < c->m_b + c->m_u; j++) hits |= c->u[j] < 0;
  if (!hits) impact_case_random(c, r, redundant, tangents);
}

// ---- an independent solution -------------------------------------------------------------------

// Gaussian elimination with complete pivoting of the columns' rows; false when singular.
static bool eliminate(int n, double *A, double *b)
{
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k; i < n; i++)
      if (fabs(A[i + n * k]) > fabs(A[best + n * k])) best = i;
    if (fabs(A[best + n * k]) < 1e-11) return false;
    for (int j = 0; j < n; j++) {
      const double t = A[k + n * j];
      A[k + n * j] = A[best + n * j], A[best + n * j] = t;
    }
    const double t = b[k];
    b[k] = b[best], b[best] = t;
    for (int i = 0; i < n; i++) {
      const double factor = i == k ? 0 : A[i + n * k] / A[k + n * k];
      for (int j = k; j < n && factor != 0; j++) A[i + n * j] -= factor * A[k + n * j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = 0; k < n; k++) b[k] /= A[k + n * k];
  return true;
}

bool moreau_by_enumeration(const impact_case *c, double *jump, double *p)
{
  enum { SIZE = IMPACT_N + IMPACT_M };
  const int n = c->n, m = c->m_b + c->m_u;
  for (unsigned set = 0; set < 1u << c->m_u; set++) {
    int contact[IMPACT_M], count = 0;
    for (int j = 0; j < m; j++)
      if (j < c->m_b || (set >> (j - c->m_b) & 1)) contact[count++] = j;
    const int size = n + count;
    double A[SIZE * SIZE] = {0}, b[SIZE] = {0};
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) A[i + size * j] = c->M[i + n * j];
    for (int k = 0; k < count; k++) {
      for (int i = 0; i < n; i++) {
        A[i + size * (n + k)] = -c->G[i + n * contact[k]];
        A[n + k + size * i] = c->G[i + n * contact[k]];
      }
      b[n + k] = contact[k] < c->m_b ? 0 : -(1 + c->e[contact[k]]) * c->u[contact[k]];
    }
    if (!eliminate(size, A, b)) continue;
    bool good = true;
    for (int k = 0; k < count; k++) good = good && (contact[k] < c->m_b || b[n + k] >= -1e-12);
    for (int j = c->m_b; j < m; j++)
      good = good && dot(n, c->G + n * j, b) + (1 + c->e[j]) * c->u[j] >= -1e-12;
    if (!good) continue;
    memcpy(jump, b, (size_t)n * sizeof *jump);
    for (int j = 0; j < m; j++) p[j] = 0;
    for (int k = 0; k < count; k++) p[contact[k]] = b[n + k];
    return true;
  }
  return false;
}
