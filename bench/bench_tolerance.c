// Does the error follow the tolerance? Motions of the examples, and some that make more of errors,
// by schemes that choose their steps, at tolerances from 1e-3 to 1e-9.
//
//   bench_tolerance [SCHEME,… [MOTION]]    radau5,herk5; from the top of the repository
//
// A row for each motion: what it makes of errors, eq (tol.1), over 1/32 of the run and over any
// part of it; and for each scheme the largest error of all tolerances in units of the tolerance, of
// any 1/32 of the run begun at the reference, and of the whole run. With MOTION, those of each
// tolerance. The reference is radau5 with 1e-12; known: how well herk5 with 1e-11 agrees, in units
// of 1e-9. The longest step is not bounded. Of schemes of Moreau's family, which control
// coordinates alone, no velocities count, and tolerances end at 1e-6.
#include "common.h"

#include <delassus/delassus.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  STRETCHES = 32,
  RTOLS = 7,
  ROUGH_RTOLS = 4,
  SCHEMES = 8,
  MAX_STEPS = 400000,
  MAX_JUMPS = 20000
};

static const double REFERENCE = 1e-12, SECOND = 1e-11;
static const double DEPENDENT = 1e-12;  // of a row, that is rounding

// A free top near its middle axis, in quaternions.
static const char top[] = "parameter J1 = 1, J2 = 2, J3 = 3.5\n"
                          "coordinate e0 = 1, e1 = 0, e2 = 0, e3 = 0\n"
                          "velocity e1 = 1e-4, e2 = 2.5, e3 = -1e-4\n"
                          "let w1 = 2*(-e1*e0' + e0*e1' + e3*e2' - e2*e3')\n"
                          "let w2 = 2*(-e2*e0' - e3*e1' + e0*e2' + e1*e3')\n"
                          "let w3 = 2*(-e3*e0' + e2*e1' - e1*e2' + e0*e3')\n"
                          "kinetic (J1*w1^2 + J2*w2^2 + J3*w3^2)/2\n"
                          "bilateral unit: e0^2+e1^2+e2^2+e3^2 = 1\n";
// A heavy top nearly upright, in Euler's angles; a spherical pendulum that passes near its lowest
// point: the angle around the axis is nearly singular there.
static const char upright[] = "parameter A = 0.2, C = 0.1, m = 1, l = 0.3, g = 9.81\n"
                              "coordinate psi = 0, th = 0.02, phi = 0\n"
                              "velocity psi = 0.5, th = 0.3, phi = 40\n"
                              "kinetic (A*(th'^2+(psi'*sin(th))^2) + C*(phi'+psi'*cos(th))^2)/2\n"
                              "potential m*g*l*cos(th)\n";
static const char near_axis[] = "coordinate th = 1, phi = 0\n"
                                "velocity phi = 0.02\n"
                                "kinetic (th'^2 + (sin(th)*phi')^2)/2\n"
                                "potential -9.81*cos(th)\n";
static const char inverted[] = "coordinate th = 1e-4\n"
                               "kinetic th'^2/2\n"
                               "potential 9.81*cos(th)\n"
                               "unilateral wall: th <= 1.2 { restitution 0.6 }\n";
// Accumulations: with friction, of two contacts, on a plate that moves.
static const char spinning[] =
    "parameter r = 0.1\n"
    "coordinate x = 0, y = 0.5, a = 0\n"
    "velocity x = 1, a = 30\n"
    "kinetic (x'^2+y'^2+0.4*r^2*a'^2)/2\n"
    "potential 9.81*y\n"
    "unilateral floor: y >= 0 { slip x' + r*a'; friction 0.2; restitution 0.6 }\n";
static const char two_balls[] = "coordinate y1 = 1, y2 = 1.7\n"
                                "kinetic (y1'^2+2*y2'^2)/2\n"
                                "potential 9.81*(y1+2*y2)\n"
                                "unilateral floor: y1 >= 0 { restitution 0.6 }\n"
                                "unilateral ball: y2 - y1 >= 0.2 { restitution 0.5 }\n";
