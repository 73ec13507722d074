// The extension delassus._delassus: the library on bytes and numbers. Names, arrays and pictures of
// them are made by the modules around it, which are the interface.
#include "common.h"

static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                 "delassus._delassus",
                                 "The library, on bytes and numbers.",
                                 -1,
                                 NULL,
                                 NULL,
                                 NULL,
                                 NULL,
                                 NULL};

PyMODINIT_FUNC PyInit__delassus(void);

PyMODINIT_FUNC PyInit__delassus(void)
{
  PyObject *module = PyModule_Create(&definition);
  if (module && add_model(module) && add_system(module) && add_solver(module) &&
      add_integrator(module) && add_world(module) &&
      PyModule_AddFunctions(module, check_methods) == 0 &&
      PyModule_AddFunctions(module, problem_methods) == 0 &&
      PyModule_AddFunctions(module, order_methods) == 0 &&
      PyModule_AddStringConstant(module, "version", dls_version()) == 0)
    return module;
  Py_XDECREF(module);
  return NULL;
}
