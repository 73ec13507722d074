// Derivatives of a motion along a run: the linearized equations between events, eq (sen.1).
#include "step/sensitivity_internal.h"

#include "base/memory.h"
#include "base/message.h"
#include "step/integrator_internal.h"
#include "step/tolerances.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COARSE = 2, FINE = 4 };  // steps of order four within a piece; both give one of order five

// --- life ---

static dls_status find_names(dls_sensitivity *s, int count, const char *const *names,
                             int *parameter, dls_message *message)
{
  const dls_model *model = dls_system_model(s->system);
  for (int k = 0; k < count; k++) {
    const size_t length = strlen(names[k]);
    const bool velocity = length > 1 && names[k][length - 1] == '\'';
    bool found = false;
    for (int i = 0; i < dls_model_parameter_count(model) && !found; i++) {
      found = strcmp(dls_model_parameter_name(model, i), names[k]) == 0;
      if (!found) continue;
      parameter[s->parameters] = i;
      s->column[k] = s->parameters++;
    }
    for (int i = 0; i < s->n && !found; i++) {
      const char *name = s->system->coordinates[i];
      found = strlen(name) == length - velocity && strncmp(name, names[k], length - velocity) == 0;
      if (found) s->column[k] = -1 - i - (velocity ? s->n : 0);
    }
    if (!found)
      return dls_fail(message, DLS_ERR_ARGUMENT,
                      "`%s` is no parameter, coordinate or velocity of the model", names[k]);
    for (int j = 0; j < k; j++)
      if (strcmp(names[j], names[k]) == 0)
        return dls_fail(message, DLS_ERR_ARGUMENT, "`%s` is given twice", names[k]);
  }
  return DLS_OK;
}

static bool take_memory(dls_sensitivity *s)
{
  const ptrdiff_t all = s->all, columns = s->columns, n = s->n;
  const ptrdiff_t event = all + 2 * n + s->impulses;
  s->q = dls_alloc(2 * all, sizeof *s->q);
  s->dq = dls_alloc(2 * all * columns, sizeof *s->dq);
  s->mode = dls_alloc(s->m, 1);
  s->result = dls_alloc(2 * n * columns, sizeof *s->result);
  s->work = dls_alloc(12 * all + DLS_WAITING_EVENTS * event, sizeof *s->work);
  s->stage = dls_alloc(12 * all * columns, sizeof *s->stage);
  s->branch = dls_alloc(s->extended->equations.held.switches, sizeof *s->branch);
  if (!s->branch || !s->q || !s->dq || !s->mode || !s->result || !s->work || !s->stage)
    return false;
  s->v = s->q + all, s->dv = s->dq + all * columns;
  for (int k = 0; k < DLS_WAITING_EVENTS; k++) {
    double *x = s->work + 12 * all + k * event;
    s->event[k] = (dls_kept_event){
        .q = x, .before = x + all, .after = x + all + n, .impulse = x + all + 2 * n};
  }
  return true;
}

dls_status dls_sensitivity_create(const dls_system *system, int count, const char *const *names,
                                  dls_sensitivity **out, dls_message *message)
{
  *out = NULL;
  const dls_instance *instance = dls_instance_of(system);
  if (!instance || system->chart || system->find || count <= 0)
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "derivatives need a system that was made from a model, and names");
  for (int j = 0; j < system->m; j++)
    if (system->contacts[j].bounded)
      return dls_fail(
          message, DLS_ERR_ARGUMENT,
          "`%s` has friction with a given force: derivatives of such runs are not known",
          system->contacts[j].name);
  for (int j = 0; j < system->m; j++)
    if (system->contacts[j].has_static)
      return dls_fail(message, DLS_ERR_ARGUMENT,
                      "`%s` has static friction, whose end is a jump of the forces: derivatives of "
                      "such runs are not known",
                      system->contacts[j].name);
  if (system->poisson)
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "impacts are by Poisson's law: derivatives of such runs are not known");
  dls_sensitivity *s = dls_alloc(1, sizeof *s);
  int *parameter = dls_alloc(count, sizeof *parameter);
  if (s) {
    *s = (dls_sensitivity){.system = system,
                           .n = system->n,
                           .m = system->m,
                           .tangents = system->tangents,
                           .impulses = system->m + system->tangents,
                           .columns = count,
                           .column = dls_alloc(count, sizeof *s->column)};
  }
  dls_status status = s && parameter && s->column ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) status = find_names(s, count, names, parameter, message);
  if (status == DLS_OK)
    status = dls_extended_create(instance, s->parameters, parameter, &s->extended);
  if (status == DLS_OK) status = dls_variation_create(s->extended, count, &s->variation);
  if (status == DLS_OK) s->all = s->variation->all;
  if (status == DLS_OK && !take_memory(s)) status = DLS_ERR_MEMORY;
  for (int k = 0; k < (s ? s->parameters : 0) && status == DLS_OK; k++)
    s->q[s->n + k] = dls_system_parameter(system, parameter[k]);
  free(parameter);
  if (status == DLS_OK) *out = s;
  else dls_sensitivity_free(s);
  if (status != DLS_OK && status != DLS_ERR_ARGUMENT)
    return dls_fail(message, status, "derivatives by parameters: %s", dls_status_text(status));
  return status;
}

