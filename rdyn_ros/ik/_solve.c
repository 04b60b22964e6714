/* Solver: inverse kinematics as a Python callable on top of compiled kinematics. */
#include "_arguments.h"
#include "_branches.h"
#include "_result.h"
#include "_search.h"
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject *owner; /* keeps the compiled code in memory */
    kinematics_code formula; /* of the closed form: target (3, 4), arm angle -> (branches, n); NULL: none */
    PyObject *known; /* array of known starts and their poses, see Problem; NULL: there are none */
    PyObject *labels; /* one for each branch; None: not wanted */
    PyObject *results; /* an IkResult for each Status: what all answers of that kind share */
    Problem problem;
} Solver;

/* Known starts: those given, else (None) learnt now and left in self->known; 0 with an error set when that fails. */
static int know_starts(Solver *self, PyObject *rest, PyObject *given)
{
    static _Thread_local State s;
    Problem *p = &self->problem;
    npy_intp shape[2] = {MOST_KNOWN, p->n + 12 * p->tips};
    PyObject *known = given == Py_None ? PyArray_SimpleNew(2, shape, NPY_DOUBLE) : Py_NewRef(given);
    const double *at_rest = known ? doubles(rest, p->nq) : NULL;
    Py_XSETREF(self->known, known);
    if (!at_rest || !(p->known = doubles(known, shape[0] * shape[1]))) return 0;
    PyMem_Free(p->factors);
    if (!(p->factors = PyMem_Malloc(sizeof(float) * MOST_KNOWN * (12 * p->tips + 1)))) return PyErr_NoMemory() != NULL;
    p->n_known = MOST_KNOWN;
    if (given == Py_None) learn_starts(p, at_rest, &s, PyArray_DATA((PyArrayObject *)known));
    weigh_starts(p);
    return 1;
}

static int init(PyObject *object, PyObject *args, PyObject *kwds)
{
    static char *names[] = {"owner", "kinematics", "formula", "labels", "nq", "unknown", "turns", "lower", "upper",
                            "weight", "axis", "reach", "tolerance", "timeout", "most_restarts", "patience", "posture",
                            "pull", "rest", "floating", "known", "results", NULL};
    Solver *self = (Solver *)object;
    Problem *p = &self->problem;
    unsigned long long kinematics, formula;
    long long most_restarts;
    PyObject *owner, *labels, *unknown, *turns, *lower, *upper, *weight, *axis, *reach, *posture, *pull, *rest, *known;
    PyObject *results;
    if (!PyArg_ParseTupleAndKeywords(args, kwds, "OKKO!iO!O!OOOOO(dd)dL(ii)OOOpOO!", names, &owner, &kinematics, &formula,
                                     &PyTuple_Type, &labels, &p->nq, &PyTuple_Type, &unknown, &PyTuple_Type, &turns, &lower,
                                     &upper, &weight, &axis, &reach, &p->tolerance_position, &p->tolerance_rotation,
                                     &p->timeout, &most_restarts, &p->patience,
                                     &p->most_iterations, &posture, &pull, &rest, &p->floating, &known,
                                     &PyTuple_Type, &results))
        return -1;
    p->kinematics = (kinematics_code)(uintptr_t)kinematics;
    self->formula = (kinematics_code)(uintptr_t)formula;
    p->most_restarts = most_restarts;
    p->n = (int)PyTuple_GET_SIZE(unknown);
    p->tips = (int)(PyArray_Check(weight) ? PyArray_SIZE((PyArrayObject *)weight) / 6 : 0);
    if (p->nq > MOST_COORDINATES || p->n > MOST_UNKNOWNS || p->tips < 1 || p->tips > MOST_TIPS
        || PyTuple_GET_SIZE(turns) != p->n || PyTuple_GET_SIZE(labels) > MOST_BRANCHES) {
        PyErr_Format(PyExc_ValueError, "at most %d coordinates, %d unknowns and 1 to %d tips", MOST_COORDINATES,
                     MOST_UNKNOWNS, MOST_TIPS);
        return -1;
    }
    for (int k = 0; k < STATUSES; k++)
        if (PyTuple_GET_SIZE(results) != STATUSES || !PyTuple_Check(PyTuple_GET_ITEM(results, k))
            || PyTuple_GET_SIZE(PyTuple_GET_ITEM(results, k)) <= TIME) {
            PyErr_SetString(PyExc_TypeError, "results must hold an IkResult for each status");
            return -1;
        }
    p->phi = 2.0;
    for (int k = 0; k < 40; k++) p->phi = pow(1.0 + p->phi, 1.0 / (p->n + 1.0));
    for (int i = 0; i < p->n; i++) {
        p->unknown[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(unknown, i));
        p->turns[i] = PyObject_IsTrue(PyTuple_GET_ITEM(turns, i)) == 1;
        if (p->unknown[i] < 0 || p->unknown[i] >= p->nq) {
            PyErr_SetString(PyExc_ValueError, "an unknown lies outside the coordinates");
            return -1;
        }
    }
    p->n_branches = (int)PyTuple_GET_SIZE(labels);
    for (int b = 0; b < p->n_branches; b++) p->wanted[b] = PyTuple_GET_ITEM(labels, b) != Py_None;
    p->has_posture = posture != Py_None;
    if (p->has_posture && (!fill(p->posture, posture, p->nq) || !fill(p->pull, pull, p->n))) return -1;
    if (!fill(p->lower, lower, p->n) || !fill(p->upper, upper, p->n) || !fill(p->weight, weight, 6 * p->tips)
        || !fill(p->axis, axis, 3 * p->tips) || !fill(p->reach, reach, 4 * p->tips))
        return -1;
    if (!p->floating && !know_starts(self, rest, known)) return -1;
    Py_XSETREF(self->owner, Py_NewRef(owner));
    Py_XSETREF(self->labels, Py_NewRef(labels));
    Py_XSETREF(self->results, Py_NewRef(results));
    return 0;
}

