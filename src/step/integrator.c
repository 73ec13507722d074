#include "step/integrator_internal.h"

#include "base/memory.h"
#include "base/message.h"
#include "contact/chart.h"
#include "contact/classify.h"
#include "contact/tolerances.h"
#include "contact/values.h"
#include "step/contact_set.h"
#include "step/instability.h"
#include "step/jamming.h"
#include "step/spare.h"
#include "step/telling.h"
#include "step/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MAX_COUNT = 1e15;  // steps that a double counts exactly

const char *dls_event_name(dls_event_kind kind)
{
#define TEXT(code, name) name,
  static const char *const names[] = {DLS_EVENT_LIST(TEXT)};
#undef TEXT
  return names[kind];
}

const char *dls_failure_text(dls_failure failure)
{
#define TEXT(code, text) text,
  static const char *const texts[] = {DLS_FAILURE_LIST(TEXT)};
#undef TEXT
  return texts[failure];
}

dls_integrator_options dls_integrator_defaults(void)
{
  return (dls_integrator_options){.scheme = "moreau",
                                  .theta = 0.5,
                                  .gamma = 0.5,
                                  .facets = 8,
                                  .stabilize = default_stabilize,
                                  .tolerance = default_tolerance,
                                  .closed = default_closed,
                                  .rest = default_rest,
                                  .critical = default_critical};
}

static dls_status check_options(const dls_integrator_options *o, dls_message *message)
{
  if (!(o->step > 0) || !isfinite(o->step))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the step is %g; it must be a positive number",
                    o->step);
  const struct {
    const char *name;
    double value, low, high;
  } ranges[] = {{"theta", o->theta, 0, 1},
                {"gamma", o->gamma, 0, 1},
                {"relative tolerance", o->rtol, 0, 1},
                {"absolute tolerance", o->atol, 0, HUGE_VAL},
                {"absolute tolerance of velocities", o->atol_velocity, 0, HUGE_VAL},
                {"longest step", o->max_step, 0, HUGE_VAL},
                {"stabilization of the pyramid", o->stabilize, 0, 1},
                {"tolerance of contact problems", o->tolerance, 0, 1},
                {"tolerance of what is closed", o->closed, 0, HUGE_VAL},
                {"tolerance of what is at rest", o->rest, 0, HUGE_VAL},
                {"constant of the critical interval", o->critical, 0, HUGE_VAL}};
  for (ptrdiff_t k = 0; k < dls_count_of(ranges); k++)
    if (!(ranges[k].value >= ranges[k].low && ranges[k].value <= ranges[k].high) ||
        !isfinite(ranges[k].value))
      return dls_fail(message, DLS_ERR_ARGUMENT, "the %s is %g; it must be between %g and %g",
                      ranges[k].name, ranges[k].value, ranges[k].low, ranges[k].high);
  if (o->on_loss != DLS_ON_LOSS_STOP && o->on_loss != DLS_ON_LOSS_CONTINUE)
    return dls_fail(message, DLS_ERR_ARGUMENT, "on_loss is %d; it must be stop or continue",
                    (int)o->on_loss);
  if (o->facets < 3)
    return dls_fail(message, DLS_ERR_ARGUMENT, "a pyramid of %d facets; it has 3 at least",
                    o->facets);
  return DLS_OK;
}

// What the contacts do at the start; it must be one.
static dls_status sort_start(const dls_integrator *g, const dls_values *bound, dls_message *message)
{
  const dls_contact_options zero = {.tolerance = g->options.closed, .rest = g->options.rest};
  dls_status status = DLS_OK;
  for (int j = 0; j < g->system->m && status == DLS_OK; j++) {
    dls_contact_status found;
    status = dls_contact_classify(&g->system->contacts[j], g->point.values, bound, j,
                                  g->point.first[j], &zero, &found, message);
    g->status[j] = (unsigned char)found;
  }
  return status;
}

