/* A Problem out of keyword arguments, one group after the other; 0 with an error set when they do not fit. */
#pragma once
#include "_arguments.h"
#include "_linear.h"
#include "_starts.h"

/* The argument of that name, NULL with an error set when there is none. */
static PyObject *given(PyObject *arguments, const char *name)
{
    PyObject *value = arguments ? PyDict_GetItemString(arguments, name) : NULL;
    if (!value && !PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s is missing", name);
    return value;
}

/* The same, a tuple. */
static PyObject *given_tuple(PyObject *arguments, const char *name)
{
    PyObject *value = given(arguments, name);
    if (value && !PyTuple_Check(value)) return PyErr_Format(PyExc_TypeError, "%s must be a tuple", name);
    return value;
}

static long long given_count(PyObject *arguments, const char *name)
{
    PyObject *value = given(arguments, name);
    return value ? PyLong_AsLongLong(value) : 0;
}

static uintptr_t given_address(PyObject *arguments, const char *name)
{
    PyObject *value = given(arguments, name);
    return value ? (uintptr_t)PyLong_AsUnsignedLongLong(value) : 0;
}

/* Copies an array of so many numbers. */
static int fill_given(double *to, PyObject *arguments, const char *name, npy_intp size)
{
    PyObject *value = given(arguments, name);
    return value && fill(to, value, size);
}

static int read_code(Problem *p, PyObject *arguments)
{
    p->kinematics = (kinematics_code)given_address(arguments, "kinematics");
    p->block = (kinematics_code)given_address(arguments, "block");
    p->arm_angle = (kinematics_code)given_address(arguments, "arm_angle");
    p->formula = (rows_code)given_address(arguments, "formula");
    return !PyErr_Occurred();
}

/* Which coordinates are unknown, which of them turn without end or slide, and their limits. */
static int read_unknowns(Problem *p, PyObject *arguments)
{
    PyObject *unknown = given_tuple(arguments, "unknown"), *turns = given_tuple(arguments, "turns");
    PyObject *slides = given_tuple(arguments, "slides");
    long long nq = given_count(arguments, "nq");
    p->floating = given_count(arguments, "floating") != 0;
    if (PyErr_Occurred()) return 0;
    Py_ssize_t n = PyTuple_GET_SIZE(unknown);
    if (nq < 0 || nq > MOST_COORDINATES || n > MOST_UNKNOWNS || PyTuple_GET_SIZE(turns) != n || PyTuple_GET_SIZE(slides) != n)
        return PyErr_Format(PyExc_ValueError, "%lld coordinates and %zd unknowns, %zd turns and %zd slides; at most %d and %d, "
                            "and as many turns and slides as unknowns", nq, n, PyTuple_GET_SIZE(turns),
                            PyTuple_GET_SIZE(slides), MOST_COORDINATES, MOST_UNKNOWNS), 0;
    p->nq = (int)nq, p->n = (int)n, p->phi = sequence_ratio(p->n), p->n_slides = 0;
    for (int i = 0; i < p->n; i++) {
        p->unknown[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(unknown, i));
        p->turns[i] = PyObject_IsTrue(PyTuple_GET_ITEM(turns, i)) == 1;
        p->slides[i] = PyObject_IsTrue(PyTuple_GET_ITEM(slides, i)) == 1;
        p->n_slides += p->slides[i];
        if (p->unknown[i] < 0 || p->unknown[i] >= nq)
            return PyErr_Format(PyExc_ValueError, "an unknown lies outside the coordinates"), 0;
    }
    return fill_given(p->lower, arguments, "lower", n) && fill_given(p->upper, arguments, "upper", n)
           && fill_given(p->spans, arguments, "spans", n);
}

/* What counts of the pose of each tip, how exactly, and how far it can be away. */
static int read_task(Problem *p, PyObject *arguments)
{
    PyObject *weight = given(arguments, "weight"), *tolerance = given_tuple(arguments, "tolerance");
    if (PyErr_Occurred() || !PyArg_ParseTuple(tolerance, "dd", &p->tolerance_position, &p->tolerance_rotation)) return 0;
    p->finest = fmin(p->tolerance_position, p->tolerance_rotation);
    p->tips = PyArray_Check(weight) ? (int)(PyArray_SIZE((PyArrayObject *)weight) / 6) : 0;
    if (p->tips < 1 || p->tips > MOST_TIPS)
        return PyErr_Format(PyExc_ValueError, "weights of %d tips; allowed are 1 to %d", p->tips, MOST_TIPS), 0;
    int rows[MOST_ROWS], fits = fill(p->weight, weight, 6 * p->tips) && fill_given(p->axis, arguments, "axis", 3 * p->tips)
                                && fill_given(p->reach, arguments, "reach", 4 * p->tips);
    p->rows = fits ? counting_rows(p, rows) : 0;
    return fits;
}

/* When a start, and when the search is given up, and where free motion should go. */
static int read_search(Problem *p, PyObject *arguments)
{
    PyObject *patience = given_tuple(arguments, "patience"), *posture = given(arguments, "posture");
    p->most_restarts = given_count(arguments, "most_restarts");
    if (PyErr_Occurred() || !PyArg_ParseTuple(patience, "ii", &p->patience, &p->most_iterations)) return 0;
    p->has_posture = posture != Py_None;
    return !p->has_posture || (fill(p->posture, posture, p->nq) && fill_given(p->pull, arguments, "pull", p->n));
}

/* Which branches of the closed form are wanted, and their indices. */
static int read_branches(Problem *p, PyObject *arguments)
{
    PyObject *labels = given_tuple(arguments, "labels"), *signs = given(arguments, "signs");
    p->exact_form = given_count(arguments, "exact_form") != 0;
    if (PyErr_Occurred()) return 0;
    Py_ssize_t n_branches = PyTuple_GET_SIZE(labels);
    npy_intp n_signs = PyArray_Check(signs) ? PyArray_SIZE((PyArrayObject *)signs) : 0;
    if (n_branches > MOST_BRANCHES || n_signs > MOST_INDICES * n_branches || (n_signs && n_signs % n_branches))
        return PyErr_Format(PyExc_ValueError, "%zd branches with %zd indices; at most %d with %d each, all with as many",
                            n_branches, (Py_ssize_t)n_signs, MOST_BRANCHES, MOST_INDICES), 0;
    p->n_branches = (int)n_branches, p->all_wanted = 1;
    for (int b = 0; b < p->n_branches; b++) p->all_wanted &= p->wanted[b] = PyTuple_GET_ITEM(labels, b) != Py_None;
    return fill(p->signs, signs, n_signs);
}
