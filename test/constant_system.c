#include "constant_system.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 16 };

typedef struct constant {
  dls_system system;
  dls_problem problem;
  dls_friction friction;
  char *names;
  const char **coordinates;
  dls_contact_info *contacts;
  int *full;  // row numbers 0 ... n-1, for every column, and where each starts
} constant;

static dls_status evaluate(void *self, double t, const double *q, const double *v,
                           const dls_values *values, const dls_values *bound, dls_message *message)
{
  (void)t, (void)q, (void)v, (void)message;
  const constant *c = self;
  const dls_problem *p = &c->problem;
  const size_t n = (size_t)p->n, m_b = (size_t)p->m_b, m_u = (size_t)p->m_u, m = m_b + m_u;
  const size_t tangents = (size_t)c->system.tangents;
  memcpy(values->M, p->M, n * n * sizeof(double));
  memcpy(values->F, p->F, n * sizeof(double));
  if (m_b) memcpy(values->G, p->G_b, n * m_b * sizeof(double));
  if (m_u) memcpy(values->G + n * m_b, p->G_u, n * m_u * sizeof(double));
  for (size_t j = 0; j < m; j++) {
    values->h[j] = values->h_dot[j] = values->restitution[j] = 0;
    values->b_n[j] = j < m_b ? p->b_b[j] : p->b_u[j - m_b];
    values->friction[j] = p->friction ? p->friction->mu[j] : 0;
  }
  if (tangents) {
    memcpy(values->H, p->friction->H, n * tangents * sizeof(double));
    memcpy(values->b_t, p->friction->b_t, tangents * sizeof(double));
    memcpy(values->slip, p->friction->xi, tangents * sizeof(double));
  }
  if (!bound) return DLS_OK;
  memset(bound->M, 0, n * n * sizeof(double));
  memset(bound->F, 0, n * sizeof(double));
  memset(bound->G, 0, n * m * sizeof(double));
  memset(bound->H, 0, n * tangents * sizeof(double));
  for (size_t j = 0; j < m; j++)
    bound->h[j] = bound->h_dot[j] = bound->b_n[j] = bound->friction[j] = bound->restitution[j] = 0;
  for (size_t k = 0; k < tangents; k++) bound->slip[k] = bound->b_t[k] = 0;
  return DLS_OK;
}

static void destroy(dls_system *system)
{
  constant *c = (constant *)system;
  free(c->names), free(c->coordinates), free(c->contacts), free(c->full);
  free(c);
}

static dls_pattern full(const constant *c, int rows, int cols, int from)
{
  return (dls_pattern){.rows = rows, .cols = cols, .p = c->full + from, .i = c->full + rows + 1};
}

dls_system *constant_system(const dls_problem *p)
{
  const int n = p->n, m = p->m_b + p->m_u, tangents = p->friction ? p->friction->tangents : 0;
  const int most = n + m + tangents;
  constant *c = calloc(1, sizeof *c);
  assert(c);
  c->problem = *p;
  c->names = calloc((size_t)(n + m), NAME);
  c->coordinates = calloc((size_t)n, sizeof *c->coordinates);
  c->contacts = calloc((size_t)m + 1, sizeof *c->contacts);
  const size_t entries = (size_t)n * (size_t)most;
  c->full = calloc(entries + 2 * (size_t)(most + 1) + (size_t)n + 1, sizeof *c->full);
  assert(c->names && c->coordinates && c->contacts && c->full);
  // starts of columns, then rows of columns
  int *start = c->full + n + 1 + entries;
  for (int j = 0; j <= most; j++) start[j] = n * j;
  for (size_t k = 0; k < entries; k++) c->full[(size_t)n + 1 + k] = (int)(k % (size_t)n);
  for (int i = 0; i < n; i++) {
    snprintf(c->names + (size_t)NAME * (size_t)i, NAME, "q%d", i + 1);
    c->coordinates[i] = c->names + (size_t)NAME * (size_t)i;
  }
  for (int j = 0; j < m; j++) {
    char *name = c->names + (size_t)NAME * (size_t)(n + j);
    const bool bilateral = j < p->m_b;
    snprintf(name, NAME, bilateral ? "b%d" : "u%d", bilateral ? j + 1 : j - p->m_b + 1);
    c->contacts[j] = (dls_contact_info){
        .name = name,
        .kind = bilateral ? DLS_BILATERAL : DLS_UNILATERAL,
        .tangents = tangents ? p->friction->first[j + 1] - p->friction->first[j] : 0};
  }
  const int from = (int)(start - c->full);
  c->system = (dls_system){.n = n,
                           .m = m,
                           .tangents = tangents,
                           .coordinates = c->coordinates,
                           .contacts = c->contacts,
                           .mass = full(c, n, n, from),
                           .normal = full(c, n, m, from),
                           .tangent = full(c, n, tangents, from),
                           .self = c,
                           .evaluate = evaluate,
                           .destroy = destroy};
  return &c->system;
}
