#define _POSIX_C_SOURCE 200809L
#include "common.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- errors -------------------------------------------------------------------------------------

// delassus.errors.make(status, message, file, places)
static PyObject *raise_made(dls_status status, const char *text, const char *file, PyObject *places)
{
  PyObject *errors = PyImport_ImportModule("delassus.errors");
  PyObject *error = errors && places ? PyObject_CallMethod(errors, "make", "iszO", (int)status,
                                                           text, file, places)
                                     : NULL;
  if (error) PyErr_SetObject((PyObject *)Py_TYPE(error), error);
  Py_XDECREF(error);
  Py_XDECREF(errors);
  return NULL;
}

PyObject *raise_status(dls_status status, const dls_message *message)
{
  if (PyErr_Occurred()) return NULL;
  if (status == DLS_ERR_MEMORY) return PyErr_NoMemory();
  const char *text = message && message->text[0] ? message->text : dls_status_text(status);
  return raise_made(status, text, NULL, Py_None);
}

static PyObject *place_of(const dls_diagnostic *d)
{
  return Py_BuildValue("iiiss", d->line, d->column, d->length, d->message, d->hint);
}

PyObject *raise_diagnostics(const dls_diagnostics *diagnostics, const char *file, const char *text,
                            size_t length)
{
  char none[1];
  const size_t size =
      1 + dls_diagnostics_format(diagnostics, file, text, length, none, sizeof none);
  char *message = malloc(size);
  PyObject *places = PyList_New(0);
  if (!message || !places) PyErr_NoMemory();
  for (int i = 0; places && i < diagnostics->count; i++) {
    PyObject *place = place_of(&diagnostics->item[i]);
    if (!place || PyList_Append(places, place) < 0) Py_CLEAR(places);
    Py_XDECREF(place);
  }
  if (message && places) {
    dls_diagnostics_format(diagnostics, file, text, length, message, size);
    raise_made(DLS_ERR_MODEL, message, file, places);
  }
  Py_XDECREF(places);
  free(message);
  return NULL;
}

void pending_take(pending *p)
{
  if (p->type) PyErr_Clear();
  else PyErr_Fetch(&p->type, &p->value, &p->trace);
}

bool pending_raise(pending *p)
{
  if (!p->type) return false;
  PyErr_Restore(p->type, p->value, p->trace);
  *p = (pending){0};
  return true;
}

void pending_forget(pending *p)
{
  Py_CLEAR(p->type);
  Py_CLEAR(p->value);
  Py_CLEAR(p->trace);
}

// ---- work without the lock ----------------------------------------------------------------------

static const double look_after = 0.02;  // seconds

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void work_begin(work *w)
{
  *w = (work){.owner = PyThread_get_thread_ident(), .next = now() + look_after};
  w->thread = PyEval_SaveThread();
}

void work_end(work *w)
{
  PyEval_RestoreThread(w->thread);
}

bool work_look(work *w)
{
  // helpers of the library stop with the thread that called
  if (PyThread_get_thread_ident() != w->owner || w->stopped) return w->stopped;
  const double time = now();
  if (time < w->next) return false;
  w->next = time + look_after;
  PyEval_RestoreThread(w->thread);
  if (PyErr_CheckSignals() < 0) {
    pending_take(&w->raised);
    w->stopped = true;
  }
  w->thread = PyEval_SaveThread();
  return w->stopped;
}

bool work_watch_part(void *self, double done)
{
  (void)done;
  return work_look(self);
}

bool work_watch_iteration(void *self, int iteration, double error, const char *solver)
{
  (void)iteration, (void)error, (void)solver;
  return work_look(self);
}

bool work_ok(work *w, pending *own, dls_status status, const dls_message *message)
{
  if (own && own->type) {
    pending_forget(&w->raised);
    return !pending_raise(own);
  }
  if (pending_raise(&w->raised)) return false;
  if (status == DLS_OK) return true;
  raise_status(status, message);
  return false;
}

// ---- arrays -------------------------------------------------------------------------------------

// Is the format, without a sign for the byte order, one of these letters?
static bool has_format(const Py_buffer *view, const char *letters)
{
  const char *f = view->format ? view->format : "B";
  if (*f == '@' || *f == '=' || *f == '<') f++;
  return f[0] && !f[1] && strchr(letters, f[0]);
}

static bool take(buffer *b, PyObject *from, Py_ssize_t count, int flags, const char *letters,
                 Py_ssize_t size, const char *name)
{
  if (PyObject_GetBuffer(from, &b->view, flags | PyBUF_FORMAT | PyBUF_ANY_CONTIGUOUS) < 0)
    return false;
  b->held = true;
  b->count = b->view.len / size;
  if (b->view.itemsize != size || !has_format(&b->view, letters))
    PyErr_Format(PyExc_TypeError, "%s: expected %s", name,
                 size == 8 ? "double precision numbers" : "32-bit integers");
  else if (count >= 0 && b->count != count)
    PyErr_Format(PyExc_ValueError, "%s has %zd numbers, expected %zd", name, b->count, count);
  else return true;
  buffer_release(b);
  return false;
}

bool buffer_doubles(buffer *b, PyObject *from, Py_ssize_t count, bool writable, const char *name)
{
  return take(b, from, count, writable ? PyBUF_WRITABLE : 0, "d", 8, name);
}

bool buffer_ints(buffer *b, PyObject *from, Py_ssize_t count, const char *name)
{
  return take(b, from, count, 0, "il", 4, name);
}

void buffer_release(buffer *b)
{
  if (b->held) PyBuffer_Release(&b->view);
  b->held = false;
}

PyObject *bytes_of(const void *data, size_t count, size_t size)
{
  return PyByteArray_FromStringAndSize(data, (Py_ssize_t)(count * size));
}

PyObject *doubles_of(const double *x, Py_ssize_t count)
{
  if (!x) Py_RETURN_NONE;
  return bytes_of(x, (size_t)count, sizeof *x);
}

PyObject *names_of(const char *const *names, int count)
{
  PyObject *list = PyList_New(count);
  for (int i = 0; list && i < count; i++) {
    PyObject *name = PyUnicode_FromString(names[i] ? names[i] : "");
    if (!name || PyList_SetItem(list, i, name) < 0) Py_CLEAR(list);
  }
  return list;
}

bool put(PyObject *dict, const char *name, PyObject *value)
{
  const bool done = value && dict && PyDict_SetItemString(dict, name, value) == 0;
  Py_XDECREF(value);
  return done;
}

bool series_add(series *s, const void *data, size_t bytes)
{
  if (s->room - s->used < bytes) {
    const size_t room = 2 * (s->used + bytes) + 256;
    char *larger = room > s->used ? realloc(s->data, room) : NULL;
    if (!larger) return false;
    s->data = larger;
    s->room = room;
  }
  if (bytes) memcpy(s->data + s->used, data, bytes);
  s->used += bytes;
  return true;
}

void series_free(series *s)
{
  free(s->data);
  *s = (series){0};
}

PyObject *series_bytes(const series *s)
{
  return bytes_of(s->data, s->used, 1);
}

PyObject *state_of(const dls_state *state, int nq, int n)
{
  return Py_BuildValue("dNN", state->t, doubles_of(state->q, nq), doubles_of(state->v, n));
}

PyObject *add_type(PyObject *module, PyType_Spec *spec, const char *name)
{
  PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
  if (!type || PyModule_AddObjectRef(module, name, type) < 0) {
    Py_XDECREF(type);
    return NULL;
  }
  return type;
}
