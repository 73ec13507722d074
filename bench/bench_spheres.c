// What do declared contacts cost that are open? N spheres in towers of two on a floor, with all
// N (N - 1) / 2 pairs declared beside the N floor contacts: N contacts are closed.
//
//   bench_spheres              a table for 20, 40, 80 and 160 spheres
//   bench_spheres N ...        for so many
//
// From functions in C without derivatives, and as a text. Milliseconds of processor time: reading
// the text and differentiating it, one evaluation of all gaps (with the derivatives, where the
// scheme wants them, in the column behind), creating the integrator, the first step, and the mean
// of those that follow; the last one relative to the evaluations that it makes. Memory is the
// largest of a process that does nothing else.
#include "model_text.h"

#include <delassus/delassus.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 20, MOST = 1000 };

static double now(void)
{
  return (double)clock() / CLOCKS_PER_SEC;
}

static void must(int status, const char *what, const dls_message *message)
{
  if (status == 0) return;
  fprintf(stderr, "bench_spheres: %s: %s\n", what, message->text);
  exit(1);
}

// Sphere k: two of each tower, towers on a square grid.
static void place(int k, double *q)
{
  const int tower = k / 2;
  q[0] = 1.5 * (tower % 8), q[1] = 1.5 * (double)(tower / 8), q[2] = 0.5 + (double)(k % 2);
}

// --- functions in C ---

typedef struct spheres {
  dls_system system;
  int count;
  int *p, *i;  // of the gradients
} spheres;

static dls_status evaluate(void *self, double t, const double *q, const double *v,
                           const dls_values *x, const dls_values *bound, dls_message *message)
{
  const spheres *s = self;
  const int n = s->count;
  (void)t, (void)message;
  if (bound) {
    memset(bound->M, 0, 3 * (size_t)n * sizeof(double));
    memset(bound->F, 0, 3 * (size_t)n * sizeof(double));
    memset(bound->h, 0, (size_t)s->system.m * sizeof(double));
    memset(bound->h_dot, 0, (size_t)s->system.m * sizeof(double));
    memset(bound->G, 0, (size_t)s->p[s->system.m] * sizeof(double));
    memset(bound->b_n, 0, (size_t)s->system.m * sizeof(double));
    memset(bound->slip, 0, 2 * (size_t)n * sizeof(double));
    memset(bound->H, 0, 2 * (size_t)n * sizeof(double));
    memset(bound->b_t, 0, 2 * (size_t)n * sizeof(double));
  }
  for (int k = 0; k < 3 * n; k++) x->M[k] = 1, x->F[k] = k % 3 == 2 ? 9.81 : 0;
  for (int k = 0; k < n; k++) {
    x->h[k] = q[3 * k + 2] - 0.5, x->h_dot[k] = v[3 * k + 2], x->G[k] = 1, x->b_n[k] = 0;
    x->friction[k] = 0.5, x->restitution[k] = 0;
    for (int l = 0; l < 2; l++)
      x->slip[2 * k + l] = v[3 * k + l], x->H[2 * k + l] = 1, x->b_t[2 * k + l] = 0;
  }
  int j = n;
  for (int a = 0; a < n; a++)
    for (int b = a + 1; b < n; b++, j++) {
      double d[3], w[3], square = 0, rate = 0, speed = 0, *G = x->G + s->p[j];
      for (int l = 0; l < 3; l++) {
        d[l] = q[3 * b + l] - q[3 * a + l], w[l] = v[3 * b + l] - v[3 * a + l];
        square += d[l] * d[l], rate += d[l] * w[l], speed += w[l] * w[l];
      }
      const double length = sqrt(square);
      for (int l = 0; l < 3; l++) G[l] = -d[l] / length, G[3 + l] = d[l] / length;
      x->h[j] = length - 1, x->h_dot[j] = rate / length;
      x->b_n[j] = (speed - x->h_dot[j] * x->h_dot[j]) / length;
      x->friction[j] = x->restitution[j] = 0;
    }
  return DLS_OK;
}

static void set_gradients(spheres *s)
{
  const int n = s->count;
  int j = 0, used = 0;
  for (; j < n; j++) s->i[used++] = 3 * j + 2, s->p[j + 1] = used;
  for (int a = 0; a < n; a++)
    for (int b = a + 1; b < n; b++, j++) {
      for (int l = 0; l < 3; l++) s->i[used + l] = 3 * a + l, s->i[used + 3 + l] = 3 * b + l;
      s->p[j + 1] = used += 6;
    }
}

static dls_system *functions(int count)
{
  spheres *s = take(1, sizeof *s);
  const int n = 3 * count, pairs = count * (count - 1) / 2;
  int *whole = take((size_t)n, sizeof(int)), *tangent = take(2 * (size_t)count, sizeof(int));
  const char **name = take((size_t)n, sizeof *name);
  dls_contact_info *contact = take((size_t)(count + pairs), sizeof *contact);
  s->count = count;
  s->p = take((size_t)(count + pairs), sizeof(int));
  s->i = take((size_t)(count + 6 * pairs), sizeof(int));
  set_gradients(s);
  for (int k = 0; k <= n; k++) whole[k] = k;
  for (int k = 0; k < 2 * count; k++) tangent[k] = 3 * (k / 2) + k % 2;
  for (int k = 0; k < n; k++) name[k] = "q";
  for (int j = 0; j < count + pairs; j++)
    contact[j] =
        (dls_contact_info){.name = "c", .kind = DLS_UNILATERAL, .tangents = j < count ? 2 : 0};
  s->system = (dls_system){.n = n,
                           .m = count + pairs,
                           .tangents = 2 * count,
                           .coordinates = name,
                           .contacts = contact,
                           .mass = {n, n, whole, whole},
                           .normal = {n, count + pairs, s->p, s->i},
                           .tangent = {n, 2 * count, whole, tangent},
                           .self = s,
                           .evaluate = evaluate};
  return &s->system;
}

