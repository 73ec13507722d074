// Verdicts at a state, as a report, as single answers, and checked again.
#include "common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a check is made of, so that there is one place to free it.
typedef struct checking {
  system_object *system;
  buffer q, v;
  dls_state state;
  double tolerance, rest, relative;
  const char *at, *object;
  int project, matrices;
  dls_projection projection;
  dls_contact_state *contacts;
  dls_check *check;
  double *restitution;
  dls_impact *impact;
  work work;
  dls_message message;
} checking;

static void checking_free(checking *c)
{
  dls_impact_free(c->impact);
  free(c->restitution);
  dls_check_free(c->check);
  dls_contact_state_free(c->contacts);
  free(c->state.q);
  free(c->state.v);
  buffer_release(&c->q);
  buffer_release(&c->v);
}

// The state that was given as arrays, or that `at` means; copies, because a projection moves them.
static dls_status find_state(checking *c)
{
  const dls_system *s = c->system->system;
  const size_t nq = (size_t)dls_system_nq(s), n = (size_t)s->n;
  c->state.q = calloc(nq + 1, sizeof(double));
  c->state.v = calloc(n + 1, sizeof(double));
  if (!c->state.q || !c->state.v) return DLS_ERR_MEMORY;
  if (!c->q.held) return dls_model_state(s, c->at, &c->state, &c->message);
  memcpy(c->state.q, c->q.view.buf, nq * sizeof(double));
  memcpy(c->state.v, c->v.view.buf, n * sizeof(double));
  return DLS_OK;
}

static dls_status find_contacts(checking *c)
{
  const dls_contact_options zero = {.tolerance = c->tolerance, .rest = c->rest};
  dls_status status = find_state(c);
  if (status == DLS_OK && c->project)
    status = dls_state_project(c->system->system, &c->state, &zero, &c->projection, &c->message);
  if (status == DLS_OK)
    status =
        dls_contact_state_create(c->system->system, &c->state, &zero, &c->contacts, &c->message);
  return status;
}

// The object by its name, or the first one. *index -1: there is none of that name.
static void find_object(const dls_model *model, const char *name, int *index)
{
  const int count = model ? dls_model_object_count(model) : 0;
  *index = -1;
  for (int k = 0; k < count && *index < 0; k++)
    if (!name || strcmp(dls_model_object_name(model, k), name) == 0) *index = k;
}

static dls_status run_check(checking *c, unsigned ask)
{
  const dls_model *model = dls_system_model(c->system->system);
  dls_check_options how = dls_check_defaults();
  int object = -1;
  find_object(model, c->object, &object);
  how.ask = ask;
  how.tolerance = c->relative;
  how.skip_acceleration = c->contacts->impact;
  if (object >= 0) how.object_size = dls_model_object_coordinates(model, object, &how.object);
  how.watch = work_watch_part, how.self = &c->work;
  return dls_check_run(&c->contacts->problem, &how, &c->check, &c->message);
}

static dls_status run_impact(checking *c)
{
  if (!c->contacts->impact) return DLS_OK;
  const size_t m = (size_t)c->contacts->problem.m_u;
  dls_impact_options how = dls_impact_defaults();
  c->restitution = calloc(m * m, sizeof(double));
  if (!c->restitution) return DLS_ERR_MEMORY;
  dls_status status = dls_model_restitution_matrix(c->system->system, c->contacts, c->restitution);
  how.tolerance = c->relative, how.E = c->restitution;
  how.watch = work_watch_part, how.self = &c->work;
  if (status == DLS_OK) status = dls_impact_create(c->contacts, &how, &c->impact, &c->message);
  return status;
}

// Of (system, at, t, q, v, tolerance, rest, relative, project, ...): the buffers are held then.
static bool read_state(checking *c, PyObject *system, PyObject *q, PyObject *v)
{
  if (!PyObject_TypeCheck(system, system_type)) {
    PyErr_SetString(PyExc_TypeError, "expected a system");
    return false;
  }
  c->system = (system_object *)system;
  if (q == Py_None) return true;
  const dls_system *s = c->system->system;
  return buffer_doubles(&c->q, q, dls_system_nq(s), false, "q") &&
         buffer_doubles(&c->v, v, s->n, false, "v");
}

