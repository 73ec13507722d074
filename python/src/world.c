// dls_world: rigid bodies whose contacts the caller finds.
#include "common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct world_object {
  PyObject_HEAD dls_world *world;
  work *work;
  bool busy;
} world_object;

static bool watch(void *self, int iteration, double error, const char *solver)
{
  world_object *o = self;
  (void)iteration, (void)error, (void)solver;
  return o->work && work_look(o->work);
}

static void world_dealloc(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  dls_world_free(((world_object *)self)->world);
  PyObject_Free(self);
  Py_DECREF(type);
}

// World((gx, gy, gz), tolerance, slop, recovery, solver, threads)
static PyObject *world_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
  dls_world_options how = dls_world_defaults();
  double *g = how.gravity;
  dls_message message = {0};
  (void)kw;
  if (!PyArg_ParseTuple(args, "(ddd)dddsi", &g[0], &g[1], &g[2], &how.tolerance, &how.slop,
                        &how.recovery, &how.solver, &how.threads))
    return NULL;
  const dls_solver_info *known = dls_solver_find(how.solver);
  if (known) how.solver = known->name;
  allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  world_object *o = (world_object *)make(type, 0);
  if (!o) return NULL;
  how.watch = watch, how.self = o;
  const dls_status status = dls_world_create(&how, &o->world, &message);
  if (status == DLS_OK) return (PyObject *)o;
  Py_DECREF(o);
  return raise_status(status, &message);
}

static bool idle(const world_object *o)
{
  if (o->busy) PyErr_SetString(PyExc_RuntimeError, "the world is at work already");
  return !o->busy;
}

static bool read_body(PyObject *args, int *number, dls_body *b)
{
  double *I = b->inertia, *x = b->position, *q = b->quaternion, *v = b->velocity, *w = b->spin;
  return PyArg_ParseTuple(args, "id(dddddd)(ddd)(dddd)(ddd)(ddd)", number, &b->mass, &I[0], &I[1],
                          &I[2], &I[3], &I[4], &I[5], &x[0], &x[1], &x[2], &q[0], &q[1], &q[2],
                          &q[3], &v[0], &v[1], &v[2], &w[0], &w[1], &w[2]);
}

// put(number, mass, inertia, position, quaternion, velocity, spin) -> number; -1: a new body
static PyObject *world_put(PyObject *self, PyObject *args)
{
  world_object *o = (world_object *)self;
  dls_body b = {0};
  int number = -1;
  dls_message message = {0};
  if (!read_body(args, &number, &b) || !idle(o)) return NULL;
  const dls_status status = number < 0 ? dls_world_add_body(o->world, &b, &number, &message)
                                       : dls_world_set_body(o->world, number, &b, &message);
  if (status != DLS_OK) return raise_status(status, &message);
  return PyLong_FromLong(number);
}

static PyObject *world_count(PyObject *self, PyObject *none)
{
  (void)none;
  return PyLong_FromLong(dls_world_bodies(((world_object *)self)->world));
}

// body(number) -> (mass, bytes of inertia, position, quaternion, velocity, spin)
static PyObject *world_body(PyObject *self, PyObject *args)
{
  int number = 0;
  if (!PyArg_ParseTuple(args, "i", &number)) return NULL;
  if (!idle((world_object *)self)) return NULL;
  const dls_body *b = dls_world_body(((world_object *)self)->world, number);
  if (!b) return PyErr_Format(PyExc_IndexError, "there is no body %d", number);
  return Py_BuildValue("dNNNNN", b->mass, doubles_of(b->inertia, 6), doubles_of(b->position, 3),
                       doubles_of(b->quaternion, 4), doubles_of(b->velocity, 3),
                       doubles_of(b->spin, 3));
}

// all() -> bytes: 13 numbers of each body, position, quaternion, velocity, spin
static PyObject *world_all(PyObject *self, PyObject *none)
{
  const dls_world *world = ((world_object *)self)->world;
  const int count = dls_world_bodies(world);
  (void)none;
  if (!idle((world_object *)self)) return NULL;
  PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)count * 13 * 8);
  char *at = bytes ? PyByteArray_AsString(bytes) : NULL;
  for (int i = 0; at && i < count; i++, at += 13 * sizeof(double)) {
    const dls_body *b = dls_world_body(world, i);
    memcpy(at, b->position, 3 * sizeof(double));
    memcpy(at + 3 * sizeof(double), b->quaternion, 4 * sizeof(double));
    memcpy(at + 7 * sizeof(double), b->velocity, 3 * sizeof(double));
    memcpy(at + 10 * sizeof(double), b->spin, 3 * sizeof(double));
  }
  return bytes;
}

