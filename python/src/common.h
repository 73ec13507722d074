// What the parts of the extension share: errors, buffers of the caller, work without the lock of
// the interpreter. The limited API of Python 3.11, so that one file serves all versions from there
// on.
#ifndef DELASSUS_PYTHON_COMMON_H
#define DELASSUS_PYTHON_COMMON_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <delassus/delassus.h>
#include <delassus/mechanism.h>

#include <stdbool.h>
#include <stdint.h>

// ---- errors -------------------------------------------------------------------------------------

// Raises the exception of a status, from delassus.errors. NULL, always.
PyObject *raise_status(dls_status status, const dls_message *message);
// Raises ModelError with the places; text: of the model.
PyObject *raise_diagnostics(const dls_diagnostics *diagnostics, const char *file, const char *text,
                            size_t length);

// An exception that waits until the library has returned.
typedef struct pending {
  PyObject *type, *value, *trace;
} pending;

void pending_take(pending *p);   // from the interpreter; the first one stays
bool pending_raise(pending *p);  // back to it; false: there was none
void pending_forget(pending *p);

// ---- work without the lock ----------------------------------------------------------------------

// Other threads of Python run meanwhile; now and then signals are looked at, so that Ctrl-C ends
// it.
typedef struct work {
  PyThreadState *thread;
  unsigned long owner;
  double next;  // when to look again
  bool stopped;
  pending raised;
} work;

void work_begin(work *w);
void work_end(work *w);
// To be called from the watch functions of the library; true: the work should end.
bool work_look(work *w);
bool work_watch_part(void *self, double done);
bool work_watch_iteration(void *self, int iteration, double error, const char *solver);
// After work_end: raises what came up. own may be NULL: exceptions of callbacks. True: all is well.
bool work_ok(work *w, pending *own, dls_status status, const dls_message *message);

// ---- arrays -------------------------------------------------------------------------------------

// Contiguous numbers of the caller, held as long as they are used.
typedef struct buffer {
  Py_buffer view;
  Py_ssize_t count;
  bool held;
} buffer;

// count < 0: any number of them. False, with an exception, when they are not that many doubles.
bool buffer_doubles(buffer *b, PyObject *from, Py_ssize_t count, bool writable, const char *name);
bool buffer_ints(buffer *b, PyObject *from, Py_ssize_t count, const char *name);
void buffer_release(buffer *b);  // what was never held, too

PyObject *bytes_of(const void *data, size_t count, size_t size);  // a bytearray
PyObject *doubles_of(const double *x, Py_ssize_t count);          // likewise; NULL: None
PyObject *names_of(const char *const *names, int count);          // a list
// dict[name] = value, whose reference is taken; false: value was NULL, or it failed.
bool put(PyObject *dict, const char *name, PyObject *value);

// A growing array, without the lock.
typedef struct series {
  char *data;
  size_t used, room;  // bytes
} series;
bool series_add(series *s, const void *data, size_t bytes);
void series_free(series *s);
PyObject *series_bytes(const series *s);

// ---- objects ------------------------------------------------------------------------------------

typedef struct callbacks callbacks;

typedef struct system_object {
  PyObject_HEAD PyObject *model;  // the object that the system was made from; NULL: callbacks
  dls_system *system;
  callbacks *own;  // NULL: a model
  bool busy;       // in another thread, or further up in this one
  bool borrowed;   // an integrator has it
} system_object;

extern PyTypeObject *system_type;

// Before and after work with the system; false, with an exception, when somebody else has it.
bool system_enter(system_object *s);
void system_leave(system_object *s);
pending *system_pending(system_object *s);  // NULL: no callbacks

struct model_object;
const dls_model *model_of(PyObject *model);  // NULL, with an exception, when it is none

// callbacks.c: a system of Python functions
dls_status callbacks_create(PyObject *spec, callbacks **out, dls_system **system);
pending *callbacks_pending(callbacks *own);
PyObject *callbacks_keeps(callbacks *own);  // borrowed: what it was made of
void callbacks_free(callbacks *own);

// options.c: {"step": 0.01, "rtol": 1e-6, ...}; false, with an exception, when they are something
// else
bool integrator_options(PyObject *given, dls_integrator_options *how);

// force.c: a system with additional forces on its coordinates
typedef struct forced forced;
forced *forced_create(const dls_system *inner);
void forced_free(forced *f);
const dls_system *forced_system(const forced *f);
double *forced_force(forced *f);  // n
void forced_follow(forced *f);    // after anything of the inner system has changed

PyObject *state_of(const dls_state *state, int nq, int n);  // (t, q, v)

// What each part adds to the module.
bool add_model(PyObject *module);
bool add_system(PyObject *module);
bool add_solver(PyObject *module);
bool add_integrator(PyObject *module);
bool add_world(PyObject *module);
PyObject *add_type(PyObject *module, PyType_Spec *spec, const char *name);  // borrowed

extern PyMethodDef check_methods[], problem_methods[], order_methods[];

#endif
