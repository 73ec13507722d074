// Motions: one step at a time, or whole runs that are collected.
#include "common.h"
#include "collection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct integrator_object {
  PyObject_HEAD system_object *system;
  forced *forced;  // NULL: without additional forces
  dls_integrator *integrator;
  dls_crossings *crossings;  // NULL: the model has no events, or nobody asks
  collection rows;
  work *work;  // while the library is at work
  // Since the last step a force or a parameter has changed: stale; a parameter: renumbered.
  bool busy, stale, renumbered;
  dls_integrator_options how;
  dls_step_counts before;  // of integrators that were replaced
} integrator_object;

static void told(void *self, const dls_event *event)
{
  integrator_object *o = self;
  if (!o->crossings) collection_event(&o->rows, event);
  else if (dls_crossings_tell(o->crossings, event) != DLS_OK) o->rows.failed = true;
}

static bool watch(void *self, double t)
{
  integrator_object *o = self;
  (void)t;
  return o->work && work_look(o->work);
}

static void integrator_dealloc(PyObject *self)
{
  integrator_object *o = (integrator_object *)self;
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  dls_crossings_free(o->crossings);
  dls_integrator_free(o->integrator);
  forced_free(o->forced);
  collection_free(&o->rows);
  if (o->system) o->system->borrowed = false;
  Py_XDECREF((PyObject *)o->system);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

static int integrator_traverse(PyObject *self, visitproc visit, void *arg)
{
  Py_VISIT((PyObject *)((integrator_object *)self)->system);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

// ---- creation -----------------------------------------------------------------------------------

static dls_status begin(integrator_object *o, const dls_state *start, dls_integrator_options *how,
                        bool events, dls_message *message)
{
  const dls_system *system = o->forced ? forced_system(o->forced) : o->system->system;
  const dls_model *model = dls_system_model(o->system->system);
  how->event = told, how->watch = watch, how->self = o;
  dls_status status = DLS_OK;
  if (!o->system->own) {
    const dls_scheme_info *scheme = dls_scheme_find(how->scheme);
    // only implicit schemes need them; others run without when there are none
    if (scheme) how->scheme = scheme->name;  // which lives longer than the text of the call
    if (scheme) status = dls_model_differentiate(o->system->system, message);
    if (status == DLS_ERR_LIMIT) status = DLS_OK;
    if (o->forced && status == DLS_OK) {
      forced_free(o->forced);
      o->forced = forced_create(o->system->system);
      if (!o->forced) return DLS_ERR_MEMORY;
      system = forced_system(o->forced);
    }
  }
  o->how = *how;
  if (status == DLS_OK) status = dls_integrator_create(system, start, how, &o->integrator, message);
  if (status == DLS_OK && events && !system->find && dls_model_event_count(model) > 0)
    status = dls_crossings_create(o->system->system, start, how, NULL, &o->crossings, message);
  return status;
}

// Integrator(system, scheme, options, t, q, v, forces, events)
static PyObject *integrator_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
  PyObject *system, *options, *given_q, *given_v;
  int forces = 0, events = 0;
  dls_integrator_options how = dls_integrator_defaults();
  dls_state start = {0};
  (void)kw;
  if (!PyArg_ParseTuple(args, "OsO!dOOpp", &system, &how.scheme, &PyDict_Type, &options, &start.t,
                        &given_q, &given_v, &forces, &events) ||
      !integrator_options(options, &how))
    return NULL;
  if (!PyObject_TypeCheck(system, system_type)) return PyErr_Format(PyExc_TypeError, "no system");
  system_object *s = (system_object *)system;
  buffer q = {0}, v = {0};
  integrator_object *o = NULL;
  bool done = false;
  if (buffer_doubles(&q, given_q, dls_system_nq(s->system), false, "q") &&
      buffer_doubles(&v, given_v, s->system->n, false, "v") && system_enter(s)) {
    dls_message message = {0};
    work w;
    o = PyObject_GC_New(integrator_object, type);
    if (o) {
      memset((char *)o + sizeof(PyObject), 0, sizeof *o - sizeof(PyObject));
      o->system = (system_object *)Py_NewRef(system);
      s->borrowed = true;
      o->rows.system = s->system;
      PyObject_GC_Track((PyObject *)o);
      if (forces && !(o->forced = forced_create(s->system))) PyErr_NoMemory();
      start.q = q.view.buf, start.v = v.view.buf;
      work_begin(&w);
      o->work = &w;
      const dls_status status = begin(o, &start, &how, events, &message);
      o->work = NULL;
      work_end(&w);
      done = work_ok(&w, system_pending(s), status, &message) && !PyErr_Occurred();
    }
    system_leave(s);
  }
  buffer_release(&q);
  buffer_release(&v);
  if (done) return (PyObject *)o;
  Py_XDECREF((PyObject *)o);
  return NULL;
}

// ---- steps --------------------------------------------------------------------------------------

// Others may ask only while no step is made: numbers move.
static bool idle(const integrator_object *o)
{
  if (o->busy) PyErr_SetString(PyExc_RuntimeError, "the motion is being computed already");
  return !o->busy;
}

static bool enter(integrator_object *o)
{
  return idle(o) && (o->busy = true);
}

// Of all integrators that there were.
static dls_step_counts counts_of(const integrator_object *o)
{
  dls_step_counts c = dls_integrator_counts(o->integrator);
  const dls_step_counts *b = &o->before;
  c.steps += b->steps, c.rejected += b->rejected, c.events += b->events;
  c.rhs_evaluations += b->rhs_evaluations, c.derivatives += b->derivatives;
  c.contact_problems += b->contact_problems, c.steps_above += b->steps_above;
  c.max_penetration = fmax(c.max_penetration, b->max_penetration);
  c.max_bilateral_gap = fmax(c.max_bilateral_gap, b->max_bilateral_gap);
  c.max_bilateral_velocity = fmax(c.max_bilateral_velocity, b->max_bilateral_velocity);
  c.worst_residual = fmax(c.worst_residual, b->worst_residual);
  return c;
}

// Schemes with events know what each contact does, and look for the end of that during a step: a
// change at its begin they find out as at a start.
static dls_status begin_anew(integrator_object *o, dls_message *message)
{
  const dls_system *system = o->forced ? forced_system(o->forced) : o->system->system;
  const dls_sample here = dls_integrator_sample(o->integrator);
  const dls_step_counts counts = counts_of(o);
  // arrays are only read
  const dls_state start = {here.t, (double *)here.q, (double *)here.v};
  dls_integrator_options how = o->how;
  dls_integrator *next = NULL;
  if (how.rtol > 0 || how.atol > 0) how.step = here.next_step;
  const dls_status status = dls_integrator_create(system, &start, &how, &next, message);
  if (status != DLS_OK) return status;
  dls_integrator_free(o->integrator);
  o->integrator = next;
  o->before = counts;
  return DLS_OK;
}

// Contacts that come and go got their numbers when they came: they go and come again.
static dls_status meet_again(integrator_object *o, dls_message *message)
{
  const dls_sample here = dls_integrator_sample(o->integrator);
  const size_t nq = (size_t)here.nq, n = (size_t)here.n, m = (size_t)here.m;
  const size_t kept = (size_t)here.scheme_state_size, all = nq + n + 3 * m;
  double *number = calloc(all + kept + 1, sizeof *number);
  uint64_t *id = calloc(m + 1, sizeof *id);
  unsigned char *status = calloc(m + 1, 1);
  dls_status done = number && id && status ? DLS_OK : DLS_ERR_MEMORY;
  if (done == DLS_OK) {
    memcpy(number, here.q, nq * sizeof *number);
    memcpy(number + nq, here.v, n * sizeof *number);
    if (kept) memcpy(number + all, here.scheme_state, kept * sizeof *number);
    if (m) memcpy(id, here.id, m * sizeof *id);
    if (m) memcpy(status, here.status, m);
    dls_sample with = here;
    with.q = number, with.v = number + nq, with.impulse = number + nq + n;
    with.id = id, with.status = status, with.first = NULL, with.scheme_state = number + all;
    dls_sample without = with;
    for (without.m = 0; without.m < here.m && id[without.m] == 0;) without.m++;
    // what else a sample has is refused where sizes differ, behind the change of contacts
    done = dls_integrator_restart(o->integrator, &without, message);
    if (done == DLS_OK || done == DLS_ERR_ARGUMENT)
      done = dls_integrator_restart(o->integrator, &with, message);
    dls_sample now = dls_integrator_sample(o->integrator);
    now.t = here.t, now.next_step = here.next_step, now.q = with.q, now.v = with.v;
    if (done == DLS_OK || done == DLS_ERR_ARGUMENT)
      done = dls_integrator_restart(o->integrator, &now, message);
  }
  free(number);
  free(id);
  free(status);
  return done;
}

// Goes on from here with everything evaluated anew: the library does so for another time only.
static dls_status evaluate_anew(integrator_object *o, dls_message *message)
{
  dls_sample aside = dls_integrator_sample(o->integrator);
  const double t = aside.t;
  aside.t = nextafter(t, INFINITY);
  const dls_status status = dls_integrator_restart(o->integrator, &aside, message);
  aside = dls_integrator_sample(o->integrator);
  aside.t = t;
  return status == DLS_OK ? dls_integrator_restart(o->integrator, &aside, message) : status;
}

static dls_status refresh(integrator_object *o, dls_message *message)
{
  const dls_scheme_info *scheme = dls_scheme_find(o->how.scheme);
  dls_status status = DLS_OK;
  if (scheme && scheme->events) status = begin_anew(o, message);
  else {
    if (o->renumbered && o->system->system->find) status = meet_again(o, message);
    if (status == DLS_OK) status = evaluate_anew(o, message);
  }
  o->stale = o->stale && status != DLS_OK;
  o->renumbered = o->renumbered && status != DLS_OK;
  return status;
}

static dls_failure advance(integrator_object *o, double until, dls_status *status,
                           dls_message *message)
{
  dls_failure failure = DLS_FAILURE_NONE;
  *status = o->stale ? refresh(o, message) : DLS_OK;
  if (*status != DLS_OK) return failure;
  if (o->crossings) {
    const dls_sample before = dls_integrator_sample(o->integrator);
    dls_crossings_before(o->crossings, &before);
  }
  *status = dls_integrator_advance(o->integrator, until, &failure, message);
  if (!o->crossings || *status != DLS_OK || failure != DLS_FAILURE_NONE) return failure;
  const dls_sample after = dls_integrator_sample(o->integrator);
  dls_happening h;
  *status = dls_crossings_after(o->crossings, &after, message);
  while (*status == DLS_OK && dls_crossings_next(o->crossings, &h))
    collection_happening(&o->rows, &h);
  return failure;
}

// What ended a call, beyond an exception: None, or (failure, message).
static PyObject *ended(dls_failure failure, const dls_message *message)
{
  if (failure == DLS_FAILURE_NONE) Py_RETURN_NONE;
  return Py_BuildValue("ss", dls_failure_text(failure), message->text);
}

// step(until) -> None, or (failure, message)
static PyObject *integrator_step(PyObject *self, PyObject *args)
{
  integrator_object *o = (integrator_object *)self;
  double until = 0;
  dls_message message = {0};
  dls_status status = DLS_OK;
  work w;
  if (!PyArg_ParseTuple(args, "d", &until) || !enter(o)) return NULL;
  work_begin(&w);
  o->work = &w;
  dls_failure failure = DLS_FAILURE_NONE;
  const dls_sample here = dls_integrator_sample(o->integrator);
  // impulses are those of this step
  if (!o->stale) status = dls_integrator_restart(o->integrator, &here, &message);
  if (status == DLS_OK) failure = advance(o, until, &status, &message);
  if (status == DLS_OK && o->rows.failed) status = DLS_ERR_MEMORY;
  o->work = NULL;
  work_end(&w);
  o->busy = false;
  if (!work_ok(&w, system_pending(o->system), status, &message)) return NULL;
  return ended(failure, &message);
}

// run(until, every, energy) -> None, or (failure, message); rows are collected
static PyObject *integrator_run(PyObject *self, PyObject *args)
{
  integrator_object *o = (integrator_object *)self;
  double until = 0;
  long every = 1, made = 0;
  int energy = 0;
  dls_message message = {0};
  dls_status status = DLS_OK;
  dls_failure failure = DLS_FAILURE_NONE;
  work w;
  if (!PyArg_ParseTuple(args, "dlp", &until, &every, &energy) || !enter(o)) return NULL;
  work_begin(&w);
  o->work = &w;
  status = collection_row(&o->rows, o->integrator, energy);
  while (status == DLS_OK && failure == DLS_FAILURE_NONE && !o->rows.failed && !o->rows.stopped &&
         dls_integrator_sample(o->integrator).t < until) {
    failure = advance(o, until, &status, &message);
    if (status == DLS_OK && failure == DLS_FAILURE_NONE) made++;
    const bool last = failure != DLS_FAILURE_NONE || o->rows.stopped ||
                      !(dls_integrator_sample(o->integrator).t < until);
    if (status == DLS_OK && made > 0 && (last || made == every)) {
      status = collection_row(&o->rows, o->integrator, energy);
      made = 0;
    }
    if (status == DLS_OK && work_look(&w)) status = DLS_ERR_STOPPED;
  }
  if (status == DLS_OK && o->rows.failed) status = DLS_ERR_MEMORY;
  o->work = NULL;
  work_end(&w);
  o->busy = false;
  if (!work_ok(&w, system_pending(o->system), status, &message)) return NULL;
  return ended(failure, &message);
}

static PyObject *integrator_collected(PyObject *self, PyObject *none)
{
  integrator_object *o = (integrator_object *)self;
  (void)none;
  return idle(o) ? collection_dict(&o->rows) : NULL;
}

// Events since the last call.
static PyObject *integrator_events(PyObject *self, PyObject *none)
{
  integrator_object *o = (integrator_object *)self;
  (void)none;
  return idle(o) ? collection_take_events(&o->rows) : NULL;
}

static PyObject *integrator_time(PyObject *self, PyObject *none)
{
  const integrator_object *o = (integrator_object *)self;
  (void)none;
  return idle(o) ? PyFloat_FromDouble(dls_integrator_sample(o->integrator).t) : NULL;
}

// sample() -> (t, next step, q, v, impulse, status, first or None, id or None, names)
static PyObject *integrator_sample(PyObject *self, PyObject *none)
{
  const integrator_object *o = (integrator_object *)self;
  (void)none;
  if (!idle(o)) return NULL;
  const dls_sample s = dls_integrator_sample(o->integrator);
  const size_t m = (size_t)s.m;
  return Py_BuildValue("ddNNNNNN", s.t, s.next_step, doubles_of(s.q, s.nq), doubles_of(s.v, s.n),
                       doubles_of(s.impulse ? s.impulse : s.q, s.impulses),
                       bytes_of(s.status, m, 1),
                       s.first ? bytes_of(s.first, m + 1, sizeof(int)) : Py_NewRef(Py_None),
                       s.id ? collection_names(o->system->system, &s) : Py_NewRef(Py_None));
}

static PyObject *integrator_energy(PyObject *self, PyObject *none)
{
  integrator_object *o = (integrator_object *)self;
  double kinetic = 0, potential = 0;
  dls_message message = {0};
  (void)none;
  if (!enter(o)) return NULL;  // functions of Python may be called
  const dls_status status = dls_integrator_energy(o->integrator, &kinetic, &potential, &message);
  o->busy = false;
  pending *raised = system_pending(o->system);
  if (raised && pending_raise(raised)) return NULL;
  if (status != DLS_OK) return raise_status(status, &message);
  return Py_BuildValue("dd", kinetic, potential);
}

// set(name, value): a parameter, from the next step on
static PyObject *integrator_set(PyObject *self, PyObject *args)
{
  integrator_object *o = (integrator_object *)self;
  const char *name = NULL, *value = NULL;
  dls_message message = {0};
  if (!PyArg_ParseTuple(args, "ss", &name, &value) || !enter(o)) return NULL;
  const dls_status status = dls_model_set(o->system->system, name, value, &message);
  if (o->forced) forced_follow(o->forced);
  if (status == DLS_OK) o->stale = o->renumbered = true;
  o->busy = false;
  if (status != DLS_OK) return raise_status(status, &message);
  Py_RETURN_NONE;
}

// force(index, value): on a velocity, from the next step on
static PyObject *integrator_force(PyObject *self, PyObject *args)
{
  integrator_object *o = (integrator_object *)self;
  int index = 0;
  double value = 0;
  if (!PyArg_ParseTuple(args, "id", &index, &value) || !idle(o)) return NULL;
  if (!o->forced || index < 0 || index >= o->system->system->n || !isfinite(value))
    return PyErr_Format(PyExc_ValueError, "a force is a finite number on a velocity of a stepper");
  forced_force(o->forced)[index] = value;
  o->stale = true;
  Py_RETURN_NONE;
}

// counts() -> a dict; with what is known of uniqueness
static PyObject *integrator_counts(PyObject *self, PyObject *none)
{
  const integrator_object *o = (integrator_object *)self;
  if (!idle(o)) return NULL;
  const dls_step_counts c = counts_of(o);
  const dls_uniqueness_loss l = dls_integrator_uniqueness(o->integrator);
  (void)none;
  return Py_BuildValue(
      "{slslslslslslsdsdsdsdslsN}", "steps", c.steps, "rejected", c.rejected, "rhs_evaluations",
      c.rhs_evaluations, "derivatives", c.derivatives, "contact_problems", c.contact_problems,
      "events", c.events, "max_penetration", c.max_penetration, "max_bilateral_gap",
      c.max_bilateral_gap, "max_bilateral_velocity", c.max_bilateral_velocity, "worst_residual",
      c.worst_residual, "steps_above", c.steps_above, "uniqueness_lost",
      l.lost ? Py_BuildValue("{sdsisssO}", "t", l.t, "contact", l.contact, "why", l.why, "bounded",
                             l.bounded ? Py_True : Py_False)
             : Py_NewRef(Py_None));
}

// schemes() -> [(name, summary, order, events, adaptive)]
static PyObject *integrator_schemes(PyObject *self, PyObject *none)
{
  PyObject *list = PyList_New(0);
  (void)self, (void)none;
  for (int i = 0; list && i < dls_scheme_count(); i++) {
    const dls_scheme_info *s = dls_scheme_info_at(i);
    PyObject *item =
        Py_BuildValue("ssiOO", s->name, s->summary, s->order, s->events ? Py_True : Py_False,
                      s->adaptive ? Py_True : Py_False);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyMethodDef methods[] = {{"step", integrator_step, METH_VARARGS, NULL},
                                {"run", integrator_run, METH_VARARGS, NULL},
                                {"collected", integrator_collected, METH_NOARGS, NULL},
                                {"events", integrator_events, METH_NOARGS, NULL},
                                {"time", integrator_time, METH_NOARGS, NULL},
                                {"sample", integrator_sample, METH_NOARGS, NULL},
                                {"energy", integrator_energy, METH_NOARGS, NULL},
                                {"set", integrator_set, METH_VARARGS, NULL},
                                {"force", integrator_force, METH_VARARGS, NULL},
                                {"counts", integrator_counts, METH_NOARGS, NULL},
                                {"schemes", integrator_schemes, METH_NOARGS | METH_STATIC, NULL},
                                {0}};
static PyType_Slot slots[] = {{Py_tp_new, integrator_new},
                              {Py_tp_dealloc, integrator_dealloc},
                              {Py_tp_traverse, integrator_traverse},
                              {Py_tp_methods, methods},
                              {0, NULL}};
static PyType_Spec spec = {"delassus._delassus.Integrator", sizeof(integrator_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

bool add_integrator(PyObject *module)
{
  return add_type(module, &spec, "Integrator") != NULL;
}
