/* Call: a Python callable that runs machine code on the buffers of NumPy arrays.
 *
 * It takes the fast way when every argument is a float64, C-contiguous, aligned ndarray of the right shape, (size,)
 * for one state or (N, size) for a batch, the code for that is installed, and all numbers turn out finite. In every
 * other case it hands the call, unchanged, to `fallback`, so that all conversions and refusals are written in Python.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#define MOST_INPUTS 8
#define MOST_OUTPUTS 8
#define MOST_AXES 3
#define POOL 4 /* results kept for the next call once nobody else holds them: making an array costs more than a kernel */

/* Both return 0 when every number was finite, and far from where doubles end. */
typedef int64_t (*single_code)(const double **in, double **out);
typedef int64_t (*batch_code)(const double **in, double **out, int64_t n);

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *fallback;
    PyObject *owner[2]; /* keep the code in memory */
    single_code single;
    batch_code batch;
    int n_in, n_out, quaternion;
    unsigned turn;
    PyArrayObject *pool[MOST_OUTPUTS][POOL];
    npy_intp in_size[MOST_INPUTS];
    int out_axes[MOST_OUTPUTS];
    npy_intp out_shape[MOST_OUTPUTS][1 + MOST_AXES]; /* [0] is the length of the batch */
} Call;

static PyObject *out_name;

/* A floating base has its quaternion in q[3:7]; how far its squared length may be from 1. */
#define UNIT 2e-6

static int unit(const double *q, npy_intp stride, npy_intp n)
{
    for (npy_intp i = 0; i < n; i++, q += stride) {
        double length = q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6];
        if (!(length > 1 - UNIT && length < 1 + UNIT)) return 0;
    }
    return 1;
}

static int plain(PyObject *object, int axes)
{
    if (Py_TYPE(object) != &PyArray_Type) return 0;
    PyArrayObject *array = (PyArrayObject *)object;
    return PyArray_NDIM(array) == axes && PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISCARRAY_RO(array);
}

static int overlap(const PyArrayObject *a, const PyArrayObject *b)
{
    const char *p = PyArray_BYTES((PyArrayObject *)a), *q = PyArray_BYTES((PyArrayObject *)b);
    return p < q + PyArray_NBYTES((PyArrayObject *)b) && q < p + PyArray_NBYTES((PyArrayObject *)a);
}

/* Whether `object` can take output k as it is. */
static int takes(const Call *self, PyObject *object, int k, int batched, npy_intp n)
{
    int axes = self->out_axes[k] + batched;
    if (!plain(object, axes) || !PyArray_ISWRITEABLE((PyArrayObject *)object)) return 0;
    const npy_intp *shape = PyArray_DIMS((PyArrayObject *)object);
    if (batched && shape[0] != n) return 0;
    for (int i = 0; i < self->out_axes[k]; i++)
        if (shape[i + batched] != self->out_shape[k][1 + i]) return 0;
    return 1;
}

/* An array for output k of one state: one that only the pool still knows, unchanged in shape and flags, or a new one. */
static PyArrayObject *fresh(Call *self, int k)
{
    for (unsigned i = 0; i < POOL; i++) {
        PyArrayObject *array = self->pool[k][i];
        if (array && Py_REFCNT(array) == 1 && !((PyArrayObject_fields *)array)->weakreflist &&
            takes(self, (PyObject *)array, k, 0, 1))
            return (PyArrayObject *)Py_NewRef(array);
    }
    PyArrayObject *array = (PyArrayObject *)PyArray_SimpleNew(self->out_axes[k], self->out_shape[k] + 1, NPY_DOUBLE);
    PyArrayObject **place = &self->pool[k][self->turn++ % POOL]; /* before Python 3.12 Py_XSETREF evaluates it twice */
    if (array) Py_XSETREF(*place, (PyArrayObject *)Py_NewRef(array));
    return array;
}

static PyObject *finished(const Call *self, PyArrayObject **result, int batched)
{
    if (self->n_out == 1) {
        if (batched || self->out_axes[0]) return (PyObject *)result[0];
        PyObject *number = PyFloat_FromDouble(*(double *)PyArray_DATA(result[0]));
        Py_DECREF(result[0]);
        return number;
    }
    PyObject *tuple = PyTuple_New(self->n_out);
    for (int k = 0; k < self->n_out; k++) {
        if (tuple) PyTuple_SET_ITEM(tuple, k, (PyObject *)result[k]);
        else Py_DECREF(result[k]);
    }
    return tuple;
}

