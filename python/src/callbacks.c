// A system of Python functions: evaluate(t, q, v) -> all numbers of dls_values, one behind the
// other, with dense patterns. What the function raises waits until the library has returned; until
// then every further evaluation fails.
#include "common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct callbacks {
  dls_system system;
  PyObject *keep;      // the tuple that it was made of: names are its own
  PyObject *evaluate;  // borrowed from it
  pending raised;
  dls_contact_info *contact;
  const char **name;
  int *row, *mass, *normal, *tangent;  // the patterns
};

pending *callbacks_pending(callbacks *own)
{
  return &own->raised;
}

PyObject *callbacks_keeps(callbacks *own)
{
  return own->keep;
}

void callbacks_free(callbacks *own)
{
  if (!own) return;
  pending_forget(&own->raised);
  free(own->contact);
  free(own->name);
  free(own->row);
  free(own->mass);
  free(own->normal);
  free(own->tangent);
  Py_XDECREF(own->keep);
  free(own);
}

// ---- evaluation ---------------------------------------------------------------------------------

static const double *copy(double *to, const double *from, int count)
{
  memcpy(to, from, (size_t)count * sizeof *to);
  return from + count;
}

static void fill(const dls_system *s, const double *x, const dls_values *v)
{
  const int n = s->n, m = s->m, k = s->tangents;
  x = copy(v->M, x, n * n);
  x = copy(v->F, x, n);
  x = copy(v->h, x, m);
  x = copy(v->h_dot, x, m);
  x = copy(v->G, x, n * m);
  x = copy(v->b_n, x, m);
  x = copy(v->slip, x, k);
  x = copy(v->H, x, n * k);
  x = copy(v->b_t, x, k);
  x = copy(v->friction, x, m);
  copy(v->restitution, x, m);
  memset(v->friction_force, 0, (size_t)m * sizeof(double));
  memcpy(v->static_friction, v->friction, (size_t)m * sizeof(double));
}

static int size_of(const dls_system *s)
{
  const int n = s->n, m = s->m, k = s->tangents;
  return n * n + n + m * (5 + n) + k * (2 + n);
}

static void set_zero(const dls_system *s, const dls_values *v)
{
  const int n = s->n, m = s->m, k = s->tangents;
  double *const part[] = {v->M,
                          v->F,
                          v->h,
                          v->h_dot,
                          v->G,
                          v->b_n,
                          v->slip,
                          v->H,
                          v->b_t,
                          v->friction,
                          v->restitution,
                          v->friction_force,
                          v->static_friction};
  const int count[] = {n * n, n, m, m, n * m, m, k, n * k, k, m, m, m, m};
  for (int i = 0; i < (int)(sizeof count / sizeof count[0]); i++)
    memset(part[i], 0, (size_t)count[i] * sizeof(double));
}

// With the lock: calls the function. False, with an exception, when it did.
static bool call(callbacks *c, double t, const double *q, const double *v, const dls_values *out)
{
  const dls_system *s = &c->system;
  buffer numbers = {0};
  PyObject *result =
      PyObject_CallFunction(c->evaluate, "dNN", t, doubles_of(q, s->n), doubles_of(v, s->n));
  const bool done =
      result && buffer_doubles(&numbers, result, size_of(s), false, "what the functions return");
  if (done) fill(s, numbers.view.buf, out);
  buffer_release(&numbers);
  Py_XDECREF(result);
  return done;
}

static dls_status evaluate(void *self, double t, const double *q, const double *v,
                           const dls_values *values, const dls_values *bound, dls_message *message)
{
  callbacks *c = self;
  PyGILState_STATE lock = PyGILState_Ensure();
  if (!c->raised.type && !call(c, t, q, v, values)) pending_take(&c->raised);
  const bool failed = c->raised.type != NULL;
  PyGILState_Release(lock);
  if (bound) set_zero(&c->system, bound);
  if (failed) {
    set_zero(&c->system, values);
    if (message) snprintf(message->text, sizeof message->text, "a function of the system failed");
    return DLS_ERR_NUMBER;
  }
  const double *const part[] = {values->M, values->F, values->h, values->h_dot, values->G};
  const int n = c->system.n, m = c->system.m, count[] = {n * n, n, m, m, n * m};
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < count[k]; i++)
      if (!isfinite(part[k][i])) {
        if (message)
          snprintf(message->text, sizeof message->text,
                   "a number of the system is not finite at t = %.9g", t);
        return DLS_ERR_NUMBER;
      }
  return DLS_OK;
}

