// How much slower is a compiled model than C written by hand? A planar chain of links in absolute
// coordinates (x, y, theta), hinged to each other and to the ground: both fill the same sparse
// arrays, the numbers must agree to 1e-12. "native" is the tape compiled, which gives the same
// bits; cc/ms is how long that takes, or finding it in the cache. And how long does compilation
// take, also for a pendulum in angles, whose mass matrix is full.
#define _POSIX_C_SOURCE 199309L
#include "common.h"
#include "timing.h"

#include "model/mechanics.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- the expressions ----

enum { MASS, INERTIA, HALF, GRAVITY, PARAMETERS };
static const double parameters[PARAMETERS] = {1.3, 0.11, 0.5, 9.81};

typedef struct chain {
  int links, n, m;
  dls_expr *force;
  dls_lagrangian_contact *hinge;
  const char **names;
  dls_lagrangian lagrangian;
} chain;

static chain chain_create(dls_graph *g, int links)
{
#define MAKE(op, a, b) dls_graph_make(g, DLS_OP_##op, a, b, -1)
#define LEAF(op, i) dls_graph_leaf(g, DLS_OP_##op, i)
  chain c = {.links = links, .n = 3 * links, .m = 2 * links};
  c.force = need(calloc((size_t)c.n, sizeof *c.force));
  c.names = need(calloc((size_t)c.n, sizeof *c.names));
  c.hinge = need(calloc((size_t)c.m, sizeof *c.hinge));
  dls_expr half = dls_graph_constant(g, 0.5), kinetic = 0, potential = 0;
  dls_expr mass = LEAF(PARAMETER, MASS), inertia = LEAF(PARAMETER, INERTIA);
  dls_expr a = LEAF(PARAMETER, HALF), gravity = LEAF(PARAMETER, GRAVITY);
  dls_expr end_x = 0, end_y = 0;
  for (int i = 0; i < links; i++) {
    dls_expr x = LEAF(COORDINATE, 3 * i), y = LEAF(COORDINATE, 3 * i + 1);
    dls_expr angle = LEAF(COORDINATE, 3 * i + 2), w = LEAF(VELOCITY, 3 * i + 2);
    dls_expr u = LEAF(VELOCITY, 3 * i), v = LEAF(VELOCITY, 3 * i + 1);
    // T = m (u^2 + v^2) / 2 + I w^2 / 2,  V = m g y
    dls_expr square = MAKE(ADD, MAKE(MUL, u, u), MAKE(MUL, v, v));
    kinetic = MAKE(ADD, kinetic, MAKE(MUL, MAKE(MUL, half, mass), square));
    kinetic = MAKE(ADD, kinetic, MAKE(MUL, MAKE(MUL, half, inertia), MAKE(MUL, w, w)));
    potential = MAKE(ADD, potential, MAKE(MUL, MAKE(MUL, mass, gravity), y));
    // the begin of this link is at the end of the one before
    dls_expr dx = MAKE(MUL, a, MAKE(COS, angle, -1)), dy = MAKE(MUL, a, MAKE(SIN, angle, -1));
    const dls_contact_info info = {.name = "hinge", .kind = DLS_BILATERAL};
    c.hinge[2 * i] =
        (dls_lagrangian_contact){info, MAKE(SUB, MAKE(SUB, x, dx), end_x), {0, 0}, -1, -1, -1};
    c.hinge[2 * i + 1] =
        (dls_lagrangian_contact){info, MAKE(SUB, MAKE(SUB, y, dy), end_y), {0, 0}, -1, -1, -1};
    end_x = MAKE(ADD, x, dx);
    end_y = MAKE(ADD, y, dy);
  }
  for (int i = 0; i < c.n; i++) c.names[i] = "q";
  c.lagrangian = (dls_lagrangian){.n = c.n,
                                  .coordinates = c.names,
                                  .parameters = PARAMETERS,
                                  .kinetic = kinetic,
                                  .potential = potential,
                                  .force = c.force,
                                  .m = c.m,
                                  .contacts = c.hinge};
  return c;
}

