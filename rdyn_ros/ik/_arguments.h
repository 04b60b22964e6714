/* Arrays from Python, checked: no copies, a reason when they do not fit. */
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#include <math.h>
#include <string.h>

#define RIGID 1e-6 /* how far a pose may be from a rigid one, as `unrigid` of targets.py adds it up */
#define UNIT 1e-6  /* how far the length of a quaternion may be from 1 */

static const double *doubles(PyObject *object, npy_intp size)
{
    PyArrayObject *array = (PyArrayObject *)object;
    if (!PyArray_Check(object) || PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(array)
        || PyArray_SIZE(array) != size) {
        PyErr_Format(PyExc_TypeError, "expected a C-contiguous float64 array of %zd numbers", (Py_ssize_t)size);
        return NULL;
    }
    return PyArray_DATA(array);
}

static int fill(double *to, PyObject *from, npy_intp size)
{
    const double *data = doubles(from, size);
    if (data) memcpy(to, data, sizeof(double) * size);
    return data != NULL;
}

/* Upper rows (3, 4) of a pose T (4, 4); 0 with an error set when it is no rigid, finite one. */
static int read_pose(const double *T, int k, double *rows)
{
    double worst = fabs(T[12]) + fabs(T[13]) + fabs(T[14]) + fabs(T[15] - 1.0) + 0.0 * T[3] + 0.0 * T[7] + 0.0 * T[11];
    memcpy(rows, T, 12 * sizeof(double));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            worst += fabs(T[4 * i] * T[4 * j] + T[4 * i + 1] * T[4 * j + 1] + T[4 * i + 2] * T[4 * j + 2] - (i == j));
    double det = T[0] * (T[5] * T[10] - T[6] * T[9]) - T[1] * (T[4] * T[10] - T[6] * T[8])
                 + T[2] * (T[4] * T[9] - T[5] * T[8]);
    if (worst < RIGID && det > 0.0) return 1;
    PyErr_Format(PyExc_ValueError, "target %d is no rigid pose", k);
    return 0;
}

/* The same of targets (tips, 4, 4), or of a single one. */
static int read_targets(PyObject *object, int tips, double *rows)
{
    const double *T = doubles(object, 16 * tips);
    int axes = T ? PyArray_NDIM((PyArrayObject *)object) : 0, fits = T != NULL;
    if (T && (axes < 2 || PyArray_DIM((PyArrayObject *)object, axes - 1) != 4
              || PyArray_DIM((PyArrayObject *)object, axes - 2) != 4)) {
        PyErr_SetString(PyExc_TypeError, "a pose is a 4 by 4 matrix");
        return 0;
    }
    for (int k = 0; fits && k < tips; k++) fits = read_pose(T + 16 * k, k, rows + 12 * k);
    return fits;
}

/* The same of a tuple of two or more poses (4, 4). */
static int read_each(PyObject *tuple, int tips, double *rows)
{
    int fits = tips > 1 && PyTuple_GET_SIZE(tuple) == tips;
    for (int k = 0; fits && k < tips; k++) {
        PyObject *T = PyTuple_GET_ITEM(tuple, k);
        fits = PyArray_Check(T) && PyArray_NDIM((PyArrayObject *)T) == 2;
    }
    if (!fits) PyErr_Format(PyExc_TypeError, "expected %d poses", tips);
    for (int k = 0; fits && k < tips; k++) fits = read_targets(PyTuple_GET_ITEM(tuple, k), 1, rows + 12 * k);
    return fits;
}

static const double *read_seed(PyObject *object, int nq, int floating)
{
    const double *seed = doubles(object, nq);
    if (seed && PyArray_NDIM((PyArrayObject *)object) != 1) {
        PyErr_SetString(PyExc_TypeError, "a seed has one axis");
        return NULL;
    }
    for (int i = 0; seed && i < nq; i++)
        if (!isfinite(seed[i])) {
            PyErr_Format(PyExc_ValueError, "seed[%d] is not finite", i);
            return NULL;
        }
    if (seed && floating
        && !(fabs(sqrt(seed[3] * seed[3] + seed[4] * seed[4] + seed[5] * seed[5] + seed[6] * seed[6]) - 1.0) <= UNIT)) {
        PyErr_SetString(PyExc_ValueError, "the quaternion of the seed has not length 1");
        return NULL;
    }
    return seed;
}