static const char plate[] = "coordinate y = 0.3\n"
                            "kinetic y'^2/2\n"
                            "potential 9.81*y\n"
                            "unilateral plate: y - 0.02*sin(12*t) >= 0 { restitution 0.5 }\n";

typedef struct example {
  const char *model, *state, *set, *value;  // set: a parameter
  double until, scale;                      // atol: rtol times this length
  const char *text;                         // NULL: an example's
} example;

static const example cases[] = {
    {"block-stack", "", NULL, NULL, 0.5, 0.1, NULL},
    {"block-with-pendulum", "swinging", NULL, NULL, 2, 1, NULL},
    {"bouncing-ball", "", NULL, NULL, 4, 1, NULL},
    {"chain", "", NULL, NULL, 1, 1, NULL},
    {"chaplygin-sleigh", "", NULL, NULL, 5, 1, NULL},
    {"chaplygin-sleigh", "gliding", NULL, NULL, 5, 1, NULL},
    {"constrained-rod", "", NULL, NULL, 0.5, 1, NULL},
    {"constrained-rod", "fast", NULL, NULL, 0.3, 1, NULL},
    {"constrained-rod", "hitting", NULL, NULL, 0.3, 1, NULL},
    {"double-pendulum", "", NULL, NULL, 2, 1, NULL},
    {"double-pendulum", "swinging", NULL, NULL, 2, 1, NULL},
    {"double-pendulum-absolute", "swinging", NULL, NULL, 2, 1, NULL},
    {"double-pendulum-absolute", "bending", NULL, NULL, 2, 1, NULL},
    {"double-pendulum-wall", "", NULL, NULL, 2, 1, NULL},
    {"elliptic-manipulator", "", NULL, NULL, 1, 1, NULL},
    {"four-bar", "turning", NULL, NULL, 0.3, 1, NULL},
    {"four-bar", "", NULL, NULL, 0.3, 1, NULL},
    {"impact-oscillator", "", NULL, NULL, 20, 1, NULL},
    {"incline-block", "sliding", NULL, NULL, 1, 1, NULL},
    {"ladder", "falling", NULL, NULL, 0.5, 1, NULL},
    {"ladder", "", NULL, NULL, 0.5, 1, NULL},
    {"massless-tray", "", NULL, NULL, 1, 1, NULL},
    {"natural-coordinates", "", NULL, NULL, 1, 1, NULL},
    {"newtons-cradle", "struck", NULL, NULL, 2, 1, NULL},
    {"painleve-klein", "sliding", NULL, NULL, 0.5, 1, NULL},
    {"painleve-rod", "sliding", "mu", "0.5", 0.3, 1, NULL},
    {"prismatic-joint-impact", "hitting", NULL, NULL, 0.5, 1, NULL},
    {"pushed-block", "", "X", "15", 1, 1, NULL},
    {"rocking-block", "tilted", NULL, NULL, 2, 1, NULL},
    {"rocking-block", "landing", NULL, NULL, 2, 1, NULL},
    {"rolling-coin", "", NULL, NULL, 0.5, 0.1, NULL},
    {"rolling-coin", "hitting", NULL, NULL, 0.5, 0.1, NULL},
    {"shaken-rope", "", NULL, NULL, 2, 1, NULL},
    {"shaken-rope", "bottom", NULL, NULL, 2, 1, NULL},
    {"shelf", "", "d", "1.2", 0.3, 1, NULL},
    {"slider-crank-clearance", "", NULL, NULL, 0.05, 1e-3, NULL},
    {"stacked-blocks", "started", NULL, NULL, 1, 1, NULL},
    {"three-point-block", "dropped", NULL, NULL, 1, 1, NULL},
    {"a top", "near its middle axis", NULL, NULL, 30, 1, top},
    {"a heavy top", "upright", NULL, NULL, 3, 1, upright},
    {"a spherical pendulum", "near the axis", NULL, NULL, 10, 1, near_axis},
    {"a pendulum", "upside down, at a wall", NULL, NULL, 10, 1, inverted},
    {"a ball", "bouncing and spinning", NULL, NULL, 3, 1, spinning},
    {"two balls", "bouncing", NULL, NULL, 3, 1, two_balls},
    {"a ball", "on a shaken plate", NULL, NULL, 3, 1, plate},
};