void dls_sensitivity_free(dls_sensitivity *s)
{
  if (!s) return;
  dls_variation_free(s->variation);
  dls_extended_free(s->extended);
  free(s->column);
  free(s->q);
  free(s->dq);
  free(s->mode);
  free(s->result);
  free(s->branch);
  free(s->work);
  free(s->stage);
  free(s);
}

// --- what is not there ---

void dls_sensitivity_lose(dls_sensitivity *s, double t, const char *why, int contact)
{
  if (!s->exists) return;
  s->exists = false;
  s->t_lost = t;
  snprintf(s->why, sizeof s->why, why, contact >= 0 ? s->system->contacts[contact].name : "");
}

dls_sensitivity_result dls_sensitivity_of(const dls_sensitivity *s)
{
  const double t = s->exists ? s->q[s->all - 1] : s->t_lost;
  return (dls_sensitivity_result){s->n, s->columns, s->exists ? s->result : NULL, t,
                                  s->exists ? NULL : s->why};
}

static void note_result(const dls_sensitivity *s)
{
  for (ptrdiff_t c = 0; c < s->columns; c++) {
    dls_copy(s->result + 2 * c * s->n, s->dq + c * s->all, s->n);
    dls_copy(s->result + (2 * c + 1) * s->n, s->dv + c * s->all, s->n);
  }
}

// --- modes ---

static void set_modes(dls_sensitivity *s, const unsigned char *status)
{
  for (int j = 0; j < s->m; j++)
    s->mode[j] = status[j] == DLS_SLIDING || status[j] == DLS_STICKING ? status[j] : DLS_OPEN;
}

dls_status dls_sensitivity_prepare(dls_sensitivity *s, const double *q, const double *v)
{
  dls_variation *w = s->variation;
  dls_copy(w->mode, s->mode, s->m);
  dls_status status = dls_extended_hold(s->extended, q, v);
  if (status == DLS_OK) status = dls_extended_evaluate(s->extended, q, v, w->values);
  for (int j = 0; j < s->m && status == DLS_OK; j++) {
    const double size = dls_variation_slip(w, j);
    for (int c = w->first[j]; c < w->first[j + 1]; c++)
      w->xi[c] = size > 0 ? w->values->slip[c] / size : 0;
  }
  return status;
}

// --- between events ---

// A piece: ends with velocities and accelerations; the quintic through them.
typedef struct piece {
  double t, h;
  const double *q[2], *v[2], *a[2];
} piece;

static void inside(const dls_sensitivity *s, const piece *p, double u, double *q, double *v)
{
  const double h = p->h;
  for (int i = 0; i < s->n; i++) {
    const double q0 = p->q[0][i], v0 = h * p->v[0][i], a0 = h * h * p->a[0][i] / 2;
    const double r = p->q[1][i] - q0 - v0 - a0, rv = h * p->v[1][i] - v0 - 2 * a0;
    const double ra = h * h * p->a[1][i] / 2 - a0;
    const double c3 = 10 * r - 4 * rv + ra, c4 = -15 * r + 7 * rv - 2 * ra;
    const double c5 = 6 * r - 3 * rv + ra;
    q[i] = q0 + u * (v0 + u * (a0 + u * (c3 + u * (c4 + u * c5))));
    v[i] = (v0 + u * (2 * a0 + u * (3 * c3 + u * (4 * c4 + u * 5 * c5)))) / h;
  }
  q[s->all - 1] = p->t + u * h;
}

// Slopes of (dq, dv) at the part u of the piece: kq, kv.
static dls_status slopes(dls_sensitivity *s, const piece *p, double u, const double *dq,
                         const double *dv, double *kq, double *kv)
{
  double *q = s->work, *v = q + s->all;
  const ptrdiff_t all = s->all;
  dls_copy(q, s->q, all);
  dls_copy(v, s->v, all);
  inside(s, p, u, q, v);
  dls_status status = dls_variation_forces(s->variation, q, v);
  if (status == DLS_OK) status = dls_variation_change(s->variation, q, v, dq, dv, s->stage);
  dls_clear(kq, all * s->columns);
  dls_clear(kv, all * s->columns);
  for (ptrdiff_t c = 0; c < s->columns && status == DLS_OK; c++) {
    dls_copy(kq + c * all, dv + c * all, s->n);
    dls_copy(kv + c * all, s->stage + c * s->n, s->n);
  }
  return status;
}

