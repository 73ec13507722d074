// Systems: parameters, states, and what a model is at them.
#include "common.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *system_type;

bool system_enter(system_object *s)
{
  if (s->busy || s->borrowed) {
    PyErr_SetString(PyExc_RuntimeError,
                    s->borrowed ? "the system belongs to a motion that is being computed"
                                : "the system is at work already");
    return false;
  }
  s->busy = true;
  return true;
}

void system_leave(system_object *s)
{
  s->busy = false;
}

pending *system_pending(system_object *s)
{
  return s->own ? callbacks_pending(s->own) : NULL;
}

static void system_dealloc(PyObject *self)
{
  system_object *s = (system_object *)self;
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (s->own) callbacks_free(s->own);
  else dls_system_free(s->system);
  Py_XDECREF(s->model);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

static int system_traverse(PyObject *self, visitproc visit, void *arg)
{
  system_object *s = (system_object *)self;
  Py_VISIT(s->model);
  if (s->own) Py_VISIT(callbacks_keeps(s->own));
  Py_VISIT(Py_TYPE(self));
  return 0;
}

// System(of): of a Model, or of a tuple that callbacks.c reads.
static PyObject *system_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
  PyObject *of = NULL;
  dls_message message = {0};
  (void)kw;
  if (!PyArg_ParseTuple(args, "O", &of)) return NULL;
  const dls_model *model = PyTuple_Check(of) ? NULL : model_of(of);
  if (!model && !PyTuple_Check(of)) return NULL;
  system_object *s = PyObject_GC_New(system_object, type);
  if (!s) return NULL;
  s->model = NULL, s->system = NULL, s->own = NULL, s->busy = s->borrowed = false;
  dls_status status = DLS_OK;
  if (model) {
    status = dls_model_system_with(model, &s->system, &message);
    s->model = Py_NewRef(of);
  } else {
    status = callbacks_create(of, &s->own, &s->system);
  }
  PyObject_GC_Track((PyObject *)s);
  if (status == DLS_OK && s->own) status = dls_system_validate(s->system, &message);
  if (status == DLS_OK) return (PyObject *)s;
  raise_status(status, &message);
  Py_DECREF(s);
  return NULL;
}

// ---- names and parameters -----------------------------------------------------------------------

