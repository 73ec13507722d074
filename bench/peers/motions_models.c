#include "motions_models.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>

static const double GRAVITY = 9.81;

// ---- a spherical pendulum at a wall: angle from the vertical, and around it ----

static void pendulum_start(double *q, double *v)
{
  q[0] = 1, q[1] = 1.5;
  v[0] = 0, v[1] = 2;
}

static void pendulum_force(double t, const double *q, const double *v, double *mass, double *f)
{
  (void)t;
  const double s = sin(q[0]), c = cos(q[0]);
  mass[0] = 1, mass[1] = s * s;
  f[0] = s * c * v[1] * v[1] - GRAVITY * s;
  f[1] = -2 * s * c * v[0] * v[1];
}

static void pendulum_gaps(const double *q, double *h)
{
  h[0] = 0.3 - sin(q[0]) * cos(q[1]);
}

static void pendulum_gradient(int j, const double *q, const double *v, double *G, double *b)
{
  (void)j;
  const double s = sin(q[0]), c = cos(q[0]), s1 = sin(q[1]), c1 = cos(q[1]);
  G[0] = -c * c1, G[1] = s * s1;
  *b = s * c1 * v[0] * v[0] + 2 * c * s1 * v[0] * v[1] + s * c1 * v[1] * v[1];
}

// ---- ten pendulums side by side, with springs between neighbours, each with a wall ----

enum { PENDULUMS = 10 };

static const double SPRING = 3;

static void row_start(double *q, double *v)
{
  for (int i = 0; i < PENDULUMS; i++) q[i] = -0.6 + 0.1 * i, v[i] = 0;
}

static void row_force(double t, const double *q, const double *v, double *mass, double *f)
{
  (void)t, (void)v;
  double s[PENDULUMS], c[PENDULUMS];
  for (int i = 0; i < PENDULUMS; i++) s[i] = sin(q[i]), c[i] = cos(q[i]);
  for (int i = 0; i < PENDULUMS; i++) {
    double pull = 0;
    if (i > 0) pull += s[i - 1] - s[i];
    if (i < PENDULUMS - 1) pull += s[i + 1] - s[i];
    mass[i] = 1;
    f[i] = SPRING * pull * c[i] - GRAVITY * s[i];
  }
}

static void row_gaps(const double *q, double *h)
{
  for (int i = 0; i < PENDULUMS; i++) h[i] = 0.25 + 0.02 * i - sin(q[i]);
}

static void row_gradient(int j, const double *q, const double *v, double *G, double *b)
{
  G[0] = -cos(q[j]);
  *b = sin(q[j]) * v[j] * v[j];
}

// ---- 120 masses with springs between them, and a stop below each ----

enum { MASSES = 120 };

static void masses_start(double *q, double *v)
{
  for (int i = 0; i < MASSES; i++) q[i] = 0, v[i] = sin(0.1 * (i + 1)) * (1 + 0.5 * sin(2.0 * i));
}

static void masses_force(double t, const double *q, const double *v, double *mass, double *f)
{
  (void)t;
  double before = 0;  // what the spring below pulls with; both ends are held
  for (int i = 0; i <= MASSES; i++) {
    const double d = (i < MASSES ? q[i] : 0) - (i > 0 ? q[i - 1] : 0);
    const double pull = 40 * d + 20 * d * d * d;
    if (i > 0)
      f[i - 1] = pull - before - q[i - 1] - 0.05 * v[i - 1], mass[i - 1] = 1 + 0.5 * (i % 3);
    before = pull;
  }
}

static void masses_gaps(const double *q, double *h)
{
  for (int i = 0; i < MASSES; i++) h[i] = q[i] + 0.25;
}

static void masses_gradient(int j, const double *q, const double *v, double *G, double *b)
{
  (void)j, (void)q, (void)v;
  G[0] = 1;
  *b = 0;
}

// ---- a gear that rattles: the play between its teeth, driven by an uneven shaft ----

static void gear_start(double *q, double *v)
{
  q[0] = 0, v[0] = 0.1;
}

static void gear_force(double t, const double *q, const double *v, double *mass, double *f)
{
  mass[0] = 1;
  f[0] = -0.1 * v[0] - 0.5 * sin(q[0]) + 0.2 + 1.5 * cos(2 * t);
}

static void gear_gaps(const double *q, double *h)
{
  h[0] = 0.4 - q[0], h[1] = 0.4 + q[0];
}

static void gear_gradient(int j, const double *q, const double *v, double *G, double *b)
{
  (void)q, (void)v;
  G[0] = j == 0 ? -1 : 1;
  *b = 0;
}

