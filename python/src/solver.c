// One-step problems: solvers, residuals, many at once.
#include "common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Numbers of a problem, which belong to the caller and are held as long as the solver lives.
typedef struct held {
  buffer mu, q, w, f, x[3], law, direction, bound;
} held;

typedef struct solver_object {
  PyObject_HEAD dls_incremental problem;
  held held;
  int *pattern[3];  // copies: solvers are made for them
  dls_solver *solver;
  double norm_q;
  bool busy;
  work *work;
} solver_object;

static bool watch(void *self, int iteration, double error, const char *solver)
{
  solver_object *o = self;
  (void)iteration, (void)error, (void)solver;
  return o->work && work_look(o->work);
}

static void release(held *h)
{
  buffer *all = (buffer *)h;
  for (size_t k = 0; k < sizeof *h / sizeof *all; k++) buffer_release(&all[k]);
}

static void solver_dealloc(PyObject *self)
{
  solver_object *o = (solver_object *)self;
  PyTypeObject *type = Py_TYPE(self);
  dls_solver_free(o->solver);
  release(&o->held);
  for (int k = 0; k < 3; k++) free(o->pattern[k]);
  PyObject_Free(self);
  Py_DECREF(type);
}

// ---- creation -----------------------------------------------------------------------------------

static bool copy_pattern(solver_object *o, int k, const buffer *p, const buffer *i, int rows,
                         dls_pattern *out)
{
  const size_t columns = (size_t)p->count, entries = (size_t)i->count;
  int *copy = malloc((columns + entries + 1) * sizeof *copy);
  if (!copy) return PyErr_NoMemory() != NULL;
  memcpy(copy, p->view.buf, columns * sizeof *copy);
  if (entries) memcpy(copy + columns, i->view.buf, entries * sizeof *copy);
  o->pattern[k] = copy;
  *out = (dls_pattern){rows, (int)columns - 1, copy, copy + columns};
  return true;
}

// (rows, columns, p, i, x) of a sparse matrix in compressed columns; x is not copied
static bool read_matrix(PyObject *from, solver_object *o, int k, dls_matrix_view *out,
                        const char *name)
{
  PyObject *columns, *indices, *x;
  buffer p = {0}, i = {0};
  int rows = 0, cols = 0;
  if (!PyArg_ParseTuple(from, "iiOOO", &rows, &cols, &columns, &indices, &x)) return false;
  bool done = false;
  if (rows < 0 || cols < 0) PyErr_Format(PyExc_ValueError, "%s has a negative size", name);
  else if (buffer_ints(&p, columns, (Py_ssize_t)cols + 1, name) &&
           buffer_ints(&i, indices, -1, name) &&
           buffer_doubles(&o->held.x[k], x, -1, false, name)) {
    const int entries = ((const int *)p.view.buf)[cols];
    done = entries >= 0 && i.count >= entries && o->held.x[k].count >= entries;
    if (!done) PyErr_Format(PyExc_ValueError, "%s has fewer entries than its columns say", name);
  }
  done = done && copy_pattern(o, k, &p, &i, rows, &out->pattern);
  if (done) out->x = o->held.x[k].view.buf;
  buffer_release(&p);
  buffer_release(&i);
  return done;
}

static bool read_laws(PyObject *laws, PyObject *direction, PyObject *bound, solver_object *o)
{
  dls_incremental *p = &o->problem;
  if (laws == Py_None) return true;
  if (PyObject_GetBuffer(laws, &o->held.law.view, PyBUF_SIMPLE) < 0) return false;
  o->held.law.held = true;
  const int slips = p->contacts * (p->dimension - 1);
  if (o->held.law.view.len != p->contacts) {
    PyErr_SetString(PyExc_ValueError, "expected one law for each contact");
    return false;
  }
  p->law = o->held.law.view.buf;
  if (direction != Py_None) {
    if (!buffer_doubles(&o->held.direction, direction, slips, false, "direction")) return false;
    p->direction = o->held.direction.view.buf;
  }
  if (bound != Py_None) {
    if (!buffer_doubles(&o->held.bound, bound, p->contacts, false, "bound")) return false;
    p->bound = o->held.bound.view.buf;
  }
  return true;
}

