// Errors of schemes against a reference motion.
#include "common.h"

#include <math.h>
#include <string.h>

typedef struct measuring {
  system_object *system;
  dls_reference *reference;
  work *work;
} measuring;

static bool look(void *self, double t)
{
  (void)t;
  return work_look(self);
}

static PyObject *norms_of(const double *x)
{
  PyObject *d = PyDict_New();
  bool done = d != NULL;
  for (int k = 0; done && k < DLS_NORM_COUNT; k++)
    done = put(d, dls_norm_name((dls_norm)k), PyFloat_FromDouble(x[k]));
  if (done) return d;
  Py_XDECREF(d);
  return NULL;
}

static PyObject *accuracy_of(const dls_accuracy *a)
{
  return Py_BuildValue(
      "{slsdsdsNsNsdsdszss}", "rhs_evaluations", a->counts.rhs_evaluations, "reached", a->reached,
      "mean_step", a->mean_step, "error_q", norms_of(a->q), "error_v", norms_of(a->v), "floor_q",
      a->floor_q, "floor_v", a->floor_v, "failure",
      a->failure == DLS_FAILURE_NONE ? NULL : dls_failure_text(a->failure), "why", a->why.text);
}

static dls_status reference_of(const dls_system *s, const dls_state *start, double until,
                               double step, const dls_watch *watch, dls_reference **out,
                               dls_message *message)
{
  dls_integrator_options how = dls_integrator_defaults();
  if (dls_reference_given(s, start->t))
    return dls_reference_exact(s, start, until, step / 8, out, message);
  how.scheme = "radau5", how.step = step / 8;
  return dls_reference_run(s, start, &how, until, watch, out, message);
}

static dls_status measure(const dls_system *s, const dls_state *start, const double *step,
                          const char *const *scheme, int count, double until, double least,
                          dls_accuracy *out, work *w, dls_message *message)
{
  const dls_watch watch = {look, w};
  dls_reference *reference = NULL;
  dls_status status = dls_model_differentiate((dls_system *)s, message);
  if (status == DLS_OK) status = reference_of(s, start, until, least, &watch, &reference, message);
  for (int k = 0; k < count && status == DLS_OK; k++) {
    dls_integrator_options how = dls_integrator_defaults();
    how.scheme = scheme[k], how.step = step[k];
    status = dls_accuracy_measure(s, start, &how, until, reference, &watch, &out[k], message);
    if (status == DLS_OK && w->stopped) status = DLS_ERR_STOPPED;
  }
  dls_reference_free(reference);
  return status;
}

enum { RUNS = 256 };

// order(system, t, q, v, until, [(scheme, step)]) -> [dict]
static PyObject *order(PyObject *self, PyObject *args)
{
  PyObject *system, *given_q, *given_v, *runs, *result = NULL;
  dls_state start = {0};
  double until = 0, step[RUNS], least = INFINITY;
  const char *scheme[RUNS];
  static const dls_accuracy none = {0};
  (void)self;
  if (!PyArg_ParseTuple(args, "OdOOdO!", &system, &start.t, &given_q, &given_v, &until,
                        &PyList_Type, &runs))
    return NULL;
  const Py_ssize_t count = PyList_Size(runs);
  if (!PyObject_TypeCheck(system, system_type) || count > RUNS)
    return PyErr_Format(PyExc_ValueError, "expected a system and at most %d runs", RUNS);
  for (Py_ssize_t k = 0; k < count; k++) {
    if (!PyArg_ParseTuple(PyList_GetItem(runs, k), "sd", &scheme[k], &step[k])) return NULL;
    if (step[k] < least) least = step[k];
  }
  system_object *s = (system_object *)system;
  buffer q = {0}, v = {0};
  dls_accuracy *out = PyMem_Calloc((size_t)count + 1, sizeof none);
  if (!out) PyErr_NoMemory();
  if (out && buffer_doubles(&q, given_q, dls_system_nq(s->system), false, "q") &&
      buffer_doubles(&v, given_v, s->system->n, false, "v") && system_enter(s)) {
    dls_message message = {0};
    work w;
    start.q = q.view.buf, start.v = v.view.buf;
    work_begin(&w);
    const dls_status status =
        measure(s->system, &start, step, scheme, (int)count, until, least, out, &w, &message);
    work_end(&w);
    system_leave(s);
    if (work_ok(&w, system_pending(s), status, &message)) result = PyList_New(0);
    for (Py_ssize_t k = 0; result && k < count; k++) {
      PyObject *item = accuracy_of(&out[k]);
      if (!item || PyList_Append(result, item) < 0) Py_CLEAR(result);
      Py_XDECREF(item);
    }
  }
  PyMem_Free(out);
  buffer_release(&q);
  buffer_release(&v);
  return result;
}

// slope(steps, errors, floors) -> (slope, points used, stalled)
static PyObject *slope(PyObject *self, PyObject *args)
{
  PyObject *step, *error, *floor, *result = NULL;
  buffer b[3] = {{.count = 0}};
  (void)self;
  if (!PyArg_ParseTuple(args, "OOO", &step, &error, &floor)) return NULL;
  if (buffer_doubles(&b[0], step, -1, false, "steps") && b[0].count <= RUNS &&
      buffer_doubles(&b[1], error, b[0].count, false, "errors") &&
      buffer_doubles(&b[2], floor, b[0].count, false, "floors")) {
    const dls_slope s =
        dls_slope_fit((int)b[0].count, b[0].view.buf, b[1].view.buf, b[2].view.buf, NULL);
    result = Py_BuildValue("diO", s.slope, s.used, s.stalled ? Py_True : Py_False);
  }
  for (int k = 0; k < 3; k++) buffer_release(&b[k]);
  if (!result && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "too many runs");
  return result;
}

PyMethodDef order_methods[] = {
    {"order", order, METH_VARARGS, NULL}, {"slope", slope, METH_VARARGS, NULL}, {0}};