static void chain_free(chain *c)
{
  free(c->force);
  free(c->names);
  free(c->hinge);
}

// ---- the same by hand ----

static __attribute__((noinline)) void by_hand(int links, const double *restrict p,
                                              const double *restrict q, const double *restrict v,
                                              const dls_values *out)
{
  double *restrict M = out->M, *restrict F = out->F, *restrict h = out->h;
  double *restrict h_dot = out->h_dot, *restrict G = out->G, *restrict b_n = out->b_n;
  double mass = p[MASS], inertia = p[INERTIA], a = p[HALF], weight = p[MASS] * p[GRAVITY];
  double ex = 0, ey = 0, eu = 0, ev = 0, eax = 0, eay = 0, es = 0, ec = 0;
  for (int i = 0; i < links; i++, q += 3, v += 3) {
    double s = a * sin(q[2]), c = a * cos(q[2]), w = v[2];
    M[3 * i] = M[3 * i + 1] = mass;
    M[3 * i + 2] = inertia;
    F[3 * i] = F[3 * i + 2] = 0;
    F[3 * i + 1] = weight;
    h[2 * i] = q[0] - c - ex;
    h[2 * i + 1] = q[1] - s - ey;
    h_dot[2 * i] = v[0] + s * w - eu;
    h_dot[2 * i + 1] = v[1] - c * w - ev;
    b_n[2 * i] = c * w * w + eax;
    b_n[2 * i + 1] = s * w * w + eay;
    if (i > 0) {
      G[0] = -1;
      G[1] = es;
      G[2] = 1;
      G[3] = s;
      G[4] = -1;
      G[5] = -ec;
      G[6] = 1;
      G[7] = -c;
      G += 8;
    } else {
      G[0] = 1;
      G[1] = s;
      G[2] = 1;
      G[3] = -c;
      G += 4;
    }
    ex = q[0] + c;
    ey = q[1] + s;
    eu = v[0] - s * w;
    ev = v[1] + c * w;
    eax = c * w * w;
    eay = s * w * w;
    es = s;
    ec = c;
  }
}

// ---- measuring ----

static dls_values values_create(const dls_system *s)
{
  size_t n = (size_t)s->n, m = (size_t)s->m, tangents = (size_t)s->tangents;
  size_t mass = (size_t)s->mass.p[n], normal = (size_t)s->normal.p[m],
         tangent = (size_t)s->tangent.p[tangents];
  dls_values v = {.M = need(calloc(mass + 1, sizeof(double))),
                  .F = need(calloc(n + 1, sizeof(double))),
                  .h = need(calloc(m + 1, sizeof(double))),
                  .h_dot = need(calloc(m + 1, sizeof(double))),
                  .G = need(calloc(normal + 1, sizeof(double))),
                  .b_n = need(calloc(m + 1, sizeof(double))),
                  .slip = need(calloc(tangents + 1, sizeof(double))),
                  .H = need(calloc(tangent + 1, sizeof(double))),
                  .b_t = need(calloc(tangents + 1, sizeof(double))),
                  .friction = need(calloc(m + 1, sizeof(double))),
                  .restitution = need(calloc(m + 1, sizeof(double))),
                  .friction_force = need(calloc(m + 1, sizeof(double)))};
  return v;
}

static void values_free(dls_values *v)
{
  double *list[] = {v->M,    v->F, v->h,   v->h_dot,    v->G,          v->b_n,
                    v->slip, v->H, v->b_t, v->friction, v->restitution};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) free(list[k]);
}

static double difference(const double *x, const double *y, int count)
{
  double most = 0;
  for (int k = 0; k < count; k++)
    if (!(fabs(x[k] - y[k]) <= most)) most = fabs(x[k] - y[k]);
  return most;
}

