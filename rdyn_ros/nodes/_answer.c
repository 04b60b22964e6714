/* The hot path of the dynamics node: joint states from DDS to torques on DDS. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_inlet.h"

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_answer", "The usual joint state answered in C.", -1, NULL};

PyMODINIT_FUNC PyInit__answer(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made && (PyModule_AddType(made, &answer_type) < 0 || PyModule_AddType(made, &inlet_type) < 0 ||
                 PyModule_AddIntConstant(made, "MOST_JOINTS", MOST_JOINTS) < 0 ||
                 PyModule_AddIntConstant(made, "MOST_TIPS", MOST_TIPS) < 0 ||
                 PyModule_AddIntConstant(made, "MOST_LOADS", MOST_LOADS) < 0))
        Py_CLEAR(made);
    return made;
}
