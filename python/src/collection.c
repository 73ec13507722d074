#include "collection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// An event; its numbers are in `tell`: q, v before, v after, impulses.
typedef struct told {
  const char *kind, *name;  // of the contact, or of the model's event; NULL: none
  double t;
  int direction;  // of a model's event
  int located, impulses;
} told;

void collection_free(collection *c)
{
  series *const all[] = {&c->t,    &c->energy, &c->output,  &c->q,     &c->v,   &c->count,
                         &c->name, &c->status, &c->impulse, &c->event, &c->tell};
  for (int i = 0; i < (int)(sizeof all / sizeof all[0]); i++) series_free(all[i]);
  free(c->force);
  c->force = NULL;
}

static void add(collection *c, series *s, const void *data, size_t bytes)
{
  if (!c->failed && !series_add(s, data, bytes)) c->failed = true;
}

static void add_doubles(collection *c, series *s, const double *x, int count)
{
  add(c, s, x, (size_t)count * sizeof *x);
}

// ---- rows ---------------------------------------------------------------------------------------

static const char *name_at(const dls_system *system, const dls_sample *s, int j)
{
  if (!s->id || s->id[j] == 0) return j < system->m ? system->contacts[j].name : "";
  for (int i = 0; i < system->m; i++)
    if (system->contacts[i].id == s->id[j]) return system->contacts[i].name;
  return "";
}

static void add_contacts(collection *c, const dls_sample *s)
{
  int entry = 0;
  add(c, &c->count, &s->m, sizeof s->m);
  for (int j = 0; j < s->m; j++) {
    const char *name = name_at(c->system, s, j);
    double impulse[3] = {0};
    const int size =
        s->first ? s->first[j + 1] - s->first[j] + 1 : 1 + c->system->contacts[j].tangents;
    for (int k = 0; k < size && k < 3 && entry + k < s->impulses; k++)
      impulse[k] = s->impulse[entry + k];
    entry += size;
    add(c, &c->name, &name, sizeof name);
    add_doubles(c, &c->impulse, impulse, 3);
  }
  add(c, &c->status, s->status, (size_t)s->m);
}

// A force is the mean since the row before; at a row without time since then it stays.
static void add_outputs(collection *c, const dls_sample *s)
{
  const int count = c->system->find ? 0 : dls_model_output_count(dls_system_model(c->system));
  if (count == 0) return;
  const size_t forces = (size_t)s->impulses;
  double *value = calloc((size_t)count, sizeof *value);
  if (!c->force) {
    c->force = calloc(forces + 1, sizeof *c->force);
    for (size_t k = 0; c->force && k < forces; k++) c->force[k] = (double)NAN;
  } else if (s->t > c->last) {
    for (size_t k = 0; k < forces; k++) c->force[k] = s->impulse[k] / (s->t - c->last);
  }
  if (value && c->force) {
    (void)dls_model_outputs(c->system, s->t, s->q, s->v, c->force, value);
    add_doubles(c, &c->output, value, count);
  } else {
    c->failed = true;
  }
  free(value);
}

// The integrator adds up impulses since it was last told to go on from its own sample.
dls_status collection_row(collection *c, dls_integrator *integrator, bool energy)
{
  const dls_sample s = dls_integrator_sample(integrator);
  double both[2] = {(double)NAN, (double)NAN};
  dls_message message = {0};
  if (energy && dls_integrator_energy(integrator, &both[0], &both[1], &message) != DLS_OK)
    both[0] = both[1] = (double)NAN;
  add_doubles(c, &c->t, &s.t, 1);
  if (energy) add_doubles(c, &c->energy, both, 2);
  add_doubles(c, &c->q, s.q, s.nq);
  add_doubles(c, &c->v, s.v, s.n);
  add_outputs(c, &s);
  add_contacts(c, &s);
  c->last = s.t;
  return dls_integrator_restart(integrator, &s, &message);
}

// ---- events -------------------------------------------------------------------------------------