static PyObject *list_contacts(const dls_system *s)
{
  PyObject *list = PyList_New(0);
  for (int j = 0; list && j < s->m; j++) {
    const dls_contact_info *c = &s->contacts[j];
    PyObject *item =
        Py_BuildValue("sOi", c->name, c->kind == DLS_BILATERAL ? Py_True : Py_False, c->tangents);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *system_about(PyObject *self, PyObject *none)
{
  const dls_system *s = ((system_object *)self)->system;
  (void)none;
  PyObject *about = PyDict_New();
  if (put(about, "coordinates", names_of(dls_configuration_names(s), dls_system_nq(s))) &&
      put(about, "velocities", names_of(s->coordinates, s->n)) &&
      put(about, "contacts", list_contacts(s)) &&
      put(about, "changing", PyBool_FromLong(s->find != NULL)) &&
      put(about, "chart", PyBool_FromLong(s->chart != NULL)))
    return about;
  Py_XDECREF(about);
  return NULL;
}

static PyObject *system_set(PyObject *self, PyObject *args)
{
  system_object *s = (system_object *)self;
  const char *name = NULL, *value = NULL;
  dls_message message = {0};
  if (!PyArg_ParseTuple(args, "ss", &name, &value) || !system_enter(s)) return NULL;
  const dls_status status = dls_model_set(s->system, name, value, &message);
  system_leave(s);
  if (status != DLS_OK) return raise_status(status, &message);
  Py_RETURN_NONE;
}

static PyObject *system_parameter(PyObject *self, PyObject *args)
{
  int index = 0;
  if (!PyArg_ParseTuple(args, "i", &index)) return NULL;
  return PyFloat_FromDouble(dls_system_parameter(((system_object *)self)->system, index));
}

static PyObject *system_compile(PyObject *self, PyObject *none)
{
  system_object *s = (system_object *)self;
  dls_message message = {0};
  work w;
  (void)none;
  if (!system_enter(s)) return NULL;
  work_begin(&w);
  const dls_status status = dls_model_compile(s->system, NULL, &message);
  work_end(&w);
  system_leave(s);
  return work_ok(&w, NULL, status, &message) ? Py_NewRef(Py_None) : NULL;
}

// ---- states -------------------------------------------------------------------------------------

static PyObject *no_memory(dls_state *state)
{
  free(state->q);
  free(state->v);
  return PyErr_NoMemory();
}

// state(at) -> (t, q, v)
static PyObject *system_state(PyObject *self, PyObject *args)
{
  system_object *s = (system_object *)self;
  const char *at = NULL;
  const int nq = dls_system_nq(s->system), n = s->system->n;
  dls_message message = {0};
  dls_state state = {0};
  if (!PyArg_ParseTuple(args, "z", &at)) return NULL;
  state.q = calloc((size_t)nq + 1, sizeof(double));
  state.v = calloc((size_t)n + 1, sizeof(double));
  if (!state.q || !state.v) return no_memory(&state);
  PyObject *result = NULL;
  if (system_enter(s)) {
    const dls_status status = dls_model_state(s->system, at, &state, &message);
    system_leave(s);
    result = status == DLS_OK ? state_of(&state, nq, n) : raise_status(status, &message);
  }
  free(state.q);
  free(state.v);
  return result;
}

typedef struct scene_work {
  dls_drawing *drawing;
  dls_scene scene;
  char *data;
  size_t size;
} scene_work;

static dls_status draw(system_object *s, const dls_state *state, scene_work *d,
                       dls_message *message)
{
  dls_status status = dls_drawing_create(s->system, &d->drawing, message);
  if (status == DLS_OK) status = dls_drawing_evaluate(d->drawing, state, message);
  if (status != DLS_OK || dls_drawing_count(d->drawing) == 0) return status;
  d->scene.space = dls_drawing_space(d->drawing);
  memcpy(d->scene.view, dls_drawing_view(d->drawing), sizeof d->scene.view);
  d->scene.instants = 1;
  d->scene.count = dls_drawing_count(d->drawing);
  d->scene.shape = dls_drawing_shapes(d->drawing);
  return dls_scene_draw(&d->scene, DLS_SVG, &d->data, &d->size, message);
}

// draw(t, q, v, title) -> SVG as bytes, or None: the model draws nothing
static PyObject *system_draw(PyObject *self, PyObject *args)
{
  system_object *s = (system_object *)self;
  PyObject *given_q = NULL, *given_v = NULL, *result = NULL;
  scene_work d = {0};
  dls_state state = {0};
  dls_message message = {0};
  buffer q = {0}, v = {0};
  if (!PyArg_ParseTuple(args, "dOOz", &state.t, &given_q, &given_v, &d.scene.title)) return NULL;
  if (buffer_doubles(&q, given_q, dls_system_nq(s->system), false, "q") &&
      buffer_doubles(&v, given_v, s->system->n, false, "v") && system_enter(s)) {
    state.q = q.view.buf, state.v = v.view.buf;
    const dls_status status = draw(s, &state, &d, &message);
    system_leave(s);
    if (status != DLS_OK) raise_status(status, &message);
    else if (!d.data) result = Py_NewRef(Py_None);
    else result = PyBytes_FromStringAndSize(d.data, (Py_ssize_t)d.size);
  }
  dls_picture_data_free(d.data);
  dls_drawing_free(d.drawing);
  buffer_release(&q);
  buffer_release(&v);
  return result;
}

static PyMethodDef methods[] = {{"about", system_about, METH_NOARGS, NULL},
                                {"set", system_set, METH_VARARGS, NULL},
                                {"parameter", system_parameter, METH_VARARGS, NULL},
                                {"compile", system_compile, METH_NOARGS, NULL},
                                {"state", system_state, METH_VARARGS, NULL},
                                {"draw", system_draw, METH_VARARGS, NULL},
                                {0}};
static PyType_Slot slots[] = {{Py_tp_new, system_new},
                              {Py_tp_dealloc, system_dealloc},
                              {Py_tp_traverse, system_traverse},
                              {Py_tp_methods, methods},
                              {0, NULL}};
static PyType_Spec spec = {"delassus._delassus.System", sizeof(system_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

bool add_system(PyObject *module)
{
  system_type = (PyTypeObject *)add_type(module, &spec, "System");
  return system_type != NULL;
}