typedef struct motion {
  const example *example;
  dls_model *model;
  dls_system *system;
  int n;
  double *start;      // 2 n
  double *reference;  // (STRETCHES + 1) x 2 n
  double *size;       // 2 n: largest |x| along it
  double known;       // how well two references agree, in units of 1e-9
  double t0;
  double *jumps;  // times at which velocities jump along it
  int jump_count;
  double stretch, whole;  // what errors grow to over a stretch, and over any part of the run
  int unknown;            // stretches without derivatives
} motion;

typedef struct result {
  bool done;
  double local, path;
  long evaluations;
  char why[200];
} result;

// ---- runs ----

static double tolerance_of(const motion *m, double rtol, int i)
{
  return rtol * (m->example->scale + m->size[i]);
}

static dls_integrator_options options_of(const motion *m, const char *scheme, double rtol)
{
  dls_integrator_options o = dls_integrator_defaults();
  const double until = m->example->until;
  o.scheme = scheme, o.step = until / 1000;
  o.rtol = rtol, o.atol = rtol * m->example->scale;
  o.on_loss = DLS_ON_LOSS_CONTINUE;
  return o;
}

// From x, at the begin of stretch `first`, to the end of stretch `last`; the states between go to
// path, behind x itself.
static bool run(const motion *m, const dls_integrator_options *options, int first, int last,
                const double *x, double *path, long *evaluations, char *why)
{
  const size_t n = (size_t)m->n;
  double *copy = take(2 * n, sizeof *copy);
  memcpy(copy, x, 2 * n * sizeof *copy);
  const double h = m->example->until / STRETCHES;
  dls_state state = {m->t0 + first * h, copy, copy + n};
  dls_integrator *g = NULL;
  dls_message message = {""};
  dls_failure failure = DLS_FAILURE_NONE;
  dls_status status = dls_integrator_create(m->system, &state, options, &g, &message);
  for (int k = first; k < last && status == DLS_OK && failure == DLS_FAILURE_NONE; k++) {
    const double t = m->t0 + (k + 1) * h;
    long steps = 0;
    while (status == DLS_OK && failure == DLS_FAILURE_NONE && dls_integrator_sample(g).t < t) {
      status = dls_integrator_advance(g, t, &failure, &message);
      if (++steps > MAX_STEPS && snprintf(message.text, sizeof message.text, "too many steps"))
        failure = DLS_FAILURE_STEP;
    }
    if (status != DLS_OK || failure != DLS_FAILURE_NONE) break;
    double *out = path + (size_t)(k - first + 1) * 2 * n;
    memcpy(out, dls_integrator_sample(g).q, n * sizeof *out);
    memcpy(out + n, dls_integrator_sample(g).v, n * sizeof *out);
  }
  const bool done = status == DLS_OK && failure == DLS_FAILURE_NONE;
  if (!done && why) snprintf(why, 200, "%s", message.text);
  if (g && evaluations) *evaluations = dls_integrator_counts(g).rhs_evaluations;
  dls_integrator_free(g);
  free(copy);
  return done;
}

static void tell(void *self, const dls_event *event)
{
  dls_sensitivity_event(self, event);
}

static void note_jump(void *self, const dls_event *event)
{
  motion *m = self;
  if (event->kind != DLS_EVENT_IMPACT || m->jump_count == MAX_JUMPS) return;
  m->jumps[m->jump_count++] = event->t;
}

