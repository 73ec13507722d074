// libFuzzer entry for motions: a model is read and run. The first byte chooses the scheme, the
// second one steps and tolerances; a line end follows, then the text of a model. With a first byte
// from 128 on the rest chooses the numbers of a model that cannot gain energy.
//
// Whatever the model: an accepted step has finite numbers and goes on in time, contacts push, what
// locates events keeps the joints; the step is made in bounded time; and a run that goes on from a
// moment is the same as one that was not stopped.
#include <delassus/delassus.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { COORDINATES = 8, CONTACTS = 6, LONGEST = 4000, STEPS = 12, NUMBERS = 200, SECONDS = 8 };

static void require(int holds, const char *what)
{
  if (holds) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

typedef struct subject {
  dls_system *system;
  dls_state start;
  dls_integrator_options how;
  double until;
  bool quiet;  // no energy comes from outside
} subject;

// A moment that outlives its integrator.
typedef struct kept {
  dls_sample moment;
  double q[NUMBERS], v[NUMBERS], impulse[NUMBERS], scheme_state[NUMBERS];
  unsigned char status[NUMBERS];
} kept;

static bool keep(const dls_sample *m, kept *k)
{
  if (m->n > NUMBERS || m->impulses > NUMBERS || m->scheme_state_size > NUMBERS || m->m > NUMBERS)
    return false;
  k->moment = *m;
  if (m->n) memcpy(k->q, m->q, (size_t)m->n * sizeof(double));
  if (m->n) memcpy(k->v, m->v, (size_t)m->n * sizeof(double));
  if (m->impulses) memcpy(k->impulse, m->impulse, (size_t)m->impulses * sizeof(double));
  if (m->scheme_state_size)
    memcpy(k->scheme_state, m->scheme_state, (size_t)m->scheme_state_size * sizeof(double));
  if (m->m) memcpy(k->status, m->status, (size_t)m->m);
  k->moment.q = k->q, k->moment.v = k->v, k->moment.impulse = k->impulse;
  k->moment.scheme_state = k->scheme_state, k->moment.status = k->status;
  return true;
}

// ---- what every accepted step fulfils -----------------------------------------------------------

static bool finite_all(const double *x, int count)
{
  for (int i = 0; i < count; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

static double largest(const double *x, int count)
{
  double size = 0;
  for (int i = 0; i < count; i++) size = fmax(size, fabs(x[i]));
  return size;
}

static void comparison_sample(const subject *s, const dls_sample *m, double before)
{
  require(isfinite(m->t) && m->t > before && m->t <= s->until, "time does not go on");
  require(finite_all(m->q, m->n) && finite_all(m->v, m->n), "a state that is not finite");
  require(finite_all(m->impulse, m->impulses), "an impulse that is not finite");
  require(finite_all(m->scheme_state, m->scheme_state_size), "a memory that is not finite");
  require(isfinite(m->next_step) && m->next_step >= 0, "a next step that is not finite");
  for (int j = 0; j < m->m; j++) require(m->status[j] <= DLS_STICKING, "an unknown status");
}

// Contacts push, up to what accelerations of 1e-6 would take. Where events are located, joints hold
// in the coordinates too.
static void comparison_contacts(const subject *s, const dls_sample *m, double before)
{
  const dls_system *system = s->system;
  dls_values *values = NULL, *bound = NULL;
  require(dls_values_create(system, &values) == DLS_OK, "memory");
  require(dls_values_create(system, &bound) == DLS_OK, "memory");
  if (system->evaluate(system->self, m->t, m->q, m->v, values, bound, NULL) == DLS_OK) {
    const double mass = largest(values->M, system->mass.p[system->n]);
    const double least = -1e-6 * (largest(m->impulse, m->impulses) + mass * (m->t - before));
    for (int j = 0, entry = 0; j < system->m; entry += 1 + system->contacts[j].tangents, j++) {
      const bool joint = system->contacts[j].kind == DLS_BILATERAL;
      require(joint || m->impulse[entry] >= least, "a contact pulls");
      require(!joint || !dls_scheme_find(s->how.scheme)->events ||
                  fabs(values->h[j]) <= 1e-6 + 1e3 * bound->h[j],
              "a joint that does not hold");
    }
  }
  dls_values_free(values);
  dls_values_free(bound);
}

static double energy_of(const subject *s, const dls_sample *m)
{
  double kinetic = NAN, potential = NAN;
  const dls_system *system = s->system;
  if (!system->energy ||
      system->energy(system->self, m->t, m->q, m->v, &kinetic, &potential, NULL) != DLS_OK)
    return NAN;
  return kinetic + potential;
}

// ---- runs ---------------------------------------------------------------------------------------

// At most so many steps, the moment after the last one in *end; how many were made.
static int advance(const subject *s, dls_integrator *g, int steps, kept *end)
{
  int made = 0;
  for (; made < steps; made++) {
    const dls_sample before = dls_integrator_sample(g);
    const double t = before.t;
    if (t >= s->until) break;
    dls_failure failure = DLS_FAILURE_NONE;
    dls_message message = {""};
    const clock_t start = clock();
    const dls_status status = dls_integrator_advance(g, s->until, &failure, &message);
    require(clock() - start < SECONDS * CLOCKS_PER_SEC, "a step takes too long");
    require(status == DLS_OK || message.text[0], "a status without a message");
    if (status != DLS_OK) break;
    if (failure != DLS_FAILURE_NONE) {
      require(message.text[0], "a failure without a message");
      break;
    }
    const dls_sample m = dls_integrator_sample(g);
    comparison_sample(s, &m, t);
    comparison_contacts(s, &m, t);
    // as a run that is recorded does: through what the recording keeps
    if (!keep(&m, end)) break;
    require(dls_integrator_restart(g, &end->moment, NULL) == DLS_OK, "its own moment is refused");
  }
  return made;
}

static bool same(const double *a, const double *b, int count)
{
  return count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

// A second run that begins in the middle of the first one.
static void comparison_resumed(const subject *s, const kept *middle, const kept *end, int steps)
{
  static kept other;
  dls_integrator *g = NULL;
  if (dls_integrator_create(s->system, &s->start, &s->how, &g, NULL) != DLS_OK) return;
  require(dls_integrator_restart(g, &middle->moment, NULL) == DLS_OK, "a moment is refused");
  require(advance(s, g, steps, &other) == steps, "a resumed run makes other steps");
  const dls_sample *a = &other.moment, *b = &end->moment;
  require(a->t == b->t && a->next_step == b->next_step, "a resumed run ends elsewhere");
  require(same(a->q, b->q, a->n) && same(a->v, b->v, a->n), "a resumed run is another");
  require(same(a->impulse, b->impulse, a->impulses), "a resumed run has other impulses");
  dls_integrator_free(g);
}

static void run(const subject *s)
{
  static kept middle, end;
  dls_integrator *g = NULL;
  dls_message message = {""};
  const dls_status status = dls_integrator_create(s->system, &s->start, &s->how, &g, &message);
  if (status != DLS_OK) {
    require(!g && message.text[0], "no message");
    return;
  }
  const dls_sample start = dls_integrator_sample(g);
  const double first = energy_of(s, &start);
  const int half = advance(s, g, STEPS / 2, &middle);
  const int rest = half == STEPS / 2 ? advance(s, g, STEPS / 2, &end) : 0;
  if (rest > 0) comparison_resumed(s, &middle, &end, rest);
  if (s->quiet) {
    const dls_sample m = dls_integrator_sample(g);
    const double last = energy_of(s, &m);
    require(last <= first + 0.02 * (1 + fabs(first)), "energy comes from nowhere");
  }
  dls_integrator_free(g);
}

// ---- models -------------------------------------------------------------------------------------

// Points on slopes, with friction and springs between them.
static size_t write_quiet(const uint8_t *data, size_t size, char *text, size_t most)
{
  static const char *const mass[] = {"1", "2", "0.5", "1e3", "1e-3", "1e9"};
  static const char *const some[] = {"0", "1", "0.3", "-1", "-0.2", "3", "1e-9", "-5"};
  static const char *const friction[] = {"0", "0.1", "0.5", "1", "3"};
  static const char *const bounce[] = {"0", "0.5", "1", "0.9"};
  static const char *const slope[] = {"0", "0.5", "-1", "0.1"};
  size_t used = 0;
#define BYTE(k, names) names[((k) < size ? data[k] : 0) % (sizeof names / sizeof *names)]
  const int points = 1 + (size > 0 ? data[0] % 3 : 0);
  for (int i = 0; i < points; i++) {
    const size_t b = 1 + 8 * (size_t)i;
    used += (size_t)snprintf(
        text + used, most - used,
        "coordinate x%d = %s, y%d = %s + 3\nvelocity x%d = %s, y%d = %s\n"
        "kinetic (%s)*(x%d'^2 + y%d'^2)/2\npotential (%s)*y%d*2\n"
        "unilateral c%d: y%d - (%s)*x%d + 3 >= 0 { slip x%d' + (%s)*y%d'; friction %s; "
        "restitution %s }\n",
        i, BYTE(b, some), i, BYTE(b + 1, some), i, BYTE(b + 2, some), i, BYTE(b + 3, some),
        BYTE(b + 4, mass), i, i, BYTE(b + 4, mass), i, i, i, BYTE(b + 5, slope), i, i,
        BYTE(b + 5, slope), i, BYTE(b + 6, friction), BYTE(b + 7, bounce));
  }
  for (int i = 1; i < points; i++)
    used += (size_t)snprintf(text + used, most - used, "potential (x%d - x%d)^2 + (y%d - y%d)^2\n",
                             i, i - 1, i, i - 1);
#undef BYTE
  return used;
}

static void run_system(subject *s, int choice)
{
  static const double step[] = {1e-2, 1e-3, 0.1, 1, 1e-9, 1e6};
  const double h = step[choice / 4 % 6];
  const bool chosen = choice & 1;
  s->how.step = s->quiet ? fmin(h, 1e-2) : h;
  s->until = s->start.t + 40 * s->how.step;
  if (chosen || s->quiet) s->how.rtol = s->quiet ? 1e-6 : 1e-3, s->how.atol = s->how.rtol;
  if (choice & 2) s->how.theta = 1;
  // these move what has sunk in out again, or are explicit: their energies swing
  const char *const other[] = {"moreau-projected", "schatzman-paoli", "lcp"};
  for (int k = 0; k < 3; k++) s->quiet = s->quiet && strcmp(s->how.scheme, other[k]) != 0;
  if (!(s->until > s->start.t)) return;
  run(s);
}

static void run_text(const char *text, size_t size, const char *scheme, int choice, bool quiet)
{
  dls_model *model = NULL;
  dls_diagnostics diagnostics;
  double q[COORDINATES], v[COORDINATES];
  subject s = {.start = {0, q, v}, .how = dls_integrator_defaults(), .quiet = quiet};
  s.how.scheme = scheme;
  const dls_status status = dls_model_parse(text, size, &model, &diagnostics);
  require(status == DLS_OK || !quiet, "a model that should be one");
  if (status != DLS_OK) return;
  if (dls_model_system(model, &s.system) == DLS_OK) {
    if (s.system->n <= COORDINATES && s.system->m <= CONTACTS &&
        dls_model_differentiate(s.system, NULL) == DLS_OK &&
        dls_model_state(s.system, NULL, &s.start, NULL) == DLS_OK)
      run_system(&s, choice);
    dls_system_free(s.system);
  }
  dls_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 3 || size > LONGEST) return 0;
  const char *scheme = dls_scheme_info_at(data[0] % dls_scheme_count())->name;
  if (data[0] < 128) {
    run_text((const char *)data + 3, size - 3, scheme, data[1], false);
  } else {
    char text[LONGEST];
    const size_t length = write_quiet(data + 2, size - 2, text, sizeof text);
    run_text(text, length, scheme, data[1], true);
  }
  return 0;
}
