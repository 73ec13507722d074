// A reference motion at any time: from formulas, or between the points of a run.
//
// The points of a run are joined within the smooth piece that its events leave: by the polynomial
// through the nearest six of them, or where a piece has few by the cubic that meets coordinates and
// velocities at both ends. With an eighth of the smallest step to be measured, that is exact enough
// for orders up to six.
#include "accuracy/reference.h"

#include "accuracy/tolerances.h"
#include "base/memory.h"
#include "base/message.h"
#include "contact/values.h"

#include <delassus/model.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 6, FEW = 4 };
static const double apart = 0.2;  // steps between nodes: nearer ones amplify rounding

void dls_reference_free(dls_reference *r)
{
  if (!r) return;
  dls_series_free(&r->run);
  free(r->known);
  free(r->t);
  free(r->q);
  free(r->before);
  free(r->after);
  free(r);
}

ptrdiff_t dls_reference_jumps(const dls_reference *r, const double **t)
{
  *t = r->t;
  return r->jumps;
}

dls_status dls_reference_add_jump(dls_reference *r, double t, const double *q, const double *before,
                                  const double *after)
{
  const ptrdiff_t n = r->n, count = r->jumps + 1;
  if (dls_grow((void **)&r->t, &r->capacity[0], count, sizeof(double)) ||
      dls_grow((void **)&r->q, &r->capacity[1], count * n, sizeof(double)) ||
      dls_grow((void **)&r->before, &r->capacity[2], count * n, sizeof(double)) ||
      dls_grow((void **)&r->after, &r->capacity[3], count * n, sizeof(double)))
    return DLS_ERR_MEMORY;
  r->t[r->jumps] = t;
  dls_copy(r->q + r->jumps * n, q, n);
  dls_copy(r->before + r->jumps * n, before, n);
  dls_copy(r->after + r->jumps * n, after, n);
  r->jumps++;
  return DLS_OK;
}

static dls_reference *begin(const dls_system *system, double from, double until)
{
  dls_reference *r = dls_alloc(1, sizeof *r);
  if (!r) return NULL;
  r->n = system->n, r->from = from, r->until = until;
  r->known = dls_alloc((ptrdiff_t)system->n + 1, 1);
  if (r->known) return r;
  dls_reference_free(r);
  return NULL;
}

static dls_status check_end(const dls_system *system, const dls_state *start, double until,
                            dls_message *message)
{
  const dls_status status = dls_state_check(system, start, message);
  if (status != DLS_OK) return status;
  if (until > start->t && isfinite(until)) return DLS_OK;
  return dls_fail(message, DLS_ERR_ARGUMENT, "the end, t = %g, is not after the start, t = %g",
                  until, start->t);
}

// ---- formulas ----------------------------------------------------------------------------------

bool dls_reference_given(const dls_system *system, double t)
{
  const ptrdiff_t n = system->n;
  double *x = dls_alloc(2 * n + 1, sizeof *x);
  unsigned char *known = dls_alloc(n + 1, 1);
  bool given = false;
  if (x && known) {
    const dls_status status = dls_model_exact(system, t, x, x + n, known);
    given = status == DLS_ERR_NUMBER;
    for (ptrdiff_t i = 0; i < n && status == DLS_OK; i++) given = given || known[i];
  }
  free(x);
  free(known);
  return given;
}

// The formulas are those of a start: it must be this one.
static dls_status check_formulas(dls_reference *r, const dls_state *start, double *q, double *v,
                                 dls_message *message)
{
  const dls_status status = dls_model_exact(r->system, start->t, q, v, r->known);
  int given = 0;
  if (status == DLS_ERR_NUMBER)
    return dls_fail(message, status, "the exact solution is not finite at t = %g", start->t);
  if (status == DLS_ERR_ARGUMENT)
    return dls_fail(message, status, "the system was not made from a model");
  if (status != DLS_OK) return status;
  for (int i = 0; i < r->n; i++) {
    given |= r->known[i];
    const struct {
      int bit;
      double exact, here;
      const char *mark;
    } both[2] = {{1, q[i], start->q[i], ""}, {2, v[i], start->v[i], "'"}};
    for (int k = 0; k < 2; k++)
      if (r->known[i] & both[k].bit &&
          !(fabs(both[k].exact - both[k].here) <= same_start * (1 + fabs(both[k].here))))
        return dls_fail(message, DLS_ERR_STATE,
                        "the exact solution begins elsewhere: at t = %g it has %s%s = %.9g, and "
                        "the start %.9g",
                        start->t, r->system->coordinates[i], both[k].mark, both[k].exact,
                        both[k].here);
  }
  return given ? DLS_OK : dls_fail(message, DLS_ERR_ARGUMENT, "the model has no exact solution");
}

dls_status dls_reference_exact(const dls_system *system, const dls_state *start, double until,
                               double step, dls_reference **out, dls_message *message)
{
  *out = NULL;
  if (message) message->text[0] = '\0';
  dls_status status = check_end(system, start, until, message);
  if (status != DLS_OK) return status;
  if (!(step > 0)) return dls_fail(message, DLS_ERR_ARGUMENT, "the step is %g", step);
  dls_reference *r = begin(system, start->t, until);
  double *x = dls_alloc(2 * (ptrdiff_t)system->n + 1, sizeof *x);
  status = r && x ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    r->system = system;
    status = check_formulas(r, start, x, x + system->n, message);
  }
  if (status == DLS_OK) status = dls_reference_search(r, step, message);
  free(x);
  if (status == DLS_OK) *out = r;
  else dls_reference_free(r);
  return status;
}