static int impulses_of(const dls_system *s)
{
  return s->find ? 0 : s->m + s->tangents;
}

void collection_event(collection *c, const dls_event *e)
{
  const int nq = dls_system_nq(c->system), n = c->system->n;
  const told t = {.kind = dls_event_name(e->kind),
                  .name = e->contact >= 0 && e->contact < c->system->m
                              ? c->system->contacts[e->contact].name
                              : NULL,
                  .t = e->t,
                  .located = 1,
                  .impulses = impulses_of(c->system)};
  add(c, &c->event, &t, sizeof t);
  add_doubles(c, &c->tell, e->q, nq);
  add_doubles(c, &c->tell, e->v_before, n);
  add_doubles(c, &c->tell, e->v_after, n);
  add_doubles(c, &c->tell, e->impulse, t.impulses);
}

void collection_happening(collection *c, const dls_happening *h)
{
  if (h->event) {
    collection_event(c, h->event);
    return;
  }
  const int nq = dls_system_nq(c->system), n = c->system->n;
  const dls_model_event of = dls_model_event_at(dls_system_model(c->system), h->function);
  const told t = {.kind = "crossing",
                  .name = of.name,
                  .t = h->sample.t,
                  .direction = h->direction,
                  .located = h->located};
  add(c, &c->event, &t, sizeof t);
  add_doubles(c, &c->tell, h->sample.q, nq);
  add_doubles(c, &c->tell, h->sample.v, n);
  add_doubles(c, &c->tell, h->sample.v, n);
  c->stopped = c->stopped || of.stop;
}

static PyObject *event_of(const collection *c, const told *t, const double *x)
{
  const int nq = dls_system_nq(c->system), n = c->system->n;
  return Py_BuildValue("(szdiONNNN)", t->kind, t->name, t->t, t->direction,
                       t->located ? Py_True : Py_False, doubles_of(x, nq), doubles_of(x + nq, n),
                       doubles_of(x + nq + n, n), doubles_of(x + nq + 2 * n, t->impulses));
}

PyObject *collection_take_events(collection *c)
{
  const told *t = (const told *)(const void *)c->event.data;
  const double *x = (const double *)(const void *)c->tell.data;
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < c->event.used / sizeof *t; i++) {
    PyObject *item = event_of(c, &t[i], x);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
    x += dls_system_nq(c->system) + 2 * c->system->n + t[i].impulses;
  }
  c->event.used = c->tell.used = 0;
  return list;
}

// ---- for Python ---------------------------------------------------------------------------------

PyObject *collection_names(const dls_system *system, const dls_sample *s)
{
  PyObject *list = PyList_New(s->m);
  for (int j = 0; list && j < s->m; j++) {
    PyObject *name = PyUnicode_FromString(name_at(system, s, j));
    if (!name || PyList_SetItem(list, j, name) < 0) Py_CLEAR(list);
  }
  return list;
}

// Of all contacts of all rows, where they come and go; else None.
static PyObject *all_names(const collection *c)
{
  if (!c->system->find) Py_RETURN_NONE;
  return names_of((const char *const *)(const void *)c->name.data,
                  (int)(c->name.used / sizeof(char *)));
}

PyObject *collection_dict(const collection *c)
{
  PyObject *d = PyDict_New();
  if (put(d, "t", series_bytes(&c->t)) && put(d, "energy", series_bytes(&c->energy)) &&
      put(d, "outputs", series_bytes(&c->output)) && put(d, "q", series_bytes(&c->q)) &&
      put(d, "v", series_bytes(&c->v)) && put(d, "count", series_bytes(&c->count)) &&
      put(d, "status", series_bytes(&c->status)) && put(d, "impulse", series_bytes(&c->impulse)) &&
      put(d, "names", all_names(c)) && put(d, "stopped", PyBool_FromLong(c->stopped)))
    return d;
  Py_XDECREF(d);
  return NULL;
}
