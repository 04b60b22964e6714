/* Publish: several serialized messages, each to its publisher, in one call that leaves the interpreter to others.
 *
 * Meanwhile the handles of rclpy are entered, so that no other thread destroys the publishers; handles that are destroyed
 * already refuse to be entered.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#define MOST 8 /* messages */

/* rcl_serialized_message_t: bytes, how many, room for how many, and who made room, which publishing does not ask. */
typedef struct {
    const char *buffer;
    size_t length, capacity;
    void *allocator[5];
} Serialized;

typedef int (*publish_code)(const void *publisher, const Serialized *message, void *allocation);

typedef struct {
    PyObject_HEAD
    PyObject *handles; /* tuple of the publishers' handles */
    publish_code publish;
    const void *publisher[MOST];
    Py_ssize_t n;
} Publish;

/* Enters the handles; how many let it happen. */
static Py_ssize_t enter(Publish *self)
{
    for (Py_ssize_t k = 0; k < self->n; k++) {
        PyObject *done = PyObject_CallMethod(PyTuple_GET_ITEM(self->handles, k), "__enter__", NULL);
        if (!done) return k;
        Py_DECREF(done);
    }
    return self->n;
}

/* Leaves the first n handles; an error that is set stays so. */
static void leave(Publish *self, Py_ssize_t n)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    for (Py_ssize_t k = 0; k < n; k++)
        Py_XDECREF(PyObject_CallMethod(PyTuple_GET_ITEM(self->handles, k), "__exit__", "OOO", Py_None, Py_None, Py_None));
    if (type) PyErr_Restore(type, value, trace);
}

static PyObject *publish_call(PyObject *object, PyObject *arguments, PyObject *unused)
{
    Publish *self = (Publish *)object;
    PyObject *messages;
    Serialized given[MOST] = {{0}};
    int wrong = 0;
    if (!PyArg_ParseTuple(arguments, "O!", &PyTuple_Type, &messages)) return NULL;
    if (PyTuple_GET_SIZE(messages) != self->n) return PyErr_Format(PyExc_ValueError, "give %zd messages", self->n);
    for (Py_ssize_t k = 0; k < self->n; k++) {
        PyObject *message = PyTuple_GET_ITEM(messages, k);
        if (!PyBytes_Check(message)) return PyErr_Format(PyExc_TypeError, "messages are bytes");
        given[k].buffer = PyBytes_AS_STRING(message);
        given[k].length = given[k].capacity = (size_t)PyBytes_GET_SIZE(message);
    }
    Py_ssize_t entered = enter(self);
    if (entered == self->n) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t k = 0; k < self->n && !wrong; k++) wrong = self->publish(self->publisher[k], &given[k], NULL);
        Py_END_ALLOW_THREADS
    }
    leave(self, entered);
    if (PyErr_Occurred()) return NULL;
    if (wrong) return PyErr_Format(PyExc_RuntimeError, "a message could not be published: error %d of rcl", wrong);
    Py_RETURN_NONE;
}

static int publish_init(PyObject *object, PyObject *arguments, PyObject *unused)
{
    Publish *self = (Publish *)object;
    PyObject *pointers, *handles;
    unsigned long long address;
    if (self->handles) {
        PyErr_SetString(PyExc_RuntimeError, "made once");
        return -1;
    }
    if (!PyArg_ParseTuple(arguments, "KO!O!", &address, &PyTuple_Type, &pointers, &PyTuple_Type, &handles)) return -1;
    Py_ssize_t n = PyTuple_GET_SIZE(pointers);
    if (n > MOST || PyTuple_GET_SIZE(handles) != n) {
        PyErr_Format(PyExc_ValueError, "at most %d publishers, each with its handle", MOST);
        return -1;
    }
    for (Py_ssize_t k = 0; k < n; k++)
        self->publisher[k] = (const void *)(uintptr_t)PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(pointers, k));
    if (PyErr_Occurred()) return -1;
    self->publish = (publish_code)(uintptr_t)address;
    self->handles = Py_NewRef(handles), self->n = n;
    return 0;
}

static void publish_dealloc(PyObject *object)
{
    Py_XDECREF(((Publish *)object)->handles);
    Py_TYPE(object)->tp_free(object);
}

static PyTypeObject publish_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rdyn_ros.nodes._publish.Publish",
    .tp_doc = "Publish(address of rcl_publish_serialized_message, addresses of publishers, their handles):\n"
              "publish(bytes of each message).",
    .tp_basicsize = sizeof(Publish),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = publish_init,
    .tp_call = publish_call,
    .tp_dealloc = publish_dealloc,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_publish", "Several messages published at once.", -1, NULL};

PyMODINIT_FUNC PyInit__publish(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made && PyModule_AddType(made, &publish_type) < 0) Py_CLEAR(made);
    return made;
}