// Is there a jump within the tolerance of the time at the end of stretch k?
static bool jumps_near(const motion *m, double rtol, int k)
{
  const double t = m->t0 + m->example->until * k / STRETCHES;
  for (int i = 0; i < m->jump_count; i++)
    if (fabs(m->jumps[i] - t) <= 10 * rtol * m->example->until) return true;
  return false;
}

// Largest error of the states x, after k stretches, beside those of the reference, in units of the
// tolerance.
static double error_of(const motion *m, bool rough, double rtol, const double *x, int k)
{
  const double *reference = m->reference + (ptrdiff_t)k * 2 * m->n;
  const int parts = rough || jumps_near(m, rtol, k) ? 1 : 2;
  double most = 0;
  for (int i = 0; i < parts * m->n; i++)
    most = fmax(most, fabs(x[i] - reference[i]) / tolerance_of(m, rtol, i));
  return most;
}

// ---- the reference ----

static bool find_reference(motion *m, char *why)
{
  const size_t n = (size_t)m->n, size = ((size_t)STRETCHES + 1) * 2 * n;
  double *second = take(size, sizeof *second);
  dls_integrator_options o = options_of(m, "radau5", REFERENCE);
  o.tolerance = 1e-12, o.closed = o.rest = 1e-11;
  memcpy(m->reference, m->start, 2 * n * sizeof *m->start);
  o.event = note_jump, o.self = m;
  const bool done = run(m, &o, 0, STRETCHES, m->start, m->reference, NULL, why);
  o.event = NULL;
  for (size_t k = 0; k < size && done; k++)
    m->size[k % (2 * n)] = fmax(m->size[k % (2 * n)], fabs(m->reference[k]));
  o.scheme = "herk5", o.rtol = SECOND, o.atol = SECOND * m->example->scale;
  m->known = INFINITY;
  if (done && run(m, &o, 0, STRETCHES, m->start, second, NULL, why)) {
    m->known = 0;
    for (int k = 1; k <= STRETCHES; k++)
      m->known = fmax(m->known, error_of(m, false, 1e-9, second + (size_t)k * 2 * n, k));
  }
  free(second);
  return done;
}

// ---- what the motion makes of errors ----

static void add_row(const motion *m, const dls_pattern *at, const double *value, int column,
                    bool velocity, double *row)
{
  for (int e = at->p[column]; e < at->p[column + 1]; e++) {
    const int i = at->i[e] + (velocity ? m->n : 0);
    row[i] += value[e] * tolerance_of(m, 1, i);
  }
}

// row becomes what others leave of it, of unit length; false: nothing.
static bool orthonormal(int size, const double *others, int count, double *row)
{
  double before = 0, after = 0;
  for (int i = 0; i < size; i++) before += row[i] * row[i];
  for (int twice = 0; twice < 2; twice++)
    for (int k = 0; k < count; k++) {
      double along = 0;
      for (int i = 0; i < size; i++) along += others[(ptrdiff_t)k * size + i] * row[i];
      for (int i = 0; i < size; i++) row[i] -= along * others[(ptrdiff_t)k * size + i];
    }
  for (int i = 0; i < size; i++) after += row[i] * row[i];
  if (!(after > DEPENDENT * before)) return false;
  for (int i = 0; i < size; i++) row[i] /= sqrt(after);
  return true;
}