// Constraints in a direction in which nothing can move at the start, as those of plane loops across
// their plane: as long as their gradients stay small they are rounding and nothing else.
static dls_status find_noise(dls_integrator *g, const dls_values *bound)
{
  enum { STAYS = 1024 };
  const dls_system *s = g->system;
  bool any = false;
  free(g->noise);
  g->noise = dls_alloc((ptrdiff_t)s->m + 1, sizeof *g->noise);
  if (!g->noise) return DLS_ERR_MEMORY;
  for (int j = 0; j < s->m && s->contacts[j].kind == DLS_BILATERAL; j++) {
    double most = 0;
    bool noise = true;
    for (int e = s->normal.p[j]; e < s->normal.p[j + 1]; e++) {
      noise &= fabs(g->point.values->G[e]) <= noise_factor * bound->G[e];
      most = fmax(most, bound->G[e]);
    }
    if (noise) g->noise[j] = STAYS * noise_factor * most;
    any |= g->noise[j] > 0;
  }
  if (!any) free(g->noise), g->noise = NULL;
  g->point.noise = g->noise;
  if (any)
    return dls_snapshot_evaluate(&g->point, g->t, g->q, g->v, NULL) ? DLS_OK : DLS_ERR_NUMBER;
  return DLS_OK;
}

static dls_status check_start(dls_integrator *g, dls_message *message)
{
  const dls_system *s = g->system;
  const dls_state start = {.t = g->t, .q = g->q, .v = g->v};
  dls_values *bound;
  dls_status status = dls_energy_check(s, &start, message);
  if (status != DLS_OK) return status;
  status = dls_values_create(s, &bound);
  if (status == DLS_OK)
    status = s->evaluate(s->self, g->t, g->q, g->v, g->point.values, bound, message);
  if (status == DLS_OK) status = sort_start(g, bound, message);
  if (status == DLS_OK) status = find_noise(g, bound);
  dls_values_free(bound);
  return status;
}

// All that was made for the contacts at hand.
static void clear(dls_integrator *g)
{
  if (g->scheme && g->scheme->destroy) g->scheme->destroy(g);
  dls_moreau_free(g->moreau);
  dls_projector_free(&g->projector);
  dls_snapshot_free(&g->point);
  dls_arena_free(g->arena);
  g->self = NULL, g->arena = NULL, g->moreau = NULL, g->spare = NULL, g->jamming = NULL;
  g->instability = NULL;
  g->telling = NULL;
  g->point = (dls_snapshot){0};
  g->scheme_state_size = g->blocks = 0, g->scheme_state = NULL;
}

void dls_integrator_free(dls_integrator *g)
{
  if (!g) return;
  clear(g);
  if (g->system->pass_degenerate) g->system->pass_degenerate(g->system->self, false);
  dls_contact_set_free(g->set);
  free(g->noise);
  free(g);
}

void dls_remember(dls_integrator *g, dls_memory_kind kind, int width)
{
  const dls_system *s = g->system;
  const int count = kind == DLS_MEMORY_WHOLE     ? 1
                    : kind == DLS_MEMORY_CONTACT ? s->m
                    : kind == DLS_MEMORY_SLIP    ? s->tangents
                                                 : g->moreau->contacts->count;
  g->block[g->blocks++] = (dls_scheme_state_block){kind, g->scheme_state_size, width};
  g->scheme_state_size += count * width;
}

static dls_status take_memory(dls_integrator *g)
{
  const ptrdiff_t n = g->system->n, m = g->system->m;
  g->m = g->system->m;
  g->impulses = g->system->m + g->system->tangents;
  const ptrdiff_t impulses = g->impulses;
  g->arena = dls_arena_create();
  if (!g->arena) return DLS_ERR_MEMORY;
  const ptrdiff_t more = g->system->chart ? 2 * (ptrdiff_t)g->system->chart->nq + 4 * n : 0;
  double *memory = dls_arena_alloc(g->arena, 4 * n + 3 * impulses + more + 1, sizeof(double));
  g->status = dls_arena_alloc(g->arena, m + 1, 1);
  g->id = g->set ? dls_arena_alloc(g->arena, m + 1, sizeof *g->id) : NULL;
  if (!memory || !g->status || (g->set && !g->id)) return DLS_ERR_MEMORY;
  for (int j = 0; g->set && j < m; j++)
    g->id[j] = g->system->contacts[j].kind == DLS_UNILATERAL ? g->system->contacts[j].id : 0;
  g->q = memory, g->v = g->q + n, g->q1 = g->v + n, g->v1 = g->q1 + n;
  g->impulse = g->v1 + n, g->total = g->impulse + impulses, g->impulse1 = g->total + impulses;
  g->configuration = g->q, g->velocity = g->v, g->told = NULL;
  if (!g->system->chart) return DLS_OK;
  g->configuration = g->impulse1 + impulses, g->velocity = g->configuration + g->system->chart->nq;
  g->told = g->velocity + n;
  return DLS_OK;
}