static void dealloc(PyObject *object)
{
    PyMem_Free(((Solver *)object)->problem.factors);
    Py_XDECREF(((Solver *)object)->known);
    Py_XDECREF(((Solver *)object)->owner);
    Py_XDECREF(((Solver *)object)->labels);
    Py_XDECREF(((Solver *)object)->results);
    Py_TYPE(object)->tp_free(object);
}

static PyObject *solver_solve(PyObject *object, PyObject *const *args, Py_ssize_t n_args)
{
    static _Thread_local Answer answer;
    double rows[12 * MOST_TIPS];
    const Problem *p = &((Solver *)object)->problem;
    long long first = n_args > 2 ? PyLong_AsLongLong(args[2]) : 0;
    double timeout = n_args > 3 ? PyFloat_AsDouble(args[3]) : p->timeout;
    if (n_args < 2 || n_args > 4 || PyErr_Occurred()) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "solve takes targets, a seed, a first start and a timeout");
        return NULL;
    }
    const double *target = read_poses(args[0], p->tips), *seed = target ? read_seed(args[1], p->nq, p->floating) : NULL;
    if (!seed || !read_targets(target, p->tips, rows)) return NULL;
    double from[MOST_COORDINATES];
    memcpy(from, seed, sizeof(double) * p->nq);
    Outcome outcome;
    Py_BEGIN_ALLOW_THREADS
    outcome = solve(p, rows, from, first, timeout, &answer);
    Py_END_ALLOW_THREADS
    return result(((Solver *)object)->results, p->nq, &outcome, &answer);
}