static double compare(const dls_system *s, const dls_values *x, const dls_values *y)
{
  double d[6] = {difference(x->M, y->M, s->mass.p[s->n]),
                 difference(x->F, y->F, s->n),
                 difference(x->h, y->h, s->m),
                 difference(x->h_dot, y->h_dot, s->m),
                 difference(x->G, y->G, s->normal.p[s->m]),
                 difference(x->b_n, y->b_n, s->m)};
  double most = 0;
  for (int k = 0; k < 6; k++)
    if (!(d[k] <= most)) most = d[k];
  return most;
}

static int bench_links(int links)
{
  dls_graph *g;
  dls_mechanics *mechanics;
  dls_mechanics_work *work;
  if (dls_graph_create(&g)) return 1;
  chain c = chain_create(g, links);
  double begin = dls_clock();
  if (dls_mechanics_compile(g, &c.lagrangian, &mechanics)) return 1;
  double compile = dls_clock() - begin;
  if (dls_mechanics_work_create(mechanics, &work)) return 1;
  dls_mechanics_set_parameters(work, parameters);
  dls_system system = {0};
  dls_mechanics_describe(mechanics, &system);
  dls_values x = values_create(&system), y = values_create(&system);
  double *q = need(calloc((size_t)c.n, sizeof *q)), *v = need(calloc((size_t)c.n, sizeof *v));
  for (int i = 0; i < c.n; i++) {
    q[i] = 3 * sin(1 + 0.7 * i);
    v[i] = 2 * cos(0.3 * i);
  }

  // turns of the two, so that both see the same machine; the least time counts
  // and with the tape compiled
  dls_native_cache *cache = NULL;
  dls_mechanics_work *native;
  if (dls_mechanics_work_create(mechanics, &native)) return 1;
  dls_message why = {{0}};
  begin = dls_clock();
  const bool compiled = dls_native_cache_create(NULL, &cache, &why) == DLS_OK &&
                        dls_mechanics_work_compile(native, cache, &why) == DLS_OK;
  const double building = dls_clock() - begin;
  if (!compiled) printf("not compiled: %s\n", why.text);
  dls_mechanics_set_parameters(native, parameters);
  dls_values z = values_create(&system);

  double hand = INFINITY, tape = INFINITY, c_code = INFINITY;
  int repeat = 1 + 20000 / links;
  for (int turn = 0; turn < 60; turn++) {
    begin = dls_clock();
    for (int k = 0; k < repeat; k++) by_hand(links, parameters, q, v, &y);
    hand = fmin(hand, (dls_clock() - begin) / repeat);
    begin = dls_clock();
    for (int k = 0; k < repeat; k++)
      if (dls_mechanics_evaluate(work, 0, q, v, &x, NULL, NULL)) return 1;
    tape = fmin(tape, (dls_clock() - begin) / repeat);
    begin = dls_clock();
    for (int k = 0; k < repeat; k++)
      if (dls_mechanics_evaluate(native, 0, q, v, &z, NULL, NULL)) return 1;
    if (compiled) c_code = fmin(c_code, (dls_clock() - begin) / repeat);
  }
  double wrong = compare(&system, &x, &y);
  if (compare(&system, &x, &z) != 0) wrong = INFINITY;
  printf("%6d %12d %12d %11.1f %13.0f %9.0f %7.2f %12.1f %11.0f %9.0f %7.2f%s\n", links, c.n, c.m,
         1e3 * compile, 1e9 * hand, 1e9 * tape, tape / hand, 1e9 * tape / links, 1e3 * building,
         1e9 * c_code, c_code / hand, wrong <= 1e-12 ? "" : "  WRONG");
  free(q);
  free(v);
  values_free(&x);
  values_free(&y);
  values_free(&z);
  dls_mechanics_work_free(native);
  dls_native_cache_free(cache);
  dls_mechanics_work_free(work);
  dls_mechanics_free(mechanics);
  chain_free(&c);
  dls_graph_free(g);
  return !(wrong <= 1e-12);
}

