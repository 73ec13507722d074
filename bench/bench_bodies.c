// How long do mass matrix and forces of a tree of bodies take, beside MuJoCo's functions for the
// same file; and chains of hinges, in joint coordinates and of free bodies.
//
//   bench_bodies            the tables of docs/performance.md
//   bench_bodies FILE       that file alone (MJCF or URDF)
#define _DEFAULT_SOURCE
#include "common.h"
#include "timing.h"

#include <delassus/delassus.h>
#include <delassus/import.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef WITH_MUJOCO
#include <mujoco/mujoco.h>
#endif

enum { ROUNDS = 7 };

// ---- models -------------------------------------------------------------------------------------

// A tree of `bodies` with a hinge each, every one on the one before or up to wide - 1 above it;
// wide 1: a chain.
static void write_tree(const char *path, int bodies, int wide, unsigned long long seed)
{
  FILE *out = need(fopen(path, "w"));
  fprintf(out, "<mujoco><compiler angle=\"radian\"/><worldbody>\n");
  int open = 0;
  for (int k = 0; k < bodies; k++) {
    int up = wide > 1 ? (int)drawn(&seed, 0, wide) : 0;
    for (; up > 0 && open > 1; up--, open--) fprintf(out, "</body>\n");
    fprintf(out,
            "<body pos=\"%g %g %g\"><joint axis=\"%g %g %g\" pos=\"%g 0 0\"/>"
            "<inertial pos=\"%g %g 0.1\" mass=\"%g\" diaginertia=\"0.01 0.02 0.015\"/>\n",
            drawn(&seed, -0.2, 0.2), drawn(&seed, -0.2, 0.2), drawn(&seed, 0.1, 0.3),
            drawn(&seed, -1, 1), drawn(&seed, -1, 1), drawn(&seed, 0.1, 1), drawn(&seed, -0.1, 0.1),
            drawn(&seed, -0.1, 0.1), drawn(&seed, -0.1, 0.1), drawn(&seed, 0.5, 2));
    open++;
  }
  for (; open > 0; open--) fprintf(out, "</body>\n");
  fprintf(out, "</worldbody></mujoco>\n");
  fclose(out);
}

// ---- here ---------------------------------------------------------------------------------------

typedef struct ours {
  dls_import *import;
  dls_system *system;
  dls_values *values;
  double *q, *v, *x;
} ours;

static ours made(const dls_mechanism *mechanism, dls_coordinates_kind kind)
{
  ours o = {0};
  dls_message message = {0};
  if (dls_mechanism_system(mechanism, kind, &o.system, &message)) {
    fprintf(stderr, "%s\n", message.text);
    exit(2);
  }
  const size_t n = (size_t)o.system->n;
  o.q = take((size_t)dls_system_nq(o.system), sizeof(double));
  o.v = take(n, sizeof(double)), o.x = take(2 * n, sizeof(double));
  dls_mechanism_reference(o.system, o.q);
  if (o.system->select) (void)o.system->select(o.system->self, 0, NULL, NULL);
  if (dls_values_create(o.system, &o.values) != DLS_OK) abort();
  return o;
}

static ours load(const char *path)
{
  dls_import *import;
  dls_message message = {0};
  if (dls_import_read(path, NULL, &import, &message)) {
    fprintf(stderr, "%s: %s\n", path, message.text);
    exit(2);
  }
  ours o = made(&import->mechanism, DLS_REDUCED);
  o.import = import;
  return o;
}

static void unload(ours *o)
{
  dls_values_free(o->values);
  dls_system_free(o->system);
  dls_import_free(o->import);
  free(o->q), free(o->v), free(o->x);
}

static void evaluate(ours *o)
{
  dls_system *s = o->system;
  double *x = o->x, *x_dot = o->x + s->n;
  if (s->chart &&
      (s->chart->centre(s->self, o->q, NULL) || s->chart->enter(s->self, o->q, o->v, x, x_dot)))
    abort();
  if (s->evaluate(s->self, 0, s->chart ? x : o->q, s->chart ? x_dot : o->v, o->values, NULL, NULL))
    abort();
}

// The least of some rounds, per call.
static double seconds(void (*call)(void *), void *of)
{
  double best = INFINITY;
  int calls = 1;
  for (int round = 0; round < ROUNDS; round++) {
    double taken;
    for (;; calls *= 2) {
      const double begin = processor_time();
      for (int k = 0; k < calls; k++) call(of);
      taken = processor_time() - begin;
      if (taken > 0.02) break;
    }
    best = fmin(best, taken / calls);
  }
  return best;
}

static void call_ours(void *of)
{
  evaluate(of);
}

static void call_solve(void *of)
{
  ours *o = of;
  const dls_state state = {.q = o->q, .v = o->v};
  dls_contact_state *contacts;
  dls_bilateral_report report;
  dls_message message = {0};
  if (dls_contact_state_create(o->system, &state, NULL, &contacts, &message)) {
    fprintf(stderr, "%s\n", message.text);
    exit(2);
  }
  double *lambda = take((size_t)contacts->problem.m_b, sizeof(double));
  if (dls_bilateral_solve(contacts, o->x, lambda, &report)) abort();
  free(lambda);
  dls_contact_state_free(contacts);
}