static PyObject *call(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    Call *self = (Call *)object;
    Py_ssize_t n_args = PyVectorcall_NARGS(nargsf);
    const double *in[MOST_INPUTS];
    double *out[MOST_OUTPUTS];
    PyArrayObject *result[MOST_OUTPUTS];
    PyObject *given = NULL;
    npy_intp n = 1;
    int made = 0, batched, apart = 0;

    if (n_args != self->n_in) goto slow;
    if (kwnames && PyTuple_GET_SIZE(kwnames)) {
        PyObject *name = PyTuple_GET_ITEM(kwnames, 0);
        if (PyTuple_GET_SIZE(kwnames) != 1 || (name != out_name && PyUnicode_Compare(name, out_name))) goto slow;
        given = args[n_args] == Py_None ? NULL : args[n_args];
    }
    if (Py_TYPE(args[0]) != &PyArray_Type) goto slow;
    batched = PyArray_NDIM((PyArrayObject *)args[0]) == 2;
    if (batched) n = PyArray_DIM((PyArrayObject *)args[0], 0);
    if (batched ? !self->batch || n < 1 : !self->single) goto slow;
    for (int i = 0; i < self->n_in; i++) {
        if (!plain(args[i], 1 + batched)) goto slow;
        const npy_intp *shape = PyArray_DIMS((PyArrayObject *)args[i]);
        if (shape[batched] != self->in_size[i] || (batched && shape[0] != n)) goto slow;
        in[i] = PyArray_DATA((PyArrayObject *)args[i]);
    }
    if (self->quaternion && !unit(in[0], self->in_size[0], n)) goto slow;
    if (given) {
        PyObject *single_output = given;
        PyObject **items = self->n_out == 1 ? &single_output : NULL;
        if (self->n_out > 1 && PyTuple_CheckExact(given) && PyTuple_GET_SIZE(given) == self->n_out)
            items = &PyTuple_GET_ITEM(given, 0);
        if (!items) goto slow;
        for (int k = 0; k < self->n_out; k++) {
            if (!takes(self, items[k], k, batched, n)) goto slow;
            for (int i = 0; i < self->n_in; i++)
                apart |= overlap((PyArrayObject *)items[k], (PyArrayObject *)args[i]);
            for (int j = 0; j < k; j++)
                if (overlap((PyArrayObject *)items[k], (PyArrayObject *)items[j])) goto slow;
        }
        if (!apart)
            for (; made < self->n_out; made++) {
                result[made] = (PyArrayObject *)Py_NewRef(items[made]);
                out[made] = PyArray_DATA(result[made]);
            }
    }
    for (; made < self->n_out; made++) {
        npy_intp shape[1 + MOST_AXES];
        if (batched) {
            memcpy(shape, self->out_shape[made], sizeof shape);
            shape[0] = n;
            result[made] = (PyArrayObject *)PyArray_SimpleNew(self->out_axes[made] + 1, shape, NPY_DOUBLE);
        } else
            result[made] = fresh(self, made);
        if (!result[made]) goto failed;
        out[made] = PyArray_DATA(result[made]);
    }

    int64_t strange;
    if (batched) {
        Py_INCREF(self); /* another thread may drop the caller's reference */
        Py_BEGIN_ALLOW_THREADS
        strange = self->batch(in, out, n);
        Py_END_ALLOW_THREADS
        Py_DECREF(self);
    } else
        strange = self->single(in, out);
    if (strange) {
        while (made) Py_DECREF(result[--made]);
        goto slow;
    }
    if (apart) {
        PyObject **items = self->n_out == 1 ? &given : &PyTuple_GET_ITEM(given, 0);
        for (int k = 0; k < self->n_out; k++)
            memcpy(PyArray_DATA((PyArrayObject *)items[k]), out[k], PyArray_NBYTES(result[k]));
    }
    if (!given) return finished(self, result, batched);
    while (made) Py_DECREF(result[--made]);
    return Py_NewRef(given);

failed:
    while (made) Py_DECREF(result[--made]);
    return NULL;
slow:
    return PyObject_Vectorcall(self->fallback, args, nargsf, kwnames);
}

/* Fills shape from a tuple of whole numbers; returns how many, -1 with an error set. */
static int read_sizes(PyObject *tuple, npy_intp *sizes, int most, const char *what)
{
    if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) > most) {
        PyErr_Format(PyExc_ValueError, "%s must be a tuple of at most %d", what, most);
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        sizes[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, i));
        if (sizes[i] < 0) {
            if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "%s must not be negative", what);
            return -1;
        }
    }
    return (int)PyTuple_GET_SIZE(tuple);
}