// All that is wrong with sizes is said here; numbers and patterns are looked at by the library.
static bool read_problem(PyObject *args, solver_object *o, dls_solve_options *how)
{
  PyObject *mu, *W, *q, *M, *H, *f, *w, *law, *direction, *bound;
  dls_incremental *p = &o->problem;
  held *h = &o->held;
  if (!PyArg_ParseTuple(args, "iiOOOOOOOOOOsdidiii", &p->dimension, &p->equations, &mu, &W, &q, &M,
                        &H, &f, &w, &law, &direction, &bound, &how->solver, &how->tolerance,
                        &how->max_iterations, &how->time_limit, &how->threads, &how->facets,
                        &how->history))
    return false;
  if (p->dimension < 2 || p->dimension > 3 || p->equations < 0 || how->history < 0) {
    PyErr_SetString(PyExc_ValueError, "expected a dimension of 2 or 3, and no negative number");
    return false;
  }
  if (!buffer_doubles(&h->mu, mu, -1, false, "mu")) return false;
  if (h->mu.count > 100000000) return PyErr_NoMemory() != NULL;
  p->contacts = (int)h->mu.count;
  p->mu = h->mu.view.buf;
  const int rows = dls_incremental_rows(p);
  p->global = W == Py_None;
  if (!read_laws(law, direction, bound, o)) return false;
  if (!p->global) {
    if (!read_matrix(W, o, 0, &p->W, "W") || !buffer_doubles(&h->q, q, rows, false, "q"))
      return false;
    p->q = h->q.view.buf;
    return true;
  }
  if (!read_matrix(M, o, 1, &p->M, "M") || !read_matrix(H, o, 2, &p->H, "H")) return false;
  p->dof = p->M.pattern.rows;
  if (!buffer_doubles(&h->f, f, p->dof, false, "f") || !buffer_doubles(&h->w, w, rows, false, "w"))
    return false;
  p->f = h->f.view.buf, p->w = h->w.view.buf;
  return true;
}

// Solver(dimension, equations, mu, W, q, M, H, f, w, law, direction, bound, solver, tolerance,
// max_iterations, time_limit, threads, facets, history); W None: the global form
static PyObject *solver_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
  dls_solve_options how = dls_solve_defaults();
  dls_message message = {0};
  (void)kw;
  allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  solver_object *o = (solver_object *)make(type, 0);
  if (!o) return NULL;
  if (!read_problem(args, o, &how)) goto failed;
  const dls_solver_info *known = dls_solver_find(how.solver);
  if (known) how.solver = known->name;  // which lives longer than the text of the call
  how.watch = watch, how.self = o;
  work w;
  work_begin(&w);
  dls_status status = dls_incremental_validate(&o->problem, &message);
  if (status == DLS_OK) status = dls_solver_create(&o->problem, &how, &o->solver, &message);
  if (status == DLS_OK) status = dls_incremental_scale(&o->problem, &o->norm_q);
  work_end(&w);
  if (work_ok(&w, NULL, status, &message)) return (PyObject *)o;
failed:
  Py_DECREF(o);
  return NULL;
}

// ---- solving ------------------------------------------------------------------------------------

static PyObject *error_of(const dls_incremental_error *e)
{
  return Py_BuildValue(
      "{sdsdsdsdsdsdsdsdsdsdsdsdsdsdsd}", "natural", e->natural, "q", e->q, "siconos", e->siconos,
      "fclib", e->fclib, "largest", e->largest, "scaled", e->scaled, "weighted", e->weighted,
      "normal", e->normal, "cone", e->cone, "complementarity", e->complementarity, "slip", e->slip,
      "equation", e->equation, "common", e->common, "rounding", e->rounding, "balance", e->balance);
}