dls_status dls_integrator_say_limit(const dls_integrator *g, dls_message *message)
{
  return dls_fail(message, DLS_ERR_LIMIT,
                  "%d coordinates and %d contacts: the matrices of a step are too large",
                  g->system->n, g->system->m);
}

void dls_integrator_note_gaps(dls_integrator *g)
{
  dls_step_counts *counts = &g->point.counts;
  for (int j = 0; j < g->system->m; j++) {
    const double h = g->point.values->h[j], h_dot = fabs(g->point.values->h_dot[j]);
    if (g->system->contacts[j].kind == DLS_UNILATERAL) {
      counts->max_penetration = fmax(counts->max_penetration, -h);
    } else {
      counts->max_bilateral_gap = fmax(counts->max_bilateral_gap, fabs(h));
      counts->max_bilateral_velocity = fmax(counts->max_bilateral_velocity, h_dot);
    }
  }
}

// The state in local coordinates around its own configuration.
static dls_status enter(dls_integrator *g, const dls_state *state, dls_message *message)
{
  if (g->system->chart) {
    dls_move(g->configuration, state->q, g->system->chart->nq);
    dls_move(g->velocity, state->v, g->system->n);
  }
  return dls_chart_begin(g->system, state, g->q, g->v, message);
}

// Everything for the contacts that the system has now, at the start; or, where they have changed
// on the way, with what was kept of those that were there before.
static dls_status set_up(dls_integrator *g, const dls_state *start, const dls_kept *kept,
                         dls_message *message)
{
  dls_status status = take_memory(g);
  if (status == DLS_OK) status = dls_telling_create(g);
  if (status == DLS_OK) status = dls_snapshot_create(g->system, &g->point);
  g->point.may_stop = g->options.watch != NULL, g->point.noise = g->noise;
  if (status == DLS_OK && kept) dls_contact_set_mark(g);
  if (status == DLS_OK) status = enter(g, start, message);
  if (status != DLS_OK) return status;
  g->t = start->t;
  if (!dls_snapshot_evaluate(&g->point, g->t, g->q, g->v, message)) return DLS_ERR_NUMBER;
  if (kept) dls_contact_set_restore_status(g, kept);
  else status = check_start(g, message);
  const bool parts = g->scheme == &dls_scheme_parts;
  if (status == DLS_OK && !parts)
    status = dls_moreau_create(&g->point, &g->options, &g->moreau, message);
  if (g->moreau) g->moreau->status = g->status;
  if (status == DLS_ERR_LIMIT && !(message && message->text[0]))
    dls_integrator_say_limit(g, message);
  if (status == DLS_OK && g->scheme->create) status = g->scheme->create(g, message);
  if (status == DLS_OK && !dls_snapshot_evaluate(&g->point, g->t, g->q, g->v, message))
    status = DLS_ERR_NUMBER;
  if (status == DLS_OK && !parts) status = dls_jamming_create(g);
  if (status == DLS_OK && !parts) status = dls_instability_create(g);
  if (status == DLS_OK && !parts) status = dls_spare_create(g, message);
  if (status == DLS_OK && kept) dls_contact_set_restore(g, kept);
  if (status == DLS_OK) dls_integrator_note_gaps(g);
  g->begun.scheme_state =
      dls_arena_alloc(g->arena, (ptrdiff_t)g->scheme_state_size + 1, sizeof(double));
  if (status == DLS_OK && !g->begun.scheme_state) status = DLS_ERR_MEMORY;
  return status;
}