static PyObject *new_call(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"input_sizes", "fallback", "quaternion", NULL};
    PyObject *inputs, *fallback;
    int quaternion = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O|p", names, &PyTuple_Type, &inputs, &fallback, &quaternion))
        return NULL;
    Call *self = (Call *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    self->vectorcall = call;
    self->fallback = Py_NewRef(fallback);
    self->n_in = read_sizes(inputs, self->in_size, MOST_INPUTS, "input_sizes");
    self->quaternion = quaternion;
    if (self->n_in == 0 || (quaternion && self->n_in > 0 && self->in_size[0] < 7))
        PyErr_SetString(PyExc_ValueError, "a call needs an input, and a floating base one of 7 or more");
    if (PyErr_Occurred()) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static PyObject *install(PyObject *object, PyObject *args)
{
    Call *self = (Call *)object;
    const char *kind;
    unsigned long long address;
    PyObject *shapes, *owner;
    if (!PyArg_ParseTuple(args, "sKO!O", &kind, &address, &PyTuple_Type, &shapes, &owner)) return NULL;
    int batch = !strcmp(kind, "batch"), n_out = (int)PyTuple_GET_SIZE(shapes);
    if (n_out < 1 || n_out > MOST_OUTPUTS) {
        PyErr_Format(PyExc_ValueError, "a call has 1 to %d outputs, not %d", MOST_OUTPUTS, n_out);
        return NULL;
    }
    for (int k = 0; k < n_out; k++) {
        self->out_axes[k] = read_sizes(PyTuple_GET_ITEM(shapes, k), self->out_shape[k] + 1, MOST_AXES, "output shapes");
        if (self->out_axes[k] < 0) return NULL;
    }
    self->n_out = n_out;
    if (!batch && strcmp(kind, "single")) {
        PyErr_Format(PyExc_ValueError, "kind is 'single' or 'batch', not '%s'", kind);
        return NULL;
    }
    Py_XSETREF(self->owner[batch], Py_NewRef(owner));
    if (batch) self->batch = (batch_code)(uintptr_t)address;
    else self->single = (single_code)(uintptr_t)address;
    Py_RETURN_NONE;
}

static PyObject *reduce(PyObject *object, PyObject *unused)
{
    (void)unused;
    return PyObject_CallMethod(((Call *)object)->fallback, "__reduce__", NULL); /* a copy finds its own code */
}

static int traverse(PyObject *object, visitproc visit, void *arg)
{
    Call *self = (Call *)object;
    Py_VISIT(self->fallback);
    Py_VISIT(self->owner[0]);
    Py_VISIT(self->owner[1]);
    return 0;
}

static int clear(PyObject *object)
{
    Call *self = (Call *)object;
    self->single = NULL;
    self->batch = NULL;
    Py_CLEAR(self->owner[0]);
    Py_CLEAR(self->owner[1]);
    for (int k = 0; k < MOST_OUTPUTS; k++)
        for (int i = 0; i < POOL; i++) Py_CLEAR(self->pool[k][i]);
    return 0; /* fallback stays: the object can still be called */
}

static void dealloc(PyObject *object)
{
    PyObject_GC_UnTrack(object);
    clear(object);
    Py_XDECREF(((Call *)object)->fallback);
    Py_TYPE(object)->tp_free(object);
}

static PyObject *doc(PyObject *object, void *unused)
{
    (void)unused;
    return PyObject_GetAttrString(((Call *)object)->fallback, "__doc__");
}

static PyObject *name(PyObject *object, void *unused)
{
    (void)unused;
    return PyObject_GetAttrString(((Call *)object)->fallback, "__name__");
}

static PyObject *installed(PyObject *object, void *unused)
{
    (void)unused;
    Call *self = (Call *)object;
    return Py_BuildValue("(OO)", self->single ? Py_True : Py_False, self->batch ? Py_True : Py_False);
}

static PyMethodDef methods[] = {
    {"install", install, METH_VARARGS, 
     "install(kind, address, output_shapes, owner): machine code for kind 'single' or 'batch'."},
    {"__reduce__", reduce, METH_NOARGS, "How its fallback is pickled."},
    {NULL, NULL, 0, NULL}};
static PyMemberDef members[] = {
    {"__wrapped__", T_OBJECT, offsetof(Call, fallback), READONLY, "What takes the calls that are not plain."},
    {NULL, 0, 0, 0, NULL}};
static PyGetSetDef properties[] = {
    {"__doc__", doc, NULL, NULL, NULL},
    {"__name__", name, NULL, NULL, NULL},
    {"installed", installed, NULL, "Whether code for (one state, a batch) is installed.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyTypeObject CallType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "rdyn_ros.kernels._call.Call",
    .tp_basicsize = sizeof(Call),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(Call, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_new = new_call,
    .tp_traverse = traverse,
    .tp_clear = clear,
    .tp_dealloc = dealloc,
    .tp_methods = methods,
    .tp_members = members,
    .tp_getset = properties,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "_call", .m_size = -1,
                                    .m_doc = "Calls machine code on NumPy arrays."};

PyMODINIT_FUNC PyInit__call(void)
{
    import_array();
    out_name = PyUnicode_InternFromString("out");
    if (!out_name || PyType_Ready(&CallType) < 0) return NULL;
    PyObject *result = PyModule_Create(&module);
    if (result && PyModule_AddObjectRef(result, "Call", (PyObject *)&CallType) < 0) Py_CLEAR(result);
    return result;
}