// ---- creation -----------------------------------------------------------------------------------

// Columns of `cols` full columns with n rows each; the rows are shared.
static int *full_columns(int n, int cols)
{
  int *p = calloc((size_t)cols + 1, sizeof *p);
  for (int j = 0; p && j <= cols; j++) p[j] = j * n;
  return p;
}

static int *full_rows(int n, int cols)
{
  int *i = calloc((size_t)n * (size_t)cols + 1, sizeof *i);
  for (int k = 0; i && k < n * cols; k++) i[k] = k % n;
  return i;
}

static bool read_names(callbacks *c, PyObject *names)
{
  const int n = c->system.n;
  for (int i = 0; i < n; i++) {
    PyObject *name = PyTuple_GetItem(names, i);
    c->name[i] = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    if (!c->name[i]) return false;
  }
  return true;
}

// ((name, bilateral, tangents), ...)
static bool read_contacts(callbacks *c, PyObject *contacts)
{
  for (int j = 0; j < c->system.m; j++) {
    dls_contact_info *info = &c->contact[j];
    PyObject *item = PyTuple_GetItem(contacts, j);
    int bilateral = 0;
    if (!item || !PyArg_ParseTuple(item, "spi", &info->name, &bilateral, &info->tangents))
      return false;
    if (info->tangents < 0 || info->tangents > 2) {
      PyErr_SetString(PyExc_ValueError, "a contact has 0, 1 or 2 slips");
      return false;
    }
    info->kind = bilateral ? DLS_BILATERAL : DLS_UNILATERAL;
    c->system.tangents += info->tangents;
  }
  return true;
}

static dls_status patterns(callbacks *c)
{
  dls_system *s = &c->system;
  const int n = s->n, most = n > s->m ? n : s->m;
  c->row = full_rows(n, most > s->tangents ? most : s->tangents);
  c->mass = full_columns(n, n);
  c->normal = full_columns(n, s->m);
  c->tangent = full_columns(n, s->tangents);
  if (!c->row || !c->mass || !c->normal || !c->tangent) return DLS_ERR_MEMORY;
  s->mass = (dls_pattern){n, n, c->mass, c->row};
  s->normal = (dls_pattern){n, s->m, c->normal, c->row};
  s->tangent = (dls_pattern){n, s->tangents, c->tangent, c->row};
  return DLS_OK;
}

// spec: (names, contacts, evaluate); DLS_ERR_ARGUMENT with an exception when it is something else.
dls_status callbacks_create(PyObject *spec, callbacks **out, dls_system **system)
{
  PyObject *names, *contacts, *function;
  if (!PyArg_ParseTuple(spec, "O!O!O", &PyTuple_Type, &names, &PyTuple_Type, &contacts, &function))
    return DLS_ERR_ARGUMENT;
  callbacks *c = calloc(1, sizeof *c);
  if (!c) return DLS_ERR_MEMORY;
  *out = c;
  *system = &c->system;
  const Py_ssize_t n = PyTuple_Size(names), m = PyTuple_Size(contacts);
  if (n < 1 || n > 2000 || m > 2000) {
    PyErr_SetString(PyExc_ValueError, "expected 1 to 2000 coordinates, and up to 2000 contacts");
    return DLS_ERR_ARGUMENT;
  }
  c->keep = Py_NewRef(spec);
  c->evaluate = function;
  c->name = calloc((size_t)n, sizeof *c->name);
  c->contact = calloc((size_t)m + 1, sizeof *c->contact);
  if (!c->name || !c->contact) return DLS_ERR_MEMORY;
  c->system.n = (int)n, c->system.m = (int)m;
  if (!read_names(c, names) || !read_contacts(c, contacts)) return DLS_ERR_ARGUMENT;
  c->system.coordinates = c->name;
  c->system.contacts = c->contact;
  c->system.self = c;
  c->system.evaluate = evaluate;
  return patterns(c);
}