static dls_status one_step(dls_sensitivity *s, const piece *p, double u, double part, double *dq,
                           double *dv)
{
  static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  const ptrdiff_t size = (ptrdiff_t)s->all * s->columns;
  double *x = s->stage + size, *y = x + size, *kq = y + size, *kv = kq + size;
  double *sum_q = kv + size, *sum_v = sum_q + size;
  const double h = part * p->h;
  dls_status status = DLS_OK;
  dls_clear(sum_q, 2 * size);
  for (int k = 0; k < 4 && status == DLS_OK; k++) {
    for (ptrdiff_t i = 0; i < size; i++) {
      x[i] = dq[i] + (k ? node[k] * h * kq[i] : 0);
      y[i] = dv[i] + (k ? node[k] * h * kv[i] : 0);
    }
    status = slopes(s, p, u + node[k] * part, x, y, kq, kv);
    for (ptrdiff_t i = 0; i < size; i++) {
      sum_q[i] += weight[k] * kq[i];
      sum_v[i] += weight[k] * kv[i];
    }
  }
  for (ptrdiff_t i = 0; i < size; i++) dq[i] += h * sum_q[i], dv[i] += h * sum_v[i];
  return status;
}

static dls_status through(dls_sensitivity *s, const piece *p)
{
  const ptrdiff_t size = (ptrdiff_t)s->all * s->columns;
  double *q[2] = {s->stage + 7 * size, s->stage + 9 * size};
  const int count[2] = {COARSE, FINE};
  dls_status status = DLS_OK;
  for (int k = 0; k < 2; k++) {
    dls_copy(q[k], s->dq, 2 * size);
    for (int i = 0; i < count[k] && status == DLS_OK; i++)
      status = one_step(s, p, (double)i / count[k], 1. / count[k], q[k], q[k] + size);
  }
  for (ptrdiff_t i = 0; i < 2 * size; i++) s->dq[i] = q[1][i] + (q[1][i] - q[0][i]) / 15;
  return status;
}

// To (t, q, v) while modes stay.
static dls_status follow(dls_sensitivity *s, double t, const double *q, const double *v)
{
  const ptrdiff_t all = s->all;
  double *q1 = s->work + 2 * all, *v1 = q1 + all, *a0 = v1 + all, *a1 = a0 + all;
  double *qm = a1 + all, *vm = qm + all;
  piece p = {.t = s->q[all - 1], .h = t - s->q[all - 1], .q = {s->q, q1}, .v = {s->v, v1}};
  if (!(p.h > 0) || !s->exists) return DLS_OK;
  dls_copy(q1, s->q, all);
  dls_copy(v1, s->v, all);
  dls_copy(q1, q, s->n);
  dls_copy(v1, v, s->n);
  q1[all - 1] = t;
  // without accelerations a cubic, which tells directions
  dls_copy(qm, s->q, all);
  dls_copy(vm, s->v, all);
  for (int i = 0; i < s->n; i++) {
    qm[i] = (s->q[i] + q1[i]) / 2 + p.h * (s->v[i] - v1[i]) / 8;
    vm[i] = 1.5 * (q1[i] - s->q[i]) / p.h - (s->v[i] + v1[i]) / 4;
  }
  qm[all - 1] = p.t + p.h / 2;
  dls_status status = dls_sensitivity_prepare(s, qm, vm);
  if (status == DLS_OK) status = dls_variation_forces(s->variation, s->q, s->v);
  dls_copy(a0, s->variation->a, all);
  if (status == DLS_OK) status = dls_variation_forces(s->variation, q1, v1);
  dls_copy(a1, s->variation->a, all);
  p.a[0] = a0, p.a[1] = a1;
  for (int i = 0; i < s->n; i++) s->scale = fmax(s->scale, fmax(fabs(a0[i]), fabs(a1[i])));
  if (status == DLS_OK) status = through(s, &p);
  dls_copy(s->q, q1, all);
  dls_copy(s->v, v1, all);
  return status;
}

// --- along a run ---

// sum of A_e x_i over a column, unless rounding is all that is left of it.
static double seen(const dls_pattern *p, const double *A, int column, const double *x, double *size)
{
  double sum = 0;
  for (int e = p->p[column]; e < p->p[column + 1]; e++) {
    sum += A[e] * x[p->i[e]];
    *size += fabs(A[e] * x[p->i[e]]);
  }
  return sum;
}

