// Discrete problems without an object of their own: many small ones, complementarity, files.
#include "common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- many small problems ------------------------------------------------------------------------

// Problems of one size, dense; W by rows, as arrays are in C and in NumPy.
typedef struct batch {
  int count, dimension, contacts, equations, rows;
  const double *W, *q, *mu;
  double *r, *error;
  unsigned char *converged;
  // The problem at work, always at the same place: W by columns, q, mu.
  double *column, *load, *friction;
  int *p, *i;
} batch;

static bool batch_room(batch *b)
{
  const size_t n = (size_t)b->rows;
  b->column = malloc((n * n + n + (size_t)b->contacts + 1) * sizeof *b->column);
  b->p = malloc((n + 1) * sizeof *b->p);
  b->i = malloc((n * n + 1) * sizeof *b->i);
  if (!b->column || !b->p || !b->i) return false;
  b->load = b->column + n * n;
  b->friction = b->load + n;
  for (int j = 0; j <= b->rows; j++) b->p[j] = j * b->rows;
  for (int k = 0; k < b->rows * b->rows; k++) b->i[k] = k % b->rows;
  return true;
}

static void batch_free(batch *b)
{
  free(b->column);
  free(b->p);
  free(b->i);
}

// False: a number is not finite, or a coefficient of friction negative.
static bool load(const batch *b, int k)
{
  const size_t n = (size_t)b->rows, m = (size_t)b->contacts;
  const double *W = b->W + (size_t)k * n * n;
  double wrong = 0;  // x - x is 0 of what is finite, and nan of all else
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) b->column[j * n + i] = W[i * n + j];
  for (size_t i = 0; i < n * n; i++) wrong += W[i] - W[i];
  memcpy(b->load, b->q + (size_t)k * n, n * sizeof(double));
  memcpy(b->friction, b->mu + (size_t)k * m, m * sizeof(double));
  for (size_t i = 0; i < n; i++) wrong += b->load[i] - b->load[i];
  for (size_t i = 0; i < m; i++) wrong += b->friction[i] >= 0 ? b->friction[i] - b->friction[i] : 1;
  return wrong == 0;
}

static void say_which(int k, dls_message *message)
{
  dls_message whole;
  snprintf(whole.text, sizeof whole.text, "problem %d: %.900s", k, message->text);
  *message = whole;
}

static dls_status solve_batch_in(batch *b, dls_solve_options *how, work *w, dls_message *message)
{
  dls_incremental problem = {
      .dimension = b->dimension, .contacts = b->contacts, .equations = b->equations};
  dls_solver *solver = NULL;
  dls_status status = batch_room(b) ? DLS_OK : DLS_ERR_MEMORY;
  problem.W = (dls_matrix_view){{b->rows, b->rows, b->p, b->i}, b->column};
  problem.q = b->load, problem.mu = b->friction;
  how->watch = work_watch_iteration, how->self = w;
  for (int k = 0; k < b->count && status == DLS_OK; k++) {
    dls_solve_report report = {0};
    if (!load(b, k) || !solver) status = dls_incremental_validate(&problem, message);
    if (status == DLS_OK && !solver) status = dls_solver_create(&problem, how, &solver, message);
    if (status == DLS_OK)
      status = dls_solver_solve(solver, b->r + (size_t)k * (size_t)b->rows, NULL, NULL, &report);
    b->converged[k] = report.converged;
    b->error[k] = report.error.largest;
    if (status != DLS_OK) say_which(k, message);
    if (status == DLS_OK && k % 256 == 0 && work_look(w)) status = DLS_ERR_STOPPED;
    if (w->stopped) status = DLS_ERR_STOPPED;
  }
  dls_solver_free(solver);
  return status;
}

// solve_batch(count, dimension, contacts, equations, W, q, mu, r, converged, error, solver,
// tolerance, max_iterations): r is the start and what is found, converged a byte each
static PyObject *solve_batch(PyObject *self, PyObject *args)
{
  batch b = {0};
  PyObject *W, *q, *mu, *r, *error, *result = NULL;
  Py_buffer flags = {0};
  buffer in[3] = {{.count = 0}}, out[2] = {{.count = 0}};
  dls_solve_options how = dls_solve_defaults();
  (void)self;
  if (!PyArg_ParseTuple(args, "iiiiOOOOw*Osdi", &b.count, &b.dimension, &b.contacts, &b.equations,
                        &W, &q, &mu, &r, &flags, &error, &how.solver, &how.tolerance,
                        &how.max_iterations))
    return NULL;
  const bool sane = b.count >= 0 && (b.dimension == 2 || b.dimension == 3) && b.contacts >= 0 &&
                    b.equations >= 0 && b.contacts <= 3000 && b.equations <= 3000;
  b.rows = sane ? b.dimension * b.contacts + b.equations : 0;
  const Py_ssize_t n = b.rows, count = b.count;
  if (!sane || flags.len != count)
    PyErr_SetString(PyExc_ValueError, "sizes do not fit, or are too large for a batch");
  else if (buffer_doubles(&in[0], W, count * n * n, false, "W") &&
           buffer_doubles(&in[1], q, count * n, false, "q") &&
           buffer_doubles(&in[2], mu, count * b.contacts, false, "mu") &&
           buffer_doubles(&out[0], r, count * n, true, "r") &&
           buffer_doubles(&out[1], error, count, true, "error")) {
    dls_message message = {0};
    work w;
    b.W = in[0].view.buf, b.q = in[1].view.buf, b.mu = in[2].view.buf;
    b.r = out[0].view.buf, b.error = out[1].view.buf, b.converged = flags.buf;
    work_begin(&w);
    const dls_status status = solve_batch_in(&b, &how, &w, &message);
    work_end(&w);
    if (work_ok(&w, NULL, status, &message)) result = Py_NewRef(Py_None);
  }
  batch_free(&b);
  for (int k = 0; k < 3; k++) buffer_release(&in[k]);
  for (int k = 0; k < 2; k++) buffer_release(&out[k]);
  PyBuffer_Release(&flags);
  return result;
}