// ---- there --------------------------------------------------------------------------------------

#ifdef WITH_MUJOCO
typedef struct theirs {
  mjModel *model;
  mjData *data;
} theirs;

static void call_theirs(void *of)
{
  theirs *t = of;
  mj_kinematics(t->model, t->data);
  mj_comPos(t->model, t->data);
  mj_crb(t->model, t->data);
  mj_comVel(t->model, t->data);
  mj_rne(t->model, t->data, 0, t->data->qfrc_bias);
}

static double their_seconds(const char *path, const ours *o)
{
  char error[300];
  theirs t = {.model = mj_loadXML(path, NULL, error, sizeof error)};
  if (!t.model) {
    fprintf(stderr, "%s\n", error);
    return NAN;
  }
  t.data = mj_makeData(t.model);
  memcpy(t.data->qpos, o->q, (size_t)t.model->nq * sizeof(double));
  memcpy(t.data->qvel, o->v, (size_t)t.model->nv * sizeof(double));
  const double taken = seconds(call_theirs, &t);
  double off = 0, size = 0;  // the same forces
  for (int i = 0; i < t.model->nv; i++) {
    off = fmax(off, fabs(t.data->qfrc_bias[i] - o->values->F[i]));
    size = fmax(size, fabs(t.data->qfrc_bias[i]));
  }
  if (!(off <= 1e-9 * size)) fprintf(stderr, "the forces differ by %g of %g\n", off, size);
  mj_deleteData(t.data);
  mj_deleteModel(t.model);
  return taken;
}
#else
static double their_seconds(const char *path, const ours *o)
{
  (void)path, (void)o;
  return NAN;
}
#endif

// ---- tables -------------------------------------------------------------------------------------

static void move(ours *o)
{
  unsigned long long seed = 7;
  for (int i = 0; i < o->system->n; i++) o->v[i] = drawn(&seed, -1, 1);
}

static void compare(const char *name, const char *path)
{
  ours o = load(path);
  move(&o);
  const double here = seconds(call_ours, &o), there = their_seconds(path, &o);
  printf("%-24s %6d %12.3g %12.3g %8.2f\n", name, o.system->n, 1e6 * here, 1e6 * there,
         here / there);
  unload(&o);
}

// Hinges across one another in turn.
static void chain(int links)
{
  dls_rigid_body *body = take((size_t)links, sizeof *body);
  dls_joint *joint = take((size_t)links, sizeof *joint);
  char(*name)[2][12] = take((size_t)links, sizeof *name);
  for (int k = 0; k < links; k++) {
    snprintf(name[k][0], sizeof name[k][0], "b%d", k);
    snprintf(name[k][1], sizeof name[k][1], "j%d", k);
    body[k] = (dls_rigid_body){.name = name[k][0],
                               .parent = k - 1,
                               .pose = {{0, 0, k ? -0.1 : 0}, {1, 0, 0, 0}},
                               .mass = 1,
                               .centre = {0, 0, -0.05},
                               .inertia = {1e-3, 1e-3, 1e-4}};
    joint[k] = (dls_joint){
        .name = name[k][1], .body = k, .kind = DLS_JOINT_HINGE, .axis = {k % 2, 1 - k % 2, 0}};
  }
  const dls_mechanism mechanism = {
      .gravity = {0, 0, -9.81}, .bodies = links, .joints = links, .body = body, .joint = joint};
  ours reduced = made(&mechanism, DLS_REDUCED), maximal = made(&mechanism, DLS_MAXIMAL);
  const double M = seconds(call_ours, &reduced), K = seconds(call_ours, &maximal);
  const double solved = seconds(call_solve, &maximal);
  printf("%6d %12.3g %12.3g %12.3g %12.3g\n", links, 1e6 * M, 1e6 * K, 1e6 * solved,
         1e6 * solved / links);
  unload(&reduced), unload(&maximal);
  free(body), free(joint), free(name);
}

int main(int count, char **argument)
{
  char path[] = P_tmpdir "/bench_bodies_XXXXXX.xml";
  printf("%-24s %6s %12s %12s %8s\n", "tree", "n", "here/us", "MuJoCo/us", "ratio");
  if (count > 1) {
    compare(argument[1], argument[1]);
    return 0;
  }
  const int file = mkstemps(path, 4);
  if (file < 0) abort();
  close(file);
  for (int wide = 1; wide <= 5; wide++) {
    char name[40];
    snprintf(name, sizeof name, wide > 1 ? "tree, back up to %d" : "chain", wide - 1);
    write_tree(path, 30, wide, (unsigned long long)wide);
    compare(name, path);
  }
  printf("\n%6s %12s %12s %12s %12s\n", "links", "M, F/us", "maximal/us", "solved/us",
         "per link/us");
  for (int links = 10; links <= 1000; links = links < 100 ? links * 10 : links + 300) chain(links);
  unlink(path);
  return 0;
}