// At another state than that which was kept.
static dls_status renew_at(dls_integrator *g, const dls_state *at, dls_message *message)
{
  clear(g);
  return set_up(g, at, dls_contact_set_kept(g), message);
}

dls_status dls_integrator_renew(dls_integrator *g, dls_message *message)
{
  const dls_kept *kept = dls_contact_set_kept(g);
  return renew_at(g, &(dls_state){.t = kept->t, .q = kept->q, .v = kept->v}, message);
}

// The first set of contacts.
static dls_status find_first(dls_integrator *g, const dls_state *start, dls_message *message)
{
  const ptrdiff_t n = g->system->n;
  double *x = dls_alloc(2 * n, sizeof *x);
  if (!x) return DLS_ERR_MEMORY;
  dls_status status = dls_chart_begin(g->system, start, x, x + n, message);
  const dls_state at = {.t = start->t, .q = x, .v = x + n};
  if (status == DLS_OK) status = dls_system_select_near(g->system, &at, g->options.closed, message);
  free(x);
  return status;
}

static dls_status create_with(const dls_scheme *scheme, const dls_system *system,
                              const dls_state *start, const dls_integrator_options *options,
                              dls_integrator **out, dls_message *message)
{
  dls_integrator *g = dls_alloc(1, sizeof *g);
  if (!g) return DLS_ERR_MEMORY;
  g->system = system, g->options = *options, g->scheme = scheme;
  if (g->options.atol_velocity == 0) g->options.atol_velocity = g->options.atol;
  g->grid = start->t;
  g->step = g->options.step;
  dls_status status = system->find ? dls_contact_set_create(g) : DLS_OK;
  if (system->pass_degenerate) system->pass_degenerate(system->self, true);
  if (status == DLS_OK && system->find) status = find_first(g, start, message);
  if (status == DLS_OK) status = set_up(g, start, NULL, message);
  if (status == DLS_OK) *out = g;
  else dls_integrator_free(g);
  return status;
}

dls_status dls_integrator_create(const dls_system *system, const dls_state *start,
                                 const dls_integrator_options *options, dls_integrator **out,
                                 dls_message *message)
{
  *out = NULL;
  if (message) message->text[0] = '\0';
  const dls_scheme *scheme = NULL;
  for (int k = 0; dls_scheme_at(k); k++)
    if (options->scheme && strcmp(dls_scheme_at(k)->info.name, options->scheme) == 0)
      scheme = dls_scheme_at(k);
  if (!scheme)
    return dls_fail(message, DLS_ERR_ARGUMENT, "there is no scheme `%s`",
                    options->scheme ? options->scheme : "");
  dls_status status = check_options(options, message);
  if (status == DLS_OK) status = dls_system_validate(system, message);
  if (status == DLS_OK) status = dls_state_check(system, start, message);
  if (status != DLS_OK) return status;
  if (scheme->info.events && system->parts > 1) {
    status = create_with(&dls_scheme_parts, system, start, options, out, message);
    if (status != DLS_ERR_MODEL) return status;
    if (message) message->text[0] = '\0';  // they cannot be told apart
  }
  return create_with(scheme, system, start, options, out, message);
}

dls_sample dls_integrator_sample(const dls_integrator *g)
{
  return (dls_sample){.t = g->t,
                      .next_step = g->step,
                      .nq = dls_system_nq(g->system),
                      .n = g->system->n,
                      .m = g->m,
                      .q = g->configuration,
                      .v = g->velocity,
                      .impulses = g->impulses,
                      .impulse = g->total,
                      .status = g->status,
                      .scheme_state_size = g->scheme_state_size,
                      .scheme_state = g->scheme_state,
                      .first = g->point.first,
                      .id = g->id};
}

dls_status dls_integrator_energy(const dls_integrator *g, double *kinetic, double *potential,
                                 dls_message *message)
{
  const dls_system *s = g->system;
  if (!s->energy) return dls_fail(message, DLS_ERR_ARGUMENT, "the system has no energy");
  const dls_status status = s->energy(s->self, g->t, g->q, g->v, kinetic, potential, message);
  return status == DLS_OK && !isfinite(*kinetic + *potential) ? DLS_ERR_NUMBER : status;
}