// ---- a run -------------------------------------------------------------------------------------

static dls_status take_events(dls_reference *r)
{
  const dls_series *s = &r->run;
  const ptrdiff_t n = r->n;
  dls_status status = DLS_OK;
  for (ptrdiff_t i = 0; i + 1 < s->count && status == DLS_OK; i++)
    if (s->kind[i] == DLS_POINT_BEFORE)
      status = dls_reference_add_jump(r, s->t[i], s->q + i * n, s->v + i * n, s->v + (i + 1) * n);
  return status;
}

dls_status dls_reference_run(const dls_system *system, const dls_state *start,
                             const dls_integrator_options *options, double until,
                             const dls_watch *watch, dls_reference **out, dls_message *message)
{
  *out = NULL;
  dls_message why = {""};
  dls_series_end end;
  dls_status status = check_end(system, start, until, message);
  if (status != DLS_OK) return status;
  dls_reference *r = begin(system, start->t, until);
  if (!r) return DLS_ERR_MEMORY;
  r->step = options->step;
  memset(r->known, 3, (size_t)r->n);
  status = dls_series_run(&r->run, system, start, options, until, watch, &end, &why);
  if (status != DLS_OK && message) *message = why;
  if (status == DLS_OK && end.failure != DLS_FAILURE_NONE)
    status = dls_fail(message, DLS_ERR_NUMBER, "the reference run failed: %s", why.text);
  if (status == DLS_OK && end.stopped)
    status =
        dls_fail(message, DLS_ERR_NUMBER, "the reference run was stopped at t = %g", end.reached);
  if (status == DLS_OK) status = take_events(r);
  if (status == DLS_OK) *out = r;
  else dls_reference_free(r);
  return status;
}

// The last point at or before t; after a jump at t.
static ptrdiff_t find_point(const dls_series *s, double t)
{
  ptrdiff_t low = 0, high = s->count;
  while (high - low > 1) {
    const ptrdiff_t middle = low + (high - low) / 2;
    if (s->t[middle] <= t) low = middle;
    else high = middle;
  }
  return low;
}

// Points around t in the piece of point i, each at least `apart` steps from the next.
static int choose_nodes(const dls_reference *r, ptrdiff_t i, double t, ptrdiff_t node[NODES])
{
  const dls_series *s = &r->run;
  const double least = apart * r->step;
  ptrdiff_t left = i, right = i;
  double low = s->t[i], high = s->t[i];
  bool at_begin = false, at_end = false;
  int count = 0;
  node[count++] = i;
  while (count < NODES && !(at_begin && at_end)) {
    if (!at_end && (at_begin || s->t[right] - t <= t - s->t[left])) {
      at_end = right + 1 == s->count || s->kind[right] == DLS_POINT_BEFORE;
      if (at_end || s->t[++right] - high < least) continue;
      high = s->t[right];
      node[count++] = right;
    } else {
      at_begin = left == 0 || s->kind[left] == DLS_POINT_AFTER;
      if (at_begin || low - s->t[--left] < least) continue;
      low = s->t[left];
      node[count++] = left;
    }
  }
  return count;
}

static void join_nodes(const dls_series *s, const ptrdiff_t *node, int count, double t, double *q,
                       double *v)
{
  const ptrdiff_t n = s->n;
  dls_clear(q, n);
  dls_clear(v, n);
  for (int i = 0; i < count; i++) {
    double weight = 1;
    for (int j = 0; j < count; j++)
      if (j != i) weight *= (t - s->t[node[j]]) / (s->t[node[i]] - s->t[node[j]]);
    for (ptrdiff_t k = 0; k < n; k++) {
      q[k] += weight * s->q[node[i] * n + k];
      v[k] += weight * s->v[node[i] * n + k];
    }
  }
}

// The cubic from point i to the next one, and its derivative.
static void join_ends(const dls_series *s, ptrdiff_t i, double t, double *q, double *v)
{
  const ptrdiff_t n = s->n;
  const double h = s->t[i + 1] - s->t[i], u = (t - s->t[i]) / h;
  const double *q0 = s->q + i * n, *q1 = q0 + n, *v0 = s->v + i * n, *v1 = v0 + n;
  for (ptrdiff_t k = 0; k < n; k++) {
    const double change = q1[k] - q0[k];
    q[k] = q0[k] + u * u * (3 - 2 * u) * change + h * u * (1 - u) * ((1 - u) * v0[k] - u * v1[k]);
    v[k] = 6 * u * (1 - u) * change / h + (1 - u) * (1 - 3 * u) * v0[k] + u * (3 * u - 2) * v1[k];
  }
}

static void between(const dls_reference *r, double t, double *q, double *v)
{
  const dls_series *s = &r->run;
  const ptrdiff_t i = find_point(s, t), n = s->n;
  if (s->t[i] == t || i + 1 == s->count) {
    dls_copy(q, s->q + i * n, n);
    dls_copy(v, s->v + i * n, n);
    return;
  }
  ptrdiff_t node[NODES];
  const int count = choose_nodes(r, i, t, node);
  if (count >= FEW) join_nodes(s, node, count, t, q, v);
  else join_ends(s, i, t, q, v);
}

dls_status dls_reference_at(const dls_reference *r, double t, double *q, double *v,
                            unsigned char *known)
{
  if (!(t >= r->from && t <= r->until)) return DLS_ERR_ARGUMENT;
  if (r->system) return dls_model_exact(r->system, t, q, v, known);
  between(r, t, q, v);
  dls_copy(known, r->known, r->n);
  return DLS_OK;
}