const motion motions[] = {
    {"pendulum", 2, 1, 10, 0.8, pendulum_start, pendulum_force, pendulum_gaps, 2, pendulum_gradient,
     1},
    {"ten pendulums", PENDULUMS, PENDULUMS, 10, 0.8, row_start, row_force, row_gaps, 1,
     row_gradient, 0},
    {"120 masses", MASSES, MASSES, 2, 0.6, masses_start, masses_force, masses_gaps, 1,
     masses_gradient, 0},
    {"gear", 1, 2, 30, 0.5, gear_start, gear_force, gear_gaps, 1, gear_gradient, 1},
};

void motion_collide(const motion *x, int j, const double *q, double *v)
{
  double G[MAX_COORDINATES], mass[MAX_COORDINATES], f[MAX_COORDINATES], b, rate = 0, W = 0;
  const int first = x->shared ? 0 : j;
  x->gradient(j, q, v, G, &b);
  x->force(0, q, v, mass, f);
  for (int k = 0; k < x->width; k++)
    rate += G[k] * v[first + k], W += G[k] * G[k] / mass[first + k];
  for (int k = 0; k < x->width; k++)
    v[first + k] -= (1 + x->restitution) * rate / W * G[k] / mass[first + k];
}

// ---- as systems ----

typedef struct adapter {
  dls_system system;
  const motion *motion;
  const char *names[MAX_COORDINATES];
  char text[MAX_COORDINATES + MAX_GAPS][8];
  dls_contact_info contacts[MAX_GAPS];
  int diagonal_p[MAX_COORDINATES + 1], diagonal_i[MAX_COORDINATES];
  int normal_p[MAX_GAPS + 1], normal_i[2 * MAX_GAPS], empty[1];
} adapter;

static void no_bounds(const motion *of, const dls_values *x)
{
  for (int i = 0; i < of->n; i++) x->M[i] = x->F[i] = 0;
  for (int j = 0; j < of->m; j++) {
    x->h[j] = x->h_dot[j] = x->b_n[j] = x->friction[j] = x->restitution[j] = 0;
    for (int k = 0; k < of->width; k++) x->G[j * of->width + k] = 0;
  }
}

static dls_status evaluate(void *self, double t, const double *q, const double *v,
                           const dls_values *x, const dls_values *bound, dls_message *message)
{
  const motion *of = ((adapter *)self)->motion;
  (void)message;
  of->force(t, q, v, x->M, x->F);
  for (int i = 0; i < of->n; i++) x->F[i] = -x->F[i];
  of->gaps(q, x->h);
  for (int j = 0; j < of->m; j++) {
    double *G = x->G + j * of->width;
    const double *speed = v + (of->shared ? 0 : j);
    of->gradient(j, q, v, G, &x->b_n[j]);
    x->h_dot[j] = 0;
    for (int k = 0; k < of->width; k++) x->h_dot[j] += G[k] * speed[k];
    x->friction[j] = 0, x->restitution[j] = of->restitution;
  }
  if (bound) no_bounds(of, bound);
  return DLS_OK;
}

static void destroy(dls_system *system)
{
  free(system->self);
}

dls_system *motion_system(const motion *of)
{
  adapter *x = calloc(1, sizeof *x);
  if (!x) return NULL;
  x->motion = of;
  for (int i = 0; i < of->n; i++) {
    snprintf(x->text[i], sizeof x->text[i], "q%d", i);
    x->names[i] = x->text[i];
    x->diagonal_p[i + 1] = i + 1, x->diagonal_i[i] = i;
  }
  for (int j = 0; j < of->m; j++) {
    char *name = x->text[MAX_COORDINATES + j];
    snprintf(name, sizeof x->text[0], "stop%d", j);
    x->contacts[j] = (dls_contact_info){.name = name, .kind = DLS_UNILATERAL};
    x->normal_p[j + 1] = (j + 1) * of->width;
    for (int k = 0; k < of->width; k++) x->normal_i[j * of->width + k] = (of->shared ? 0 : j) + k;
  }
  x->system = (dls_system){.n = of->n,
                           .m = of->m,
                           .coordinates = x->names,
                           .contacts = x->contacts,
                           .mass = {of->n, of->n, x->diagonal_p, x->diagonal_i},
                           .normal = {of->n, of->m, x->normal_p, x->normal_i},
                           .tangent = {of->n, 0, x->empty, x->empty},
                           .self = x,
                           .evaluate = evaluate,
                           .destroy = destroy};
  return &x->system;
}