// A pendulum of point masses in absolute or relative angles: M is full.
static int bench_pendulum(int links, int relative)
{
  dls_graph *g;
  dls_mechanics *mechanics;
  dls_mechanics_work *work;
  if (dls_graph_create(&g)) return 1;
  dls_expr *force = need(calloc((size_t)links, sizeof *force));
  const char **names = need(calloc((size_t)links, sizeof *names));
  dls_expr u = 0, v = 0, y = 0, angle = 0, rate = 0, kinetic = 0, potential = 0;
  dls_expr half = dls_graph_constant(g, 0.5), mass = LEAF(PARAMETER, 0),
           length = LEAF(PARAMETER, 1);
  for (int i = 0; i < links; i++) {
    names[i] = "q";
    angle = relative ? MAKE(ADD, angle, LEAF(COORDINATE, i)) : LEAF(COORDINATE, i);
    rate = relative ? MAKE(ADD, rate, LEAF(VELOCITY, i)) : LEAF(VELOCITY, i);
    dls_expr dx = MAKE(MUL, length, MAKE(SIN, angle, -1)),
             dy = MAKE(MUL, length, MAKE(COS, angle, -1));
    u = MAKE(ADD, u, MAKE(MUL, dy, rate));
    v = MAKE(ADD, v, MAKE(MUL, dx, rate));
    y = MAKE(SUB, y, dy);
    dls_expr square = MAKE(ADD, MAKE(MUL, u, u), MAKE(MUL, v, v));
    kinetic = MAKE(ADD, kinetic, MAKE(MUL, MAKE(MUL, half, mass), square));
    potential = MAKE(ADD, potential, MAKE(MUL, mass, y));
  }
  dls_lagrangian lagrangian = {.n = links,
                               .coordinates = names,
                               .parameters = 2,
                               .kinetic = kinetic,
                               .potential = potential,
                               .force = force};
  double begin = dls_clock();
  if (dls_mechanics_compile(g, &lagrangian, &mechanics)) return 1;
  double compile = dls_clock() - begin;
  if (dls_mechanics_work_create(mechanics, &work)) return 1;
  dls_mechanics_set_parameters(work, (const double[]){1.1, 0.3});
  dls_system system = {0};
  dls_mechanics_describe(mechanics, &system);
  dls_values x = values_create(&system);
  double *q = need(calloc((size_t)links, sizeof *q)), least = INFINITY;
  for (int turn = 0; turn < 30; turn++) {
    begin = dls_clock();
    for (int k = 0; k < 10; k++)
      if (dls_mechanics_evaluate(work, 0, q, q, &x, NULL, NULL)) return 1;
    least = fmin(least, (dls_clock() - begin) / 10);
  }
  printf("%6d %12s %12d %11.1f %13.0f %12d\n", links, relative ? "relative" : "absolute",
         system.mass.p[links], 1e3 * compile, 1e9 * least, dls_graph_size(g));
  free(q);
  values_free(&x);
  dls_mechanics_work_free(work);
  dls_mechanics_free(mechanics);
  free(force);
  free(names);
  dls_graph_free(g);
  return 0;
}

int main(void)
{
  static const int links[] = {10, 20, 50, 100, 200, 500, 1000, 5000};
  int failed = 0;
  printf("chain in absolute coordinates\n%6s %12s %12s %11s %13s %9s %7s %12s %11s %9s %7s\n",
         "links", "coordinates", "constraints", "compile/ms", "by hand/ns", "tape/ns", "ratio",
         "ns per link", "cc/ms", "native/ns", "ratio");
  for (size_t k = 0; k < sizeof links / sizeof *links; k++) failed |= bench_links(links[k]);
  printf("pendulum in angles\n%6s %12s %12s %11s %13s %12s\n", "links", "angles", "entries of M",
         "compile/ms", "tape/ns", "nodes");
  for (int n = 10; n <= 100; n = n == 10 ? 50 : n + 50)
    for (int relative = 0; relative < 2; relative++) failed |= bench_pendulum(n, relative);
  if (failed) printf("FAILED\n");
  return failed;
}