static bool all_finite(int count, const double *x)
{
  for (int i = 0; i < count; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

// What can be wrong about a sample before its contacts are taken up.
static dls_status check_sample(const dls_integrator *g, const dls_sample *x, dls_message *message)
{
  const int nq = dls_system_nq(g->system);
  if (x->nq != nq || x->n != g->system->n)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the sample belongs to another system");
  if (g->set && !x->id)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the sample does not say which contacts it has");
  if (!all_finite(1, &x->t) || !all_finite(nq, x->q) || !all_finite(x->n, x->v))
    return dls_fail(message, DLS_ERR_NUMBER, "the sample has a number that is not finite");
  if (!(x->next_step > 0) || !isfinite(x->next_step))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the next step is %g; it must be positive",
                    x->next_step);
  return DLS_OK;
}

// The contacts of the sample in the place of those that there are.
static dls_status take_contacts(dls_integrator *g, const dls_sample *x, dls_message *message)
{
  bool changed = false;
  if (!g->set) return DLS_OK;
  if (g->system->pass_degenerate) g->system->pass_degenerate(g->system->self, true);
  dls_status status = dls_contact_set_take(g, x->m, x->id, &changed, message);
  if (status != DLS_OK || !changed) return status;
  const int nq = dls_system_nq(g->system), n = g->system->n;
  double *own = dls_alloc((ptrdiff_t)nq + n + 1, sizeof *own);
  if (!own) return DLS_ERR_MEMORY;
  dls_copy(own, x->q, nq);
  dls_copy(own + nq, x->v, n);
  status = renew_at(g, &(dls_state){.t = x->t, .q = own, .v = own + nq}, message);
  free(own);
  return status;
}

dls_status dls_integrator_restart(dls_integrator *g, const dls_sample *x, dls_message *message)
{
  dls_status status = check_sample(g, x, message);
  if (status == DLS_OK) status = take_contacts(g, x, message);
  if (status != DLS_OK) return status;
  const ptrdiff_t n = g->system->n, m = g->system->m;
  const int nq = dls_system_nq(g->system);
  if (x->m != m || x->impulses != g->impulses || x->scheme_state_size != g->scheme_state_size)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the sample belongs to another system or scheme");
  const bool same = x->t == g->t &&
                    memcmp(x->q, g->configuration, dls_bytes(nq, sizeof(double))) == 0 &&
                    memcmp(x->v, g->velocity, dls_bytes(n, sizeof(double))) == 0;
  dls_state state = {.t = x->t, .q = g->configuration, .v = g->velocity};
  g->t = x->t, g->step = x->next_step;
  g->point.trouble = DLS_OK;
  dls_move(state.q, x->q, nq);
  dls_move(state.v, x->v, n);
  const dls_status entered = dls_chart_begin(g->system, &state, g->q, g->v, message);
  if (entered != DLS_OK) return entered;
  dls_move(g->impulse, x->impulse, g->impulses);
  dls_move(g->status, x->status, m);
  if (g->scheme_state_size > 0) dls_move(g->scheme_state, x->scheme_state, g->scheme_state_size);
  dls_jamming_restart(g);
  dls_clear(g->total, g->impulses);
  const double steps = (g->t - g->grid) / g->options.step;
  g->count = fabs(steps) < MAX_COUNT ? lround(steps) : 0;
  if (g->grid + (double)g->count * g->options.step != g->t) g->grid = g->t, g->count = 0;
  if (!same && !dls_snapshot_evaluate(&g->point, g->t, g->q, g->v, message)) return DLS_ERR_NUMBER;
  return DLS_OK;
}

dls_uniqueness_loss dls_integrator_uniqueness(const dls_integrator *g)
{
  return g->loss;
}

dls_step_counts dls_integrator_counts(const dls_integrator *g)
{
  return g->point.counts;
}

const dls_incremental *dls_integrator_problem(const dls_integrator *g, const int **contact)
{
  if (g->scheme == &dls_scheme_parts) return dls_parts_problem(g, contact);
  if (contact) *contact = g->moreau->contacts->room.contact;
  return g->failed;
}