// ---- complementarity ----------------------------------------------------------------------------

static dls_status solve_lcp(const dls_mlcp *problem, dls_lcp_options *how, double *z, double *w,
                            dls_lcp_report *report, work *at, dls_message *message)
{
  dls_lcp_solver *solver = NULL;
  how->watch = work_watch_iteration, how->self = at;
  dls_status status = dls_lcp_solver_create(problem, how, &solver, message);
  if (status == DLS_OK) status = dls_lcp_solver_solve(solver, z, w, report);
  dls_lcp_solver_free(solver);
  return status;
}

// lcp(n, free, M by columns, q, z, w, solver, tolerance, max_iterations, time_limit) -> (converged,
// error, error in units, stop, solver, iterations, seconds); z is the start and the solution
static PyObject *lcp(PyObject *self, PyObject *args)
{
  PyObject *M, *q, *z, *w, *result = NULL;
  buffer b[4] = {{.count = 0}};
  dls_mlcp problem = {0};
  dls_lcp_options how = dls_lcp_defaults();
  (void)self;
  if (!PyArg_ParseTuple(args, "iiOOOOsdid", &problem.n, &problem.free, &M, &q, &z, &w, &how.solver,
                        &how.tolerance, &how.max_iterations, &how.time_limit))
    return NULL;
  const Py_ssize_t n = problem.n;
  if (n < 0 || problem.free < 0 || problem.free > n)
    return PyErr_Format(PyExc_ValueError, "expected 0 <= free <= n");
  if (buffer_doubles(&b[0], M, n * n, false, "M") && buffer_doubles(&b[1], q, n, false, "q") &&
      buffer_doubles(&b[2], z, n, true, "z") && buffer_doubles(&b[3], w, n, true, "w")) {
    dls_lcp_report report = {0};
    dls_message message = {0};
    work at;
    problem.M = b[0].view.buf, problem.q = b[1].view.buf;
    work_begin(&at);
    const dls_status status =
        solve_lcp(&problem, &how, b[2].view.buf, b[3].view.buf, &report, &at, &message);
    work_end(&at);
    if (work_ok(&at, NULL, status, &message))
      result = Py_BuildValue("Oddssid", report.converged ? Py_True : Py_False, report.error,
                             report.error_in_units, dls_lcp_stop_text(report.stop),
                             report.solver ? report.solver : "", report.iterations, report.seconds);
  }
  for (int k = 0; k < 4; k++) buffer_release(&b[k]);
  return result;
}

// ---- files --------------------------------------------------------------------------------------

static PyObject *matrix_of(const dls_matrix_view *m)
{
  const size_t cols = (size_t)m->pattern.cols, entries = (size_t)m->pattern.p[cols];
  return Py_BuildValue(
      "iiNNN", m->pattern.rows, m->pattern.cols, bytes_of(m->pattern.p, cols + 1, sizeof(int)),
      bytes_of(m->pattern.i, entries, sizeof(int)), bytes_of(m->x, entries, sizeof(double)));
}

static PyObject *fclib_of(const dls_fclib *file)
{
  const dls_incremental *p = &file->problem;
  const int rows = dls_incremental_rows(p), dof = p->global ? p->dof : 0;
  PyObject *d = PyDict_New();
  bool done = put(d, "dimension", PyLong_FromLong(p->dimension)) &&
              put(d, "equations", PyLong_FromLong(p->equations)) &&
              put(d, "mu", doubles_of(p->mu ? p->mu : p->q, p->contacts)) &&
              put(d, "title",
                  PyUnicode_DecodeUTF8(file->title, (Py_ssize_t)strlen(file->title), "replace")) &&
              put(d, "description",
                  PyUnicode_DecodeUTF8(file->description, (Py_ssize_t)strlen(file->description),
                                       "replace")) &&
              put(d, "r", doubles_of(file->solution.r, rows)) &&
              put(d, "u", doubles_of(file->solution.u, rows)) &&
              put(d, "v", doubles_of(file->solution.v, dof));
  if (done && p->global)
    done = put(d, "M", matrix_of(&p->M)) && put(d, "H", matrix_of(&p->H)) &&
           put(d, "f", doubles_of(p->f, dof)) && put(d, "w", doubles_of(p->w, rows));
  else if (done) done = put(d, "W", matrix_of(&p->W)) && put(d, "q", doubles_of(p->q, rows));
  if (done) return d;
  Py_XDECREF(d);
  return NULL;
}

static PyObject *fclib_read(PyObject *self, PyObject *args)
{
  const char *path = NULL;
  dls_fclib *file = NULL;
  dls_message message = {0};
  (void)self;
  if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
  PyThreadState *thread = PyEval_SaveThread();
  const dls_status status = dls_fclib_read(path, &file, &message);
  PyEval_RestoreThread(thread);
  PyObject *result = status == DLS_OK ? fclib_of(file) : raise_status(status, &message);
  dls_fclib_free(file);
  return result;
}

PyMethodDef problem_methods[] = {{"solve_batch", solve_batch, METH_VARARGS, NULL},
                                 {"lcp", lcp, METH_VARARGS, NULL},
                                 {"fclib_read", fclib_read, METH_VARARGS, NULL},
                                 {0}};