static dls_status write_report(const checking *c, const char *model, char **json, char **text)
{
  const dls_model *of = dls_system_model(c->system->system);
  int object = -1;
  find_object(of, c->object, &object);
  const dls_report report = {.model = model,
                             .title = of ? dls_model_title(of) : NULL,
                             .at = c->q.held || !c->at || !c->at[0] ? NULL : c->at,
                             .system = c->system->system,
                             .contact_state = c->contacts,
                             .check = c->check,
                             .impact = c->impact,
                             .object = object >= 0 ? dls_model_object_name(of, object) : NULL,
                             .projection = c->project ? &c->projection : NULL,
                             .matrices = c->matrices};
  const dls_status status = dls_report_json(&report, json);
  return status == DLS_OK ? dls_report_text(&report, NULL, text) : status;
}

// check(system, model, at, t, q, v, tolerance, rest, relative, object, project, matrices)
//   -> (JSON, text)
static PyObject *check(PyObject *self, PyObject *args)
{
  checking c = {0};
  const char *model = NULL;
  PyObject *system, *q, *v, *result = NULL;
  char *json = NULL, *text = NULL;
  (void)self;
  if (!PyArg_ParseTuple(args, "OzzdOOdddzpp", &system, &model, &c.at, &c.state.t, &q, &v,
                        &c.tolerance, &c.rest, &c.relative, &c.object, &c.project, &c.matrices))
    return NULL;
  if (read_state(&c, system, q, v) && system_enter(c.system)) {
    work_begin(&c.work);
    dls_status status = find_contacts(&c);
    if (status == DLS_OK) status = run_check(&c, 0);
    if (status == DLS_OK) status = run_impact(&c);
    if (status == DLS_OK) status = write_report(&c, model, &json, &text);
    work_end(&c.work);
    system_leave(c.system);
    if (work_ok(&c.work, system_pending(c.system), status, &c.message))
      result = Py_BuildValue("ss", json, text);
  }
  dls_report_text_free(json);
  dls_report_text_free(text);
  checking_free(&c);
  return result;
}

// What the answers are called: questions, then limits, then the count.
static PyObject *answers_of(const checking *c)
{
  PyObject *list = PyList_New(0);
  for (int k = 0; list && k < DLS_QUESTION_COUNT + DLS_LIMIT_COUNT + 1; k++) {
    double value = c->check->solution_count >= 0 ? c->check->solution_count : (double)NAN;
    if (k < DLS_QUESTION_COUNT) value = c->check->verdict[k].answer;
    else if (k < DLS_QUESTION_COUNT + DLS_LIMIT_COUNT) {
      const dls_limit *limit = &c->check->limit[k - DLS_QUESTION_COUNT];
      value = limit->asked ? limit->value : (double)NAN;
    }
    PyObject *number = PyFloat_FromDouble(value);
    if (!number || PyList_Append(list, number) < 0) Py_CLEAR(list);
    Py_XDECREF(number);
  }
  return list;
}

// ask(system, at, t, q, v, tolerance, rest, relative, object, project, ask) -> numbers: questions,
// limits, count of solutions. What the point is to blame for raises StateError.
static PyObject *ask(PyObject *self, PyObject *args)
{
  checking c = {0};
  unsigned wanted = 0;
  PyObject *system, *q, *v, *result = NULL;
  (void)self;
  if (!PyArg_ParseTuple(args, "OzdOOdddzpI", &system, &c.at, &c.state.t, &q, &v, &c.tolerance,
                        &c.rest, &c.relative, &c.object, &c.project, &wanted))
    return NULL;
  if (read_state(&c, system, q, v) && system_enter(c.system)) {
    work_begin(&c.work);
    dls_status status = find_contacts(&c);
    if (status == DLS_OK) {
      status = run_check(&c, wanted);
      // a mass matrix that is not positive semidefinite, say, for a negative mass
      if (status == DLS_ERR_ARGUMENT) status = DLS_ERR_STATE;
    }
    work_end(&c.work);
    system_leave(c.system);
    if (work_ok(&c.work, system_pending(c.system), status, &c.message)) result = answers_of(&c);
  }
  checking_free(&c);
  return result;
}