// Rows that changes of the state at x must not see, in units of tolerances: gaps, rates and slips
// of contacts that are closed, and stick.
static int held_rows(const motion *m, const dls_sample *x, double *rows)
{
  const dls_system *s = m->system;
  const int size = 2 * m->n;
  int count = 0;
  dls_values *v = NULL;
  dls_derivatives *d = NULL;
  double *none = take((size_t)m->n + (size_t)s->m + (size_t)s->tangents, sizeof *none);
  if (dls_values_create(s, &v) != DLS_OK || dls_derivatives_create(s, &d) != DLS_OK) abort();
  if (s->evaluate(s->self, x->t, x->q, x->v, v, NULL, NULL) != DLS_OK ||
      s->differentiate(s->self, x->t, x->q, x->v, none, none, none, d, NULL) != DLS_OK)
    abort();
  for (int j = 0, slip = 0; j < s->m; slip += s->contacts[j++].tangents) {
    const bool sticks = x->status[j] == DLS_STICKING && v->friction[j] > 0;
    if (x->status[j] != DLS_SLIDING && x->status[j] != DLS_STICKING) continue;
    for (int k = s->contacts[j].rolling ? 1 : 0; k < 2 + (sticks ? s->contacts[j].tangents : 0);
         k++) {
      double *row = rows + (ptrdiff_t)count * size;
      memset(row, 0, (size_t)size * sizeof *row);
      if (k == 0) add_row(m, &s->normal, v->G, j, false, row);
      if (k == 1) add_row(m, &s->derivative->D_q, d->D_q, j, false, row);
      if (k == 1) add_row(m, &s->normal, v->G, j, true, row);
      if (k > 1) add_row(m, &s->derivative->S_q, d->S_q, slip + k - 2, false, row);
      if (k > 1) add_row(m, &s->tangent, v->H, slip + k - 2, true, row);
      count += count < size && orthonormal(size, rows, count, row);
    }
  }
  dls_values_free(v);
  dls_derivatives_free(d);
  free(none);
  return count;
}

// The changes of the state at x, one by one and by their tolerances, as far as contacts allow them.
static void allowed(const motion *m, const dls_sample *x, double *change)
{
  const int size = 2 * m->n;
  double *rows = take(((size_t)size + 1) * (size_t)size, sizeof *rows);
  const int count = held_rows(m, x, rows);
  for (int c = 0; c < size; c++) {
    double *out = change + (ptrdiff_t)c * size;
    out[c] = 1;
    for (int k = 0; k < count; k++)
      for (int i = 0; i < size; i++)
        out[i] -= rows[(ptrdiff_t)k * size + c] * rows[(ptrdiff_t)k * size + i];
    for (int i = 0; i < size; i++)
      out[i] = fabs(out[i]) > DEPENDENT ? out[i] * tolerance_of(m, 1, i) : 0;
  }
  free(rows);
}

// Phi of stretch k, columns in the units of tolerances. False: not known.
static bool propagate(const motion *m, int k, const char *const *names, double *Phi)
{
  const size_t n = (size_t)m->n, row = 2 * n;
  dls_integrator_options o = options_of(m, "radau5", 1e-9);
  dls_sensitivity *s = NULL;
  dls_integrator *g = NULL;
  double *x = take(row, sizeof *x), *change = take(row * row, sizeof *change);
  const double h = m->example->until / STRETCHES, end = m->t0 + (k + 1) * h;
  memcpy(x, m->reference + (ptrdiff_t)k * 2 * m->n, row * sizeof *x);
  dls_state state = {m->t0 + k * h, x, x + n};
  dls_status status = dls_sensitivity_create(m->system, 2 * m->n, names, &s, NULL);
  o.event = tell, o.self = s;
  if (status == DLS_OK) status = dls_integrator_create(m->system, &state, &o, &g, NULL);
  if (status == DLS_OK) {
    const dls_sample begin = dls_integrator_sample(g);
    allowed(m, &begin, change);
    status = dls_sensitivity_begin(s, g, change);
  }
  dls_failure failure = DLS_FAILURE_NONE;
  while (status == DLS_OK && failure == DLS_FAILURE_NONE && dls_integrator_sample(g).t < end) {
    status = dls_integrator_advance(g, end, &failure, NULL);
    if (status == DLS_OK && failure == DLS_FAILURE_NONE) status = dls_sensitivity_step(s, g);
  }
  const bool done = status == DLS_OK && failure == DLS_FAILURE_NONE && dls_sensitivity_of(s).change;
  for (size_t c = 0; c < row && done; c++)
    for (size_t i = 0; i < row; i++)
      Phi[c * row + i] = dls_sensitivity_of(s).change[c * row + i] / tolerance_of(m, 1, (int)i);
  dls_integrator_free(g);
  dls_sensitivity_free(s);
  free(x);
  free(change);
  return done;
}

