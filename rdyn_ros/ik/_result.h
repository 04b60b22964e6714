/* The answer to one target as an IkResult. */
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#include "_task.h"

enum { Q = 2, POSITION = 3, ROTATION = 4, SOLUTIONS = 5, ITERATIONS = 10, RESTARTS = 11, TIME = 12 }; /* of IkResult */

/* (rows, columns) of numbers, or (columns) for rows < 0. */
static PyObject *numbers(const double *q, npy_intp rows, npy_intp columns)
{
    npy_intp shape[2] = {rows, columns};
    PyObject *array = rows < 0 ? PyArray_SimpleNew(1, shape + 1, NPY_DOUBLE) : PyArray_SimpleNew(2, shape, NPY_DOUBLE);
    if (array && rows) memcpy(PyArray_DATA((PyArrayObject *)array), q, sizeof(double) * columns);
    return array;
}

/* The IkResult of its status with the numbers of this answer. */
static PyObject *result(PyObject *results, npy_intp nq, const Outcome *outcome, const Answer *answer)
{
    PyObject *like = PyTuple_GET_ITEM(results, outcome->status), *new = Py_TYPE(like)->tp_alloc(
        Py_TYPE(like), PyTuple_GET_SIZE(like));
    npy_intp found = outcome->status <= AT_SINGULARITY;
    if (!new) return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(like); i++) {
        PyObject *item = i == Q ? numbers(answer->q, -1, nq)
                         : i == POSITION ? PyFloat_FromDouble(answer->position)
                         : i == ROTATION ? PyFloat_FromDouble(answer->rotation)
                         : i == SOLUTIONS ? numbers(answer->q, found, nq)
                         : i == ITERATIONS ? PyLong_FromLongLong(outcome->iterations)
                         : i == RESTARTS ? PyLong_FromLongLong(outcome->restarts)
                         : i == TIME ? PyFloat_FromDouble(outcome->seconds)
                         : Py_NewRef(PyTuple_GET_ITEM(like, i));
        PyTuple_SET_ITEM(new, i, item);
        if (!item) {
            Py_DECREF(new);
            return NULL;
        }
    }
    return new;
}