/* One row after the other with the interpreter left to other threads; whether targets and seeds are sound is known. */
static PyObject *solver_solve_many(PyObject *object, PyObject *const *args, Py_ssize_t n_args)
{
    static _Thread_local Answer answer;
    double rows[12 * MOST_TIPS];
    const Problem *p = &((Solver *)object)->problem;
    npy_intp n = n_args == 4 && PyArray_Check(args[0]) ? PyArray_SIZE((PyArrayObject *)args[0]) / (16 * p->tips) : 0;
    npy_intp size = p->n_branches * p->n;
    const double *T = n_args == 4 ? doubles(args[0], n * 16 * p->tips) : NULL, *seed = T ? doubles(args[1], n * p->nq) : NULL;
    const double *angles = seed && args[3] != Py_None ? doubles(args[3], n * size) : NULL;
    long long first = seed ? PyLong_AsLongLong(args[2]) : 0;
    if (!seed || PyErr_Occurred()) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "solve_many takes targets, seeds, a first start and angles");
        return NULL;
    }
    npy_intp shapes[3][2] = {{n, 4}, {n, p->nq}, {n, 3}};
    PyObject *counts = PyArray_SimpleNew(2, shapes[0], NPY_INT64), *q = PyArray_SimpleNew(2, shapes[1], NPY_DOUBLE);
    PyObject *figures = PyArray_SimpleNew(2, shapes[2], NPY_DOUBLE);
    if (counts && q && figures) {
        int64_t *count = PyArray_DATA((PyArrayObject *)counts);
        double *to = PyArray_DATA((PyArrayObject *)q), *figure = PyArray_DATA((PyArrayObject *)figures);
        Py_BEGIN_ALLOW_THREADS
        for (npy_intp i = 0; i < n; i++, seed += p->nq, count += 4, to += p->nq, figure += 3) {
            double begin = seconds_now();
            answer.branch = 0;
            for (int k = 0; k < p->tips; k++) memcpy(rows + 12 * k, T + 16 * (i * p->tips + k), 12 * sizeof(double));
            Outcome outcome = angles ? best_branch(p, angles + i * size, rows, seed, &answer)
                                     : solve(p, rows, seed, first, p->timeout, &answer);
            count[0] = outcome.status, count[1] = outcome.iterations, count[2] = outcome.restarts, count[3] = answer.branch;
            memcpy(to, answer.q, sizeof(double) * p->nq);
            figure[0] = answer.position, figure[1] = answer.rotation, figure[2] = seconds_now() - begin;
        }
        Py_END_ALLOW_THREADS
    }
    return Py_BuildValue("(NNN)", counts, q, figures);
}

static PyObject *solver_branches(PyObject *object, PyObject *const *args, Py_ssize_t n_args)
{
    static _Thread_local Branch found[MOST_BRANCHES];
    double rows[12], angles[MOST_BRANCHES * MOST_UNKNOWNS], miss[2], psi;
    int order[MOST_BRANCHES], inside = 0;
    Solver *self = (Solver *)object;
    const Problem *p = &self->problem;
    if (n_args != 3 || !self->formula || p->tips != 1) {
        PyErr_SetString(PyExc_TypeError, "branches takes a target, a seed and an arm angle, on a closed form");
        return NULL;
    }
    const double *target = read_poses(args[0], 1), *seed = target ? read_seed(args[1], p->nq, p->floating) : NULL;
    if (!seed || !read_targets(target, 1, rows)) return NULL;
    psi = PyFloat_AsDouble(args[2]);
    if (PyErr_Occurred()) return NULL;
    const double *in[2] = {rows, &psi};
    double *out[1] = {angles};
    self->formula(in, out);
    int count = branches(p, angles, rows, seed, found, order, miss);
    const Branch *best = count ? found + order[0] : NULL;
    while (inside < count && found[order[inside]].excess == 0.0) inside++;
    count = inside ? inside : count;
    npy_intp shape[2] = {count, p->nq};
    PyObject *q = PyArray_SimpleNew(2, shape, NPY_DOUBLE), *named = PyTuple_New(count), *lost = PyTuple_New(count);
    if (!q || !named || !lost) {
        Py_XDECREF(q), Py_XDECREF(named), Py_XDECREF(lost);
        return NULL;
    }
    for (int k = 0; k < count; k++) {
        const Branch *b = found + order[k];
        memcpy((double *)PyArray_DATA((PyArrayObject *)q) + k * p->nq, b->q, sizeof(double) * p->nq);
        PyTuple_SET_ITEM(named, k, Py_NewRef(PyTuple_GET_ITEM(self->labels, b->branch)));
        PyTuple_SET_ITEM(lost, k, PyBool_FromLong(b->singular));
    }
    return Py_BuildValue("(dNNNdd)", best ? best->excess : INFINITY, q, named, lost, best ? best->position : miss[0],
                         best ? best->rotation : miss[1]);
}