static PyObject *world_force(PyObject *self, PyObject *args)
{
  world_object *o = (world_object *)self;
  int number = 0;
  double f[3], m[3];
  dls_message message = {0};
  if (!PyArg_ParseTuple(args, "i(ddd)(ddd)", &number, &f[0], &f[1], &f[2], &m[0], &m[1], &m[2]) ||
      !idle(o))
    return NULL;
  if (!dls_world_body(o->world, number))
    return PyErr_Format(PyExc_IndexError, "there is no body %d", number);
  const dls_status status = dls_world_set_force(o->world, number, f, m);
  if (status != DLS_OK) return raise_status(status, &message);
  Py_RETURN_NONE;
}

static PyObject *world_clear(PyObject *self, PyObject *none)
{
  world_object *o = (world_object *)self;
  (void)none;
  if (!idle(o)) return NULL;
  dls_world_clear_contacts(o->world);
  Py_RETURN_NONE;
}

// add(id, a, b, point, normal, gap, friction, restitution)
static PyObject *world_add(PyObject *self, PyObject *args)
{
  world_object *o = (world_object *)self;
  dls_world_contact c = {0};
  unsigned long long id = 0;
  double *p = c.point, *n = c.normal;
  dls_message message = {0};
  if (!PyArg_ParseTuple(args, "Kii(ddd)(ddd)ddd", &id, &c.a, &c.b, &p[0], &p[1], &p[2], &n[0],
                        &n[1], &n[2], &c.gap, &c.friction, &c.restitution) ||
      !idle(o))
    return NULL;
  c.id = id;
  const dls_status status = dls_world_add_contact(o->world, &c, &message);
  if (status != DLS_OK) return raise_status(status, &message);
  Py_RETURN_NONE;
}

// step(h) -> (converged, error, stop, solver, iterations, penetration)
static PyObject *world_step(PyObject *self, PyObject *args)
{
  world_object *o = (world_object *)self;
  double h = 0;
  dls_world_report r = {0};
  dls_message message = {0};
  work w;
  if (!PyArg_ParseTuple(args, "d", &h) || !idle(o)) return NULL;
  o->busy = true;
  work_begin(&w);
  o->work = &w;
  const dls_status status = dls_world_step(o->world, h, &r, &message);
  o->work = NULL;
  work_end(&w);
  o->busy = false;
  if (!work_ok(&w, NULL, status, &message)) return NULL;
  return Py_BuildValue("Odssid", r.converged ? Py_True : Py_False, r.error.largest,
                       dls_stop_text(r.stop), r.solver ? r.solver : "", r.iterations,
                       r.penetration);
}

static PyObject *world_impulse(PyObject *self, PyObject *args)
{
  world_object *o = (world_object *)self;
  int contact = 0;
  double p[3] = {0};
  if (!PyArg_ParseTuple(args, "i", &contact) || !idle(o)) return NULL;
  const dls_status status = dls_world_impulse(o->world, contact, p);
  if (status != DLS_OK)
    return PyErr_Format(PyExc_IndexError,
                        "the last step had no contact %d, or contacts have "
                        "changed since",
                        contact);
  return doubles_of(p, 3);
}

static PyMethodDef methods[] = {
    {"put", world_put, METH_VARARGS, NULL},         {"count", world_count, METH_NOARGS, NULL},
    {"body", world_body, METH_VARARGS, NULL},       {"all", world_all, METH_NOARGS, NULL},
    {"force", world_force, METH_VARARGS, NULL},     {"clear", world_clear, METH_NOARGS, NULL},
    {"add", world_add, METH_VARARGS, NULL},         {"step", world_step, METH_VARARGS, NULL},
    {"impulse", world_impulse, METH_VARARGS, NULL}, {0}};
static PyType_Slot slots[] = {
    {Py_tp_new, world_new}, {Py_tp_dealloc, world_dealloc}, {Py_tp_methods, methods}, {0, NULL}};
static PyType_Spec spec = {"delassus._delassus.World", sizeof(world_object), 0, Py_TPFLAGS_DEFAULT,
                           slots};

bool add_world(PyObject *module)
{
  return add_type(module, &spec, "World") != NULL;
}
