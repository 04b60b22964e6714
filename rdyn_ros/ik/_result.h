/* The answer to one target as an IkResult. */
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#include "_task.h"

/* Of IkResult. */
enum { Q = 2, POSITION, ROTATION, SOLUTIONS, INDICES, MARKS, ITERATIONS = 10, RESTARTS, TIME, MESSAGE = 14, ARM_ANGLES,
       FIELDS };

/* (columns) of numbers. */
static PyObject *vector(const double *q, npy_intp columns)
{
    PyObject *array = PyArray_SimpleNew(1, &columns, NPY_DOUBLE);
    if (array) memcpy(PyArray_DATA((PyArrayObject *)array), q, sizeof(double) * columns);
    return array;
}

/* (rows, columns) of numbers, where row k is. */
static PyObject *matrix(const double *const *row, npy_intp rows, npy_intp columns)
{
    npy_intp shape[2] = {rows, columns};
    PyObject *array = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
    for (npy_intp k = 0; array && k < rows; k++)
        memcpy((double *)PyArray_DATA((PyArrayObject *)array) + k * columns, row[k], sizeof(double) * columns);
    return array;
}

/* A tuple of some kind with these fields, whose references are taken over; NULL when an error is set. */
static PyObject *filled(PyTypeObject *kind, PyObject **own, Py_ssize_t fields)
{
    PyObject *new = PyErr_Occurred() ? NULL : kind->tp_alloc(kind, fields);
    for (Py_ssize_t i = 0; i < fields; i++)
        if (new)
            PyTuple_SET_ITEM(new, i, own[i]);
        else
            Py_XDECREF(own[i]);
    return new;
}

/* An IkResult like another but for the fields in `own`, whose references are taken over; NULL when an error is set. */
static PyObject *result_like(PyObject *like, PyObject *own[FIELDS])
{
    for (int i = 0; i < FIELDS && !PyErr_Occurred(); i++)
        if (!own[i]) own[i] = Py_NewRef(PyTuple_GET_ITEM(like, i));
    return filled(Py_TYPE(like), own, FIELDS);
}

/* The IkResult of a search: that of its status with the numbers of this answer; late: the message when time is up, or NULL. */
static PyObject *search_result(PyObject *results, npy_intp nq, const Outcome *outcome, const Answer *answer, PyObject *late)
{
    const double *row[1] = {answer->q};
    PyObject *own[FIELDS] = {
        [Q] = vector(answer->q, nq),
        [POSITION] = PyFloat_FromDouble(answer->position),
        [ROTATION] = PyFloat_FromDouble(answer->rotation),
        [SOLUTIONS] = matrix(row, outcome->status <= AT_SINGULARITY, nq),
        [ITERATIONS] = PyLong_FromLongLong(outcome->iterations),
        [RESTARTS] = PyLong_FromLongLong(outcome->restarts),
        [TIME] = PyFloat_FromDouble(outcome->seconds),
        [MESSAGE] = outcome->status == TIMEOUT ? Py_XNewRef(late) : NULL,
    };
    return result_like(PyTuple_GET_ITEM(results, outcome->status), own);
}