static PyMethodDef methods[] = {
    {"solve", (PyCFunction)(void (*)(void))solver_solve, METH_FASTCALL,
     "solve(targets (tips, 4, 4), seed (nq,), first=0, timeout=that of the options) -> IkResult, of those given as results"},
    {"solve_many", (PyCFunction)(void (*)(void))solver_solve_many, METH_FASTCALL,
     "solve_many(targets (N, tips, 4, 4), seeds (N, nq), first, angles (N, branches, n) of a closed form, or None: search)"
     " -> (status, the place in results, iterations, restarts and branch (N, 4); q (N, nq); position [m], rotation [rad]"
     " and time [s] (N, 3))"},
    {"branches", (PyCFunction)(void (*)(void))solver_branches, METH_FASTCALL,
     "branches(target (4, 4), seed (nq,), arm angle) -> (by how much the best leaves the limits, inf: there is none; q"
     " (k, nq) inside or, when none is, of all; labels (k), singular (k); position [m], rotation [rad] of the first or,"
     " when there is none, of the nearest miss)"},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"known", T_OBJECT, offsetof(Solver, known), READONLY, "known starts (KNOWN, n + 12 tips): unknowns and poses, or None"},
    {NULL, 0, 0, 0, NULL},
};

static PyTypeObject SolverType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "rdyn_ros.ik._solve.Solver",
    .tp_doc = "Levenberg-Marquardt with limits and restarts on compiled kinematics.",
    .tp_basicsize = sizeof(Solver),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = init,
    .tp_dealloc = dealloc,
    .tp_methods = methods,
    .tp_members = members,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_solve", "The inner loop of inverse kinematics.", -1, NULL};

/* What is shared with Python: a test holds it equal there. */
static PyObject *constants(void)
{
    return Py_BuildValue("{sdsdsdsdsdsdsdsdsdsisisisisisi}", "TURN", TURN, "ROUNDING", ROUNDING, "SINGULAR", SINGULAR, "EXACT",
                         EXACT, "APART", APART, "BESIDE", BESIDE, "RIGID", RIGID, "UNIT", UNIT, "SPACING", SPACING,
                         "POLISH", POLISH, "KNOWN", MOST_KNOWN, "MOST_COORDINATES", MOST_COORDINATES, "MOST_UNKNOWNS", MOST_UNKNOWNS,
                         "MOST_TIPS", MOST_TIPS, "STATUSES", STATUSES);
}

PyMODINIT_FUNC PyInit__solve(void)
{
    import_array();
    if (PyType_Ready(&SolverType) < 0) return NULL;
    PyObject *m = PyModule_Create(&module), *shared = constants(), *fields = Py_BuildValue(
        "{sisisisisisisi}", "q", Q, "residual_position", POSITION, "residual_rotation", ROTATION, "solutions", SOLUTIONS,
        "iterations", ITERATIONS, "restarts", RESTARTS, "time", TIME);
    if (m && (PyModule_AddObjectRef(m, "Solver", (PyObject *)&SolverType) < 0
              || PyModule_AddObjectRef(m, "CONSTANTS", shared) < 0 || PyModule_AddObjectRef(m, "FIELDS", fields) < 0))
        Py_CLEAR(m);
    Py_XDECREF(shared), Py_XDECREF(fields);
    return m;
}