static PyObject *history_of(const dls_solve_report *r)
{
  PyObject *list = PyList_New(0);
  for (int k = 0; list && k < r->moments; k++) {
    const dls_solve_sample *h = &r->history[k];
    PyObject *item = Py_BuildValue("idds", h->iteration, h->seconds, h->error, h->solver);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

// solve(r, u, v) -> (converged, error, stop, solver, iterations, seconds, errors, history); r and v
// are the start, and what is returned. v: None in local form.
static PyObject *solver_solve(PyObject *self, PyObject *args)
{
  solver_object *o = (solver_object *)self;
  PyObject *given_r, *given_u, *given_v, *result = NULL;
  buffer r = {0}, u = {0}, v = {0};
  dls_solve_report report = {0};
  if (!PyArg_ParseTuple(args, "OOO", &given_r, &given_u, &given_v)) return NULL;
  const int rows = dls_incremental_rows(&o->problem);
  if (o->busy) return PyErr_Format(PyExc_RuntimeError, "the solver is at work already");
  if (buffer_doubles(&r, given_r, rows, true, "r") &&
      buffer_doubles(&u, given_u, rows, true, "u") &&
      (!o->problem.global || buffer_doubles(&v, given_v, o->problem.dof, true, "v"))) {
    work w;
    dls_message message = {0};
    o->busy = true;
    work_begin(&w);
    o->work = &w;
    dls_status status = dls_incremental_validate(&o->problem, &message);
    if (status == DLS_OK)
      status =
          dls_solver_solve(o->solver, r.view.buf, v.held ? v.view.buf : NULL, u.view.buf, &report);
    o->work = NULL;
    work_end(&w);
    if (work_ok(&w, NULL, status, &message))
      result = Py_BuildValue("OdssidNN", report.converged ? Py_True : Py_False,
                             report.error.largest, dls_stop_text(report.stop),
                             report.solver ? report.solver : "", report.iterations, report.seconds,
                             error_of(&report.error), history_of(&report));
    o->busy = false;
  }
  buffer_release(&r);
  buffer_release(&u);
  buffer_release(&v);
  return result;
}

// residual(r, v, u) -> errors; u is written
static PyObject *solver_residual(PyObject *self, PyObject *args)
{
  solver_object *o = (solver_object *)self;
  PyObject *given_r, *given_v, *given_u, *result = NULL;
  buffer r = {0}, u = {0}, v = {0};
  dls_incremental_error error = {0};
  if (!PyArg_ParseTuple(args, "OOO", &given_r, &given_v, &given_u)) return NULL;
  const int rows = dls_incremental_rows(&o->problem);
  if (buffer_doubles(&r, given_r, rows, false, "r") &&
      buffer_doubles(&u, given_u, rows, true, "u") &&
      (!o->problem.global || buffer_doubles(&v, given_v, o->problem.dof, false, "v"))) {
    PyThreadState *thread = PyEval_SaveThread();
    double norm_q = 0;
    dls_status status = dls_incremental_scale(&o->problem, &norm_q);
    if (status == DLS_OK)
      status = dls_incremental_residual(&o->problem, norm_q, r.view.buf, v.held ? v.view.buf : NULL,
                                        u.view.buf, &error);
    PyEval_RestoreThread(thread);
    result = status == DLS_OK ? error_of(&error) : raise_status(status, NULL);
  }
  buffer_release(&r);
  buffer_release(&u);
  buffer_release(&v);
  return result;
}

static PyObject *list_solvers(PyObject *self, PyObject *none)
{
  PyObject *list = PyList_New(0);
  (void)self, (void)none;
  for (int i = 0; list && i < dls_solver_count(); i++) {
    const dls_solver_info *s = dls_solver_info_at(i);
    PyObject *item = Py_BuildValue("ssOO", s->name, s->summary, s->local ? Py_True : Py_False,
                                   s->global ? Py_True : Py_False);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

// write(path, title, description, r, u, v): an FCLIB file; r None: without a solution
static PyObject *solver_write(PyObject *self, PyObject *args)
{
  solver_object *o = (solver_object *)self;
  PyObject *given[3], *result = NULL;
  buffer b[3] = {{.count = 0}};
  dls_fclib file = {.problem = o->problem};
  const char *path = NULL;
  if (!PyArg_ParseTuple(args, "szzOOO", &path, &file.title, &file.description, &given[0], &given[1],
                        &given[2]))
    return NULL;
  const int rows = dls_incremental_rows(&o->problem);
  const bool solved = given[0] != Py_None, global = solved && o->problem.global;
  if (!solved || (buffer_doubles(&b[0], given[0], rows, false, "r") &&
                  buffer_doubles(&b[1], given[1], rows, false, "u") &&
                  (!global || buffer_doubles(&b[2], given[2], o->problem.dof, false, "v")))) {
    const dls_fclib_point point = {b[1].view.buf, b[0].view.buf, global ? b[2].view.buf : NULL};
    dls_message message = {0};
    // with the lock: the HDF5 library serves one thread at a time
    dls_status status = dls_incremental_validate(&o->problem, &message);
    if (status == DLS_OK) status = dls_fclib_write(path, &file, solved ? &point : NULL, &message);
    result = status == DLS_OK ? Py_NewRef(Py_None) : raise_status(status, &message);
  }
  for (int k = 0; k < 3; k++) buffer_release(&b[k]);
  return result;
}

static PyMethodDef methods[] = {{"solve", solver_solve, METH_VARARGS, NULL},
                                {"residual", solver_residual, METH_VARARGS, NULL},
                                {"write", solver_write, METH_VARARGS, NULL},
                                {"list", list_solvers, METH_NOARGS | METH_STATIC, NULL},
                                {0}};
static PyType_Slot slots[] = {
    {Py_tp_new, solver_new}, {Py_tp_dealloc, solver_dealloc}, {Py_tp_methods, methods}, {0, NULL}};
static PyType_Spec spec = {"delassus._delassus.Solver", sizeof(solver_object), 0,
                           Py_TPFLAGS_DEFAULT, slots};

bool add_solver(PyObject *module)
{
  return add_type(module, &spec, "Solver") != NULL;
}
