// Options of integrators by their names.
#include "common.h"

#include <string.h>

typedef struct number_option {
  const char *name;
  double *value;
} number_option;

static bool read_option(const number_option *option, int count, PyObject *key, PyObject *value)
{
  const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
  for (int k = 0; name && k < count; k++) {
    if (strcmp(option[k].name, name) != 0) continue;
    *option[k].value = PyFloat_AsDouble(value);
    return !PyErr_Occurred();
  }
  if (name) PyErr_Format(PyExc_TypeError, "there is no option '%s'", name);
  return false;
}

bool integrator_options(PyObject *given, dls_integrator_options *how)
{
  double facets = how->facets, goes_on = 0;
  const number_option option[] = {
      {"step", &how->step},           {"theta", &how->theta},
      {"gamma", &how->gamma},         {"rtol", &how->rtol},
      {"atol", &how->atol},           {"atol_velocity", &how->atol_velocity},
      {"max_step", &how->max_step},   {"facets", &facets},
      {"stabilize", &how->stabilize}, {"tolerance", &how->tolerance},
      {"closed", &how->closed},       {"rest", &how->rest},
      {"critical", &how->critical},   {"go_on", &goes_on}};
  PyObject *key, *value;
  Py_ssize_t place = 0;
  while (PyDict_Next(given, &place, &key, &value))
    if (!read_option(option, sizeof option / sizeof option[0], key, value)) return false;
  if (!(facets >= 0 && facets <= 1000)) {
    PyErr_SetString(PyExc_ValueError, "facets: expected 0 to 1000");
    return false;
  }
  how->facets = (int)facets;
  if (goes_on != 0) how->on_loss = DLS_ON_LOSS_CONTINUE;
  return true;
}