// The start must stay on the contacts that are closed, by its place and its velocity.
static dls_status check_start(dls_sensitivity *s, double t)
{
  const dls_variation *w = s->variation;
  const dls_system *x = &s->extended->system;
  dls_clear(w->a, s->all);
  dls_clear(w->lambda, s->m);
  dls_clear(w->tau, s->tangents);
  dls_status status = dls_sensitivity_prepare(s, s->q, s->v);
  if (status == DLS_OK)
    status = dls_extended_differentiate(s->extended, s->q, s->v, w->a, w->lambda, w->tau,
                                        w->derivatives);
  for (int j = 0; j < s->m && status == DLS_OK; j++) {
    for (ptrdiff_t c = 0; c < s->columns && dls_sensitivity_closed(s, j); c++) {
      const double *dq = s->dq + c * s->all, *dv = s->dv + c * s->all;
      double gap_size = 0, rate_size = 0;
      const double gap = seen(&x->normal, w->values->G, j, dq, &gap_size);
      const double rate = seen(&x->normal, w->values->G, j, dv, &rate_size) +
                          seen(&x->derivative->D_q, w->derivatives->D_q, j, dq, &rate_size);
      const bool moves = !s->system->contacts[j].rolling && fabs(gap) > start_held * gap_size;
      if (moves || fabs(rate) > start_held * rate_size)
        dls_sensitivity_lose(s, t, "the start moves off the closed contact `%s`", j);
    }
  }
  return status;
}

dls_status dls_sensitivity_begin(dls_sensitivity *s, const dls_integrator *integrator,
                                 const double *change)
{
  const dls_sample x = dls_integrator_sample(integrator);
  const ptrdiff_t all = s->all;
  dls_copy(s->q, x.q, s->n);
  dls_copy(s->v, x.v, s->n);
  s->q[all - 1] = x.t;
  s->v[all - 1] = 1;
  s->variation->rest = integrator->options.rest;
  s->exists = true, s->waiting = 0, s->overflow = false;
  set_modes(s, x.status);
  dls_clear(s->dq, 2 * all * s->columns);
  for (ptrdiff_t c = 0; c < s->columns; c++) {
    double *dq = s->dq + c * all, *dv = s->dv + c * all;
    if (change) {
      dls_copy(dq, change + 2 * c * s->n, s->n);
      dls_copy(dv, change + (2 * c + 1) * s->n, s->n);
    }
    const int k = s->column[c];
    if (k >= 0) dq[s->n + k] = 1;
    else if (!change && -1 - k < s->n) dq[-1 - k] = 1;
    else if (!change) dv[-1 - k - s->n] = 1;
  }
  const dls_status status = check_start(s, x.t);
  note_result(s);
  return status;
}

void dls_sensitivity_event(dls_sensitivity *s, const dls_event *event)
{
  if (s->waiting == DLS_WAITING_EVENTS) {
    s->overflow = true;
    return;
  }
  dls_kept_event *x = &s->event[s->waiting++];
  x->kind = event->kind, x->contact = event->contact, x->t = event->t;
  dls_copy(x->q, event->q, s->n);
  dls_copy(x->before, event->v_before, s->n);
  dls_copy(x->after, event->v_after, s->n);
  dls_copy(x->impulse, event->impulse, s->impulses);
}

dls_status dls_sensitivity_step(dls_sensitivity *s, const dls_integrator *integrator)
{
  const dls_sample x = dls_integrator_sample(integrator);
  double *dt = s->work + 11 * (ptrdiff_t)s->all;  // columns may be more than coordinates
  double *own = s->columns > s->all ? dls_alloc(s->columns, sizeof *own) : NULL;
  if (s->columns > s->all && !own) return DLS_ERR_MEMORY;
  if (own) dt = own;
  dls_status status = DLS_OK;
  if (s->overflow) dls_sensitivity_lose(s, x.t, "more events in one step than are followed%s", -1);
  for (int k = 0; k < s->waiting && status == DLS_OK && s->exists; k++) {
    const dls_kept_event *e = &s->event[k];
    status = follow(s, e->t, e->q, e->before);
    if (status == DLS_OK && s->exists) {
      dls_copy(s->q, e->q, s->n);
      dls_copy(s->v, e->before, s->n);
      status = dls_sensitivity_pass(s, e, dt);
    }
  }
  s->waiting = 0, s->overflow = false;
  if (status == DLS_OK && s->exists) status = follow(s, x.t, x.q, x.v);
  if (s->exists) set_modes(s, x.status);
  if (status == DLS_OK) note_result(s);
  if (status == DLS_ERR_SOLVER || status == DLS_ERR_NUMBER) {
    dls_sensitivity_lose(s, x.t, "accelerations are not determined%s", -1);
    status = DLS_OK;
  }
  free(own);
  return status;
}