static double norm(int rows, const double *A)
{
  double most = 0;
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int c = 0; c < rows; c++) sum += fabs(A[(ptrdiff_t)c * rows + i]);
    most = fmax(most, sum);
  }
  return most;
}

// out = A B
static void multiply(int rows, const double *A, const double *B, double *out)
{
  memset(out, 0, (size_t)rows * (size_t)rows * sizeof *out);
  for (int c = 0; c < rows; c++)
    for (int k = 0; k < rows; k++)
      for (int i = 0; i < rows; i++)
        out[(ptrdiff_t)c * rows + i] += A[(ptrdiff_t)k * rows + i] * B[(ptrdiff_t)c * rows + k];
}

// The largest growth of an error over a stretch, and over any part of the run.
static void amplify(motion *m)
{
  const int rows = 2 * m->n;
  const size_t size = (size_t)rows * (size_t)rows;
  const char *const *coordinates = dls_configuration_names(m->system);
  char(*text)[80] = take((size_t)rows, sizeof *text);
  const char **names = take((size_t)rows, sizeof *names);
  double *Phi = take((size_t)STRETCHES * size, sizeof *Phi), *from = take(2 * size, sizeof *from);
  bool *known = take((size_t)STRETCHES, sizeof *known);
  for (int i = 0; i < rows; i++) {
    snprintf(text[i], sizeof text[i], "%.70s%s", coordinates[i % m->n], i < m->n ? "" : "'");
    names[i] = text[i];
  }
  m->stretch = m->whole = 1, m->unknown = 0;
  for (int k = 0; k < STRETCHES; k++) {
    double *A = Phi + (size_t)k * size;
    known[k] = propagate(m, k, names, A);
    m->unknown += !known[k];
    if (known[k]) m->stretch = fmax(m->stretch, norm(rows, A));
  }
  for (int a = 0; a < STRETCHES; a++) {
    if (!known[a]) continue;
    double *now = from, *next = from + size;
    memcpy(now, Phi + (size_t)a * size, size * sizeof *now);
    m->whole = fmax(m->whole, norm(rows, now));
    for (int b = a + 1; b < STRETCHES && known[b]; b++) {
      multiply(rows, Phi + (size_t)b * size, now, next);
      double *other = now;
      now = next, next = other;
      m->whole = fmax(m->whole, norm(rows, now));
    }
  }
  free(text);
  free(names);
  free(Phi);
  free(from);
  free(known);
}

// ---- the table ----

static result measure(const motion *m, const char *scheme, double rtol)
{
  const size_t n = (size_t)m->n, row = 2 * n;
  double *path = take(((size_t)STRETCHES + 1) * row, sizeof *path);
  const dls_integrator_options o = options_of(m, scheme, rtol);
  const bool rough = dls_scheme_find(scheme)->adaptive;
  result r = {.done = run(m, &o, 0, STRETCHES, m->start, path, &r.evaluations, r.why)};
  for (int k = 1; k <= STRETCHES && r.done; k++)
    r.path = fmax(r.path, error_of(m, rough, rtol, path + (size_t)k * row, k));
  for (int k = 0; k < STRETCHES && r.done; k++) {
    r.done = run(m, &o, k, k + 1, m->reference + (size_t)k * row, path, NULL, r.why);
    const double local = r.done ? error_of(m, rough, rtol, path + row, k + 1) : 0;
    if (local > r.local) r.local = local;
  }
  free(path);
  return r;
}

static char *read_model(const example *e)
{
  enum { MOST = 1 << 20 };
  char *text = take(MOST, 1), name[200];
  if (e->text) return memcpy(text, e->text, strlen(e->text));
  snprintf(name, sizeof name, "examples/%s.dls", e->model);
  FILE *file = fopen(name, "rb");
  if (file) text[fread(text, 1, MOST - 1, file)] = 0;
  if (file) fclose(file);
  if (file) return text;
  free(text);
  return NULL;
}