// questions() -> (names of questions, names of limits), in the order of the bits
static PyObject *questions(PyObject *self, PyObject *none)
{
  const char *question[DLS_QUESTION_COUNT], *limit[DLS_LIMIT_COUNT];
  (void)self, (void)none;
  for (int k = 0; k < DLS_QUESTION_COUNT; k++) question[k] = dls_question_name((dls_question)k);
  for (int k = 0; k < DLS_LIMIT_COUNT; k++) limit[k] = dls_limit_text((dls_limit_name)k);
  return Py_BuildValue("NN", names_of(question, DLS_QUESTION_COUNT),
                       names_of(limit, DLS_LIMIT_COUNT));
}

// ---- once more, independently -------------------------------------------------------------------

typedef struct verifying {
  dls_saved_report *saved;
  dls_system *system;
  dls_verification *found;
  char *json, *text;
  work work;
  dls_message message;
} verifying;

static dls_status verify_in(verifying *v, const dls_model *model, const char *report,
                            const char *file)
{
  dls_verify_options how = dls_verify_defaults();
  how.watch = work_watch_part, how.self = &v->work;
  dls_status status = dls_model_system_with(model, &v->system, &v->message);
  if (status == DLS_OK) status = dls_saved_report_set(v->saved, v->system, &v->message);
  if (status == DLS_OK)
    status = dls_verify_run(v->saved, model, v->system, &how, &v->found, &v->message);
  if (status == DLS_OK) status = dls_verification_json(v->found, report, file, &v->json);
  if (status == DLS_OK) status = dls_verification_text(v->found, report, file, false, &v->text);
  return status;
}

// verify(model, report, name of the report, name of the model) -> (holds, JSON, text)
static PyObject *verify(PyObject *self, PyObject *args)
{
  verifying v = {0};
  PyObject *of, *result = NULL;
  const char *text = NULL, *report = NULL, *file = NULL;
  Py_ssize_t length = 0;
  dls_diagnostic fault = {0};
  (void)self;
  if (!PyArg_ParseTuple(args, "Os#zz", &of, &text, &length, &report, &file)) return NULL;
  const dls_model *model = model_of(of);
  if (!model) return NULL;
  dls_status status = dls_saved_report_read(text, (size_t)length, &v.saved, &fault);
  if (status != DLS_OK) {
    snprintf(v.message.text, sizeof v.message.text, "%s", fault.message);
    raise_status(status, &v.message);
  } else {
    work_begin(&v.work);
    status = verify_in(&v, model, report, file);
    work_end(&v.work);
    if (work_ok(&v.work, NULL, status, &v.message))
      result = Py_BuildValue("Oss", v.found->holds ? Py_True : Py_False, v.json, v.text);
  }
  dls_report_text_free(v.json);
  dls_report_text_free(v.text);
  dls_verification_free(v.found);
  dls_system_free(v.system);
  dls_saved_report_free(v.saved);
  return result;
}

// explain(words) -> text, or None
static PyObject *explain(PyObject *self, PyObject *args)
{
  const char *words = NULL;
  char *text = NULL;
  int others = 0;
  const dls_topic *first, *second;
  (void)self;
  if (!PyArg_ParseTuple(args, "z", &words)) return NULL;
  const dls_topic *topic = words ? dls_topic_find(words, &others, &first, &second) : NULL;
  if (words && !topic) Py_RETURN_NONE;
  const dls_status status = dls_topic_text(topic, &text);
  PyObject *result = status == DLS_OK ? PyUnicode_FromString(text) : raise_status(status, NULL);
  dls_report_text_free(text);
  return result;
}

PyMethodDef check_methods[] = {
    {"check", check, METH_VARARGS, NULL},        {"ask", ask, METH_VARARGS, NULL},
    {"questions", questions, METH_NOARGS, NULL}, {"verify", verify, METH_VARARGS, NULL},
    {"explain", explain, METH_VARARGS, NULL},    {0}};