// --- as a text ---

static dls_system *model(int count)
{
  text t = {0};
  dls_model *read;
  dls_system *system;
  dls_diagnostics *problems = take(1, sizeof *problems);
  dls_message message = {"the model was not understood"};
  for (int k = 0; k < count; k++) {
    double q[3];
    place(k, q);
    add(&t, "coordinate x%d = %g, y%d = %g, z%d = %g\n", k, q[0], k, q[1], k, q[2]);
    add(&t, "kinetic (x%d'^2 + y%d'^2 + z%d'^2)/2\npotential 9.81*z%d\n", k, k, k, k);
    add(&t, "unilateral f%d: z%d >= 0.5 { slip x%d', y%d'; friction 0.5 }\n", k, k, k, k);
  }
  for (int a = 0; a < count; a++)
    for (int b = a + 1; b < count; b++)
      add(&t, "unilateral p%d_%d: sqrt((x%d - x%d)^2 + (y%d - y%d)^2 + (z%d - z%d)^2) >= 1\n", a, b,
          b, a, b, a, b, a);
  must((int)dls_model_parse(t.at, t.used, &read, problems), "model", &message);
  must((int)dls_model_system(read, &system), "system", &message);
  must((int)dls_model_differentiate(system, &message), "derivatives", &message);
  free(problems);
  free(t.at);
  return system;
}

// --- measuring ---

// The least of some evaluations, and of the derivatives behind them.
static double time_evaluation(const dls_system *s, const dls_state *x, double *derivatives)
{
  dls_values *values;
  dls_derivatives *d = NULL;
  double *zero = take((size_t)(s->n + s->m + s->tangents), sizeof(double)), least = INFINITY;
  dls_message message = {""};
  must((int)dls_values_create(s, &values), "values", &message);
  if (s->derivative) must((int)dls_derivatives_create(s, &d), "derivatives", &message);
  *derivatives = d ? INFINITY : 0;
  for (int k = 0; k < 10; k++) {
    double begin = now();
    for (int l = 0; l < 10; l++)
      must((int)s->evaluate(s->self, 0, x->q, x->v, values, NULL, &message), "value", &message);
    least = fmin(least, (now() - begin) / 10);
    begin = now();
    if (d)
      must((int)s->differentiate(s->self, 0, x->q, x->v, zero, zero, zero, d, &message), "slope",
           &message);
    *derivatives = fmin(*derivatives, now() - begin);
  }
  dls_values_free(values);
  dls_derivatives_free(d);
  free(zero);
  return least;
}

// The mean time of steps; what they cost in evaluations is *lower. h: 1 ms.
static void run(dls_system *s, const char *source, const char *scheme, int count, double reading)
{
  double *start = take(6 * (size_t)count, sizeof(double)), derivatives;
  dls_state x = {0, start, start + 3 * (size_t)count};
  dls_message message = {""};
  dls_failure failure;
  dls_integrator *g;
  for (int k = 0; k < count; k++) place(k, start + 3 * (size_t)k);
  const double value = time_evaluation(s, &x, &derivatives);
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = scheme, options.step = 1e-3;
  double begin = now();
  must((int)dls_integrator_create(s, &x, &options, &g, &message), "create", &message);
  const double create = now() - begin;
  begin = now();
  must((int)dls_integrator_advance(g, 1, &failure, &message), "advance", &message);
  must((int)failure, "first step", &message);
  const double first = now() - begin;
  const dls_step_counts before = dls_integrator_counts(g);
  begin = now();
  for (int k = 1; k < STEPS; k++) {
    must((int)dls_integrator_advance(g, 1, &failure, &message), "advance", &message);
    must((int)failure, "step", &message);
  }
  const double step = (now() - begin) / (STEPS - 1);
  const dls_step_counts after = dls_integrator_counts(g);
  const double lower = ((double)(after.rhs_evaluations - before.rhs_evaluations) * value +
                        (double)(after.derivatives - before.derivatives) * derivatives) /
                       (STEPS - 1);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("| %s | `%s` | %d | %d | %.1f | %.4f | %.4f | %.2f | %.2f | %.3f | %.1f | %.0f |\n",
         source, scheme, count, s->m, 1e3 * reading, 1e3 * value, 1e3 * derivatives, 1e3 * create,
         1e3 * first, 1e3 * step, step / lower, (double)usage.ru_maxrss / 1024);
  dls_integrator_free(g);
}

static void measure(bool in_text, const char *scheme, int count)
{
  fflush(stdout);
  const pid_t child = fork();
  if (child < 0) abort();
  if (child > 0) {
    int how;
    if (waitpid(child, &how, 0) != child || how != 0) exit(1);
    return;
  }
  const double begin = now();
  dls_system *s = in_text ? model(count) : functions(count);
  run(s, in_text ? "text" : "functions", scheme, count, now() - begin);
  exit(0);
}

int main(int count, char **argument)
{
  static const char *const usual[] = {"bench_spheres", "20", "40", "80", "160"};
  const char *const *list = count > 1 ? (const char *const *)argument : usual;
  const int last = count > 1 ? count : 5;
  static const char *const schemes[] = {"moreau", "radau5", "herk4"};
  puts("| source | scheme | spheres | contacts | reading | evaluation | derivatives | create | "
       "first "
       "step | step | step / evaluations | MB |");
  puts("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
  for (int k = 0; k < 4; k++)
    for (int l = 1; l < last; l++) {
      const int number = atoi(list[l]);
      if (number < 2 || number > MOST) return 1;
      measure(k > 0, schemes[k > 0 ? k - 1 : 0], number);
    }
  return 0;
}
