// Models: texts and files, and what they declare.
#include "common.h"

#include <string.h>

typedef struct model_object {
  PyObject_HEAD dls_model *model;
  dls_model_files *files;
  dls_import *import;
} model_object;

static PyTypeObject *model_type;

const dls_model *model_of(PyObject *model)
{
  if (PyObject_TypeCheck(model, model_type)) return ((model_object *)model)->model;
  PyErr_SetString(PyExc_TypeError, "expected a model");
  return NULL;
}

static void model_dealloc(PyObject *self)
{
  model_object *m = (model_object *)self;
  PyTypeObject *type = Py_TYPE(self);
  dls_model_free(m->model);
  dls_model_files_free(m->files);
  dls_import_free(m->import);
  PyObject_Free(self);
  Py_DECREF(type);
}

enum { PACKAGES = 64 };

// [(name, folder)]; texts are those of the list.
static bool read_packages(PyObject *list, dls_import_package *package, int *count)
{
  const Py_ssize_t size = list == Py_None ? 0 : PySequence_Size(list);
  if (size > PACKAGES) PyErr_SetString(PyExc_ValueError, "too many packages");
  if (size < 0 || size > PACKAGES) return false;
  for (*count = 0; *count < (int)size; ++*count) {
    PyObject *item = PySequence_GetItem(list, *count);
    const bool read =
        item && PyArg_ParseTuple(item, "ss", &package[*count].name, &package[*count].folder);
    Py_XDECREF(item);
    if (!read) return false;
  }
  return true;
}

static bool parse_text(model_object *m, const char *text, Py_ssize_t length, const char *path,
                       const char *shown, const dls_import_options *how)
{
  dls_message message = {0};
  dls_diagnostics diagnostics = {0};
  dls_status status = path ? dls_model_files_create(path, how, &m->files, &message) : DLS_OK;
  if (status == DLS_OK) {
    PyThreadState *thread = PyEval_SaveThread();
    status = dls_model_parse_with(text, (size_t)length, m->files, &m->model, &diagnostics);
    PyEval_RestoreThread(thread);
  }
  if (status == DLS_OK) return true;
  if (diagnostics.count) raise_diagnostics(&diagnostics, shown, text, (size_t)length);
  else raise_status(status, &message);
  return false;
}

static bool import_file(model_object *m, const char *path, const dls_import_options *how)
{
  dls_message message = {0};
  PyThreadState *thread = PyEval_SaveThread();
  dls_status status = dls_import_read(path, how, &m->import, &message);
  if (status == DLS_OK) status = dls_model_from_import(m->import, &m->model, &message);
  PyEval_RestoreThread(thread);
  if (status != DLS_OK) raise_status(status, &message);
  return status == DLS_OK;
}

// Model(text, path, shown, packages, maximal): text None: the file is MJCF or URDF.
static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
  const char *text = NULL, *path = NULL, *shown = "model";
  Py_ssize_t length = 0;
  PyObject *packages = Py_None;
  int maximal = 0;
  dls_import_package package[PACKAGES];
  dls_import_options how = {.package = package};
  static char *names[] = {"text", "path", "shown", "packages", "maximal", NULL};
  if (!PyArg_ParseTupleAndKeywords(args, kw, "z#zs|Op", names, &text, &length, &path, &shown,
                                   &packages, &maximal) ||
      !read_packages(packages, package, &how.packages))
    return NULL;
  allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  model_object *m = (model_object *)make(type, 0);
  if (!m) return NULL;
  if (!(text ? parse_text(m, text, length, path, shown, &how) : import_file(m, path, &how))) {
    Py_DECREF(m);
    return NULL;
  }
  if (maximal) dls_model_set_coordinates(m->model, DLS_MAXIMAL);
  return (PyObject *)m;
}

typedef const char *name_function(const dls_model *model, int index);

static PyObject *list_names(const dls_model *model, int count, name_function *name)
{
  PyObject *list = PyList_New(count);
  for (int i = 0; list && i < count; i++) {
    PyObject *text = PyUnicode_FromString(name(model, i));
    if (!text || PyList_SetItem(list, i, text) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject *list_events(const dls_model *model)
{
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < dls_model_event_count(model); i++) {
    const dls_model_event e = dls_model_event_at(model, i);
    PyObject *item = Py_BuildValue("siO", e.name, e.direction, e.stop ? Py_True : Py_False);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *list_notes(const dls_import *import)
{
  PyObject *list = PyList_New(0);
  for (int i = 0; list && import && i < import->notes; i++) {
    const dls_import_note *n = &import->note[i];
    PyObject *item = Py_BuildValue("siO", n->what, n->count, n->approximated ? Py_True : Py_False);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

// What the model declares, as a dict of lists.
static PyObject *model_about(PyObject *self, PyObject *none)
{
  const model_object *m = (model_object *)self;
  const dls_model *d = m->model;
  (void)none;
  PyObject *about = PyDict_New();
  if (put(about, "title", PyUnicode_FromString(dls_model_title(d))) &&
      put(about, "parameters",
          list_names(d, dls_model_parameter_count(d), dls_model_parameter_name)) &&
      put(about, "states", list_names(d, dls_model_state_count(d), dls_model_state_name)) &&
      put(about, "objects", list_names(d, dls_model_object_count(d), dls_model_object_name)) &&
      put(about, "outputs", list_names(d, dls_model_output_count(d), dls_model_output_name)) &&
      put(about, "events", list_events(d)) && put(about, "notes", list_notes(m->import)))
    return about;
  Py_XDECREF(about);
  return NULL;
}

static PyMethodDef methods[] = {{"about", model_about, METH_NOARGS, NULL}, {0}};
static PyType_Slot slots[] = {
    {Py_tp_new, model_new}, {Py_tp_dealloc, model_dealloc}, {Py_tp_methods, methods}, {0, NULL}};
static PyType_Spec spec = {"delassus._delassus.Model", sizeof(model_object), 0, Py_TPFLAGS_DEFAULT,
                           slots};

bool add_model(PyObject *module)
{
  model_type = (PyTypeObject *)add_type(module, &spec, "Model");
  return model_type != NULL;
}