static bool open_case(const example *e, motion *m)
{
  *m = (motion){.example = e};
  char *text = read_model(e);
  if (!text) return false;
  dls_diagnostics *problems = take(1, sizeof *problems);
  dls_message message = {""};
  bool done = dls_model_parse(text, strlen(text), &m->model, problems) == DLS_OK &&
              dls_model_system(m->model, &m->system) == DLS_OK &&
              dls_model_differentiate(m->system, &message) == DLS_OK;
  if (done && e->set) done = dls_model_set(m->system, e->set, e->value, &message) == DLS_OK;
  free(text);
  free(problems);
  if (!done) return false;
  m->n = m->system->n;
  const size_t n = (size_t)m->n;
  m->start = take(2 * n, sizeof(double)), m->size = take(2 * n, sizeof(double));
  m->reference = take(((size_t)STRETCHES + 1) * 2 * n, sizeof(double));
  m->jumps = take(MAX_JUMPS, sizeof(double));
  dls_state state = {0, m->start, m->start + n};
  done = dls_model_state(m->system, e->text ? "" : e->state, &state, &message) == DLS_OK;
  m->t0 = state.t;
  return done;
}

static void close_case(motion *m)
{
  free(m->start);
  free(m->reference);
  free(m->size);
  free(m->jumps);
  dls_system_free(m->system);
  dls_model_free(m->model);
}

static void print_case(const motion *m, const char *scheme, bool all)
{
  const int rtols = dls_scheme_find(scheme)->adaptive ? ROUGH_RTOLS : RTOLS;
  double local = 0, path = 0;
  if (all) printf("\n%s: amplification %.2g, %.2g\n", scheme, m->stretch, m->whole);
  for (int k = 0; k < rtols; k++) {
    const result r = measure(m, scheme, pow(10, -3 - k));
    if (all && r.done)
      printf("  1e-%d: %8ld evaluations, %.2g, %.2g\n", k + 3, r.evaluations, r.local, r.path);
    if (!r.done) printf(" 1e-%d: %s", k + 3, r.why);
    local = fmax(local, r.done ? r.local : NAN), path = fmax(path, r.done ? r.path : NAN);
  }
  if (!all) printf(" %.2g, %.2g | %.2g, %.2g |", local, path, local / m->stretch, path / m->whole);
  fflush(stdout);
}

static void print_head(int schemes, const char *const *scheme)
{
  printf("| motion | known | amplification |");
  for (int s = 0; s < schemes; s++) printf(" %s: error | by amplification |", scheme[s]);
  printf("\n|---|---:|---:|");
  for (int s = 0; s < schemes; s++) printf("---:|---:|");
  printf("\n");
}

int main(int argc, char **argv)
{
  char list[200] = "radau5,herk5";
  if (argc > 1) snprintf(list, sizeof list, "%s", argv[1]);
  const char *scheme[SCHEMES];
  int schemes = 0;
  for (char *s = strtok(list, ","); s && schemes < SCHEMES; s = strtok(NULL, ","))
    if (dls_scheme_find(s)) scheme[schemes++] = s;
  const bool all = argc > 2;
  if (!all) print_head(schemes, scheme);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    motion m;
    char name[100], why[200] = "not a model, or not a state";
    snprintf(name, sizeof name, "%s %s", cases[k].model, cases[k].state);
    if (all && !strstr(name, argv[2])) continue;
    if (!open_case(&cases[k], &m) || !find_reference(&m, why)) {
      printf("| %s | | %s |\n", name, why);
      close_case(&m);
      continue;
    }
    amplify(&m);
    if (all) printf("%s, known %.1g", name, m.known);
    else
      printf("| %s | %.1g | %.2g, %.2g%s |", name, m.known, m.stretch, m.whole,
             m.unknown ? " *" : "");
    for (int s = 0; s < schemes; s++) print_case(&m, scheme[s], all);
    printf("\n");
    close_case(&m);
  }
  return 0;
}
