/* Solver: inverse kinematics as a Python callable on top of compiled kinematics. */
#include "_problem.h" /* Python first */
#include "_branches.h"
#include "_herd.h"
#include "_result.h"
#include <stdlib.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject *owner; /* keeps the compiled code in memory */
    PyObject *known, *factors; /* arrays of known starts with their poses and of their factors; NULL: there are none */
    PyObject *labels; /* one for each branch; None: not wanted */
    PyObject *results; /* an IkResult for each Status: what all answers of that kind share */
    PyObject *by_formula; /* the same for branches inside the limits: not singular, singular */
    Problem problem;
} Solver;

/* Known starts and their factors: those given, else (None) starts are learnt now; both are left in self. 0 with an error set
 * when that fails. They are weighed when a search first needs them, of solvers with the same weights once. */
static int know_starts(Solver *self, const double *rest, PyObject *given, PyObject *given_factors)
{
    static _Thread_local State s;
    Problem *p = &self->problem;
    npy_intp shape[2] = {MOST_KNOWN, p->n + 12 * p->tips}, n_factors = MOST_KNOWN * (12 * p->tips + 1);
    PyObject *known = given == Py_None ? PyArray_SimpleNew(2, shape, NPY_DOUBLE) : Py_NewRef(given);
    PyObject *factors = given_factors == Py_None ? PyArray_SimpleNew(1, &n_factors, NPY_FLOAT) : Py_NewRef(given_factors);
    Py_XSETREF(self->known, known);
    Py_XSETREF(self->factors, factors);
    if (!known || !factors || !(p->known = doubles(known, shape[0] * shape[1]))) return 0;
    PyArrayObject *array = (PyArrayObject *)factors;
    if (!PyArray_Check(factors) || PyArray_TYPE(array) != NPY_FLOAT || !PyArray_ISCARRAY(array)
        || PyArray_SIZE(array) != n_factors)
        return PyErr_Format(PyExc_TypeError, "factors must be %zd numbers of type float32", (Py_ssize_t)n_factors), 0;
    p->factors = PyArray_DATA(array);
    p->n_known = MOST_KNOWN;
    if (given_factors == Py_None) p->factors[0] = NAN;
    if (given == Py_None) learn_starts(p, rest, &s, PyArray_DATA((PyArrayObject *)known));
    return 1;
}

/* Weighs the known starts unless it is done; the interpreter must be held. */
static void weigh(const Problem *p)
{
    if (p->n_known && isnan(p->factors[0])) weigh_starts(p);
}

/* Whether `results` holds so many IkResult; 0 with an error set when it does not. */
static int are_results(PyObject *results, Py_ssize_t count)
{
    int fit = PyTuple_GET_SIZE(results) == count;
    for (Py_ssize_t k = 0; fit && k < count; k++)
        fit = PyTuple_Check(PyTuple_GET_ITEM(results, k)) && PyTuple_GET_SIZE(PyTuple_GET_ITEM(results, k)) == FIELDS;
    if (!fit) PyErr_SetString(PyExc_TypeError, "results must hold an IkResult for each status");
    return fit;
}

static int init(PyObject *object, PyObject *args, PyObject *arguments)
{
    Solver *self = (Solver *)object;
    Problem *p = &self->problem;
    if (self->owner || PyTuple_GET_SIZE(args)) return PyErr_Format(PyExc_RuntimeError, "made once, by name"), -1;
    if (!read_code(p, arguments) || !read_unknowns(p, arguments) || !read_task(p, arguments) || !read_search(p, arguments)
        || !read_branches(p, arguments))
        return -1;
    PyObject *owner = given(arguments, "owner"), *rest = given(arguments, "rest"), *known = given(arguments, "known");
    PyObject *factors = given(arguments, "factors"), *rank = given(arguments, "rank");
    PyObject *results = given_tuple(arguments, "results"), *by_formula = given_tuple(arguments, "by_formula");
    if (PyErr_Occurred() || !are_results(results, STATUSES) || !are_results(by_formula, AT_SINGULARITY + 1)) return -1;
    const double *at_rest = doubles(rest, p->nq);
    if (!at_rest || (!p->floating && !know_starts(self, at_rest, known, factors))) return -1;
    p->rank = rank == Py_None ? usual_directions(p, at_rest) : (int)PyLong_AsLong(rank);
    if (PyErr_Occurred()) return -1;
    Py_XSETREF(self->owner, Py_NewRef(owner));
    Py_XSETREF(self->labels, Py_NewRef(given(arguments, "labels")));
    Py_XSETREF(self->results, Py_NewRef(results));
    Py_XSETREF(self->by_formula, Py_NewRef(by_formula));
    return 0;
}

static void dealloc(PyObject *object)
{
    Py_XDECREF(((Solver *)object)->known);
    Py_XDECREF(((Solver *)object)->factors);
    Py_XDECREF(((Solver *)object)->owner);
    Py_XDECREF(((Solver *)object)->labels);
    Py_XDECREF(((Solver *)object)->results);
    Py_XDECREF(((Solver *)object)->by_formula);
    Py_TYPE(object)->tp_free(object);
}

/* The seed (nq) of arguments that begin with targets, whose upper rows are left in `rows`, and a seed; NULL with an error set
 * when they do not fit. */
static const double *read_request(const Problem *p, PyObject *const *args, double *rows)
{
    const double *target = read_poses(args[0], p->tips), *seed = target ? read_seed(args[1], p->nq, p->floating) : NULL;
    return seed && read_targets(target, p->tips, rows) ? seed : NULL;
}

static PyObject *solver_unsearched(PyObject *object, PyObject *const *args, Py_ssize_t n_args)
{
    const Problem *p = &((Solver *)object)->problem;
    double rows[12 * MOST_TIPS];
    if (n_args != 2) return PyErr_Format(PyExc_TypeError, "unsearched takes targets and a seed");
    const double *seed = read_request(p, args, rows);
    PyObject *far = seed ? PyTuple_New(p->tips) : NULL, *q = far ? vector(seed, p->nq) : NULL;
    if (q) into_box(p, PyArray_DATA((PyArrayObject *)q));
    for (int k = 0; q && k < p->tips; k++)
        PyTuple_SET_ITEM(far, k, PyFloat_FromDouble(fmax(outside(p, rows, seed, k), 0.0))); /* 0 where it is no number */
    return Py_BuildValue("(NN)", far, q);
}

static PyObject *solver_solve(PyObject *object, PyObject *const *args, Py_ssize_t n_args)
{
    static _Thread_local Search search;
    double rows[12 * MOST_TIPS];
    Problem *p = &((Solver *)object)->problem;
    if (n_args != 4) return PyErr_Format(PyExc_TypeError, "solve takes targets, a seed, a first start and a timeout");
    long long first = PyLong_AsLongLong(args[2]);
    double timeout = PyFloat_AsDouble(args[3]);
    if (PyErr_Occurred()) return NULL;
    const double *seed = read_request(p, args, rows);
    if (!seed) return NULL;
    if (!beyond(p, rows, seed)) weigh(p);
    double from[MOST_COORDINATES];
    memcpy(from, seed, sizeof(double) * p->nq);
    Py_BEGIN_ALLOW_THREADS
    solve(p, rows, from, first, timeout, &search);
    Py_END_ALLOW_THREADS
    return search_result(((Solver *)object)->results, p->nq, &search.outcome, &search.answer);
}

/* Rows for targets (N, tips, 4, 4) and seeds (N, nq), whether they are sound is known, and the arrays of the answers in
 * a tuple; NULL with an error set when they do not fit. */
static PyObject *make_rows(const Problem *p, PyObject *targets, PyObject *seeds, Rows *rows)
{
    npy_intp n = PyArray_Check(targets) ? PyArray_SIZE((PyArrayObject *)targets) / (16 * p->tips) : 0;
    rows->T = doubles(targets, n * 16 * p->tips), rows->seed = rows->T ? doubles(seeds, n * p->nq) : NULL;
    if (!rows->seed) return NULL;
    npy_intp shapes[3][2] = {{n, 5}, {n, p->nq}, {n, 3}};
    PyObject *made = Py_BuildValue("(NNN)", PyArray_SimpleNew(2, shapes[0], NPY_INT64),
                                   PyArray_SimpleNew(2, shapes[1], NPY_DOUBLE), PyArray_SimpleNew(2, shapes[2], NPY_DOUBLE));
    if (!made) return NULL;
    rows->count = PyArray_DATA((PyArrayObject *)PyTuple_GET_ITEM(made, 0));
    rows->q = PyArray_DATA((PyArrayObject *)PyTuple_GET_ITEM(made, 1));
    rows->figure = PyArray_DATA((PyArrayObject *)PyTuple_GET_ITEM(made, 2));
    rows->n = n, rows->next = 0;
    return made;
}

static PyObject *solver_search_many(PyObject *object, PyObject *const *args, Py_ssize_t n_args)
{
    Problem *p = &((Solver *)object)->problem;
    Rows rows;
    if (n_args != 5)
        return PyErr_Format(PyExc_TypeError, "search_many takes targets, seeds, a first start, a timeout and an address");
    PyObject *made = make_rows(p, args[0], args[1], &rows);
    rows.first = PyLong_AsLongLong(args[2]), rows.timeout = PyFloat_AsDouble(args[3]);
    kinematics_code block = (kinematics_code)(uintptr_t)PyLong_AsUnsignedLongLong(args[4]);
    Herd *herd = PyErr_Occurred() ? NULL : aligned_alloc(sizeof(lanes), sizeof(Herd));
    if (!herd) {
        Py_CLEAR(made);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    weigh(p);
    Py_BEGIN_ALLOW_THREADS
    search_rows(p, block, &rows, herd);
    Py_END_ALLOW_THREADS
    free(herd);
    return made;
}

static PyObject *solver_best_of_many(PyObject *object, PyObject *const *args, Py_ssize_t n_args)
{
    static _Thread_local Answer answer;
    const Problem *p = &((Solver *)object)->problem;
    double target[12];
    Rows rows;
    if (n_args != 4 || !p->formula)
        return PyErr_Format(PyExc_TypeError, "best_of_many takes targets, seeds, arm angles, and whether others will do");
    int beside = PyObject_IsTrue(args[3]);
    PyObject *made = make_rows(p, args[0], args[1], &rows);
    const double *psi = made && args[2] != Py_None ? doubles(args[2], rows.n) : NULL;
    if (PyErr_Occurred()) {
        Py_XDECREF(made);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    for (int64_t i = 0; i < rows.n; i++) {
        const double *seed = rows.seed + i * p->nq;
        double begin = seconds_now();
        read_row(p, &rows, i, target);
        Outcome outcome = best_branch(p, target, psi ? psi[i] : 0.0, seed, beside, &answer);
        outcome.seconds = seconds_now() - begin;
        write_row(p, &rows, i, &outcome, &answer);
    }
    Py_END_ALLOW_THREADS
    return made;
}

/* Branches, until the next ranking in this thread. */
typedef struct {
    const Branch *branch[MOST_BRANCHES];
    const double *q[MOST_BRANCHES];
    int count;
} Some;

/* Branches of a target, best first: those inside the limits or, when none is, all. */
typedef struct {
    Some best, lost;    /* lost: singular and outside, while others of their families may be inside */
    double excess;      /* by how much the best leaves the limits, infinite: there is none */
    const double *miss; /* residuals of the nearest that is no solution */
} Ranking;

static void put_into(Some *some, const Branch *branch)
{
    some->branch[some->count] = branch, some->q[some->count++] = branch->q;
}

/* The ranking for a target (4, 4), a seed (nq), an arm angle (none or None: zero) and whether the solution next to the seed
 * may have another (none: it may); returns 0 with an error set when they do not fit. */
static int rank_branches(const Problem *p, PyObject *const *args, Py_ssize_t n_args, Ranking *ranking)
{
    static _Thread_local Found found;
    double rows[12 * MOST_TIPS];
    int inside = 0;
    if (n_args < 2 || n_args > 4 || !p->formula) {
        PyErr_SetString(PyExc_TypeError, "branches are of a target, a seed, an arm angle and a flag, on a closed form");
        return 0;
    }
    const double *seed = read_request(p, args, rows);
    if (!seed) return 0;
    double psi = n_args > 2 && args[2] != Py_None ? PyFloat_AsDouble(args[2]) : 0.0;
    int beside = n_args < 4 || PyObject_IsTrue(args[3]);
    if (PyErr_Occurred()) return 0;
    branches(p, rows, psi, seed, beside, &found);
    while (inside < found.count && found.branch[found.order[inside]].excess == 0.0) inside++;
    ranking->best.count = ranking->lost.count = 0;
    for (int k = 0; k < found.count; k++) {
        const Branch *branch = found.branch + found.order[k];
        if (!inside || k < inside) put_into(&ranking->best, branch);
        if (branch->singular && branch->excess > 0.0) put_into(&ranking->lost, branch);
    }
    ranking->excess = found.count ? ranking->best.branch[0]->excess : INFINITY;
    ranking->miss = found.miss;
    return 1;
}

/* Labels of the branches. */
static PyObject *labels_of(const Solver *self, const Some *some)
{
    PyObject *labels = PyTuple_New(some->count);
    for (int k = 0; labels && k < some->count; k++)
        PyTuple_SET_ITEM(labels, k, Py_NewRef(PyTuple_GET_ITEM(self->labels, some->branch[k]->branch)));
    return labels;
}

/* Whether each of the branches is singular. */
static PyObject *singular_of(const Some *some)
{
    PyObject *told = PyTuple_New(some->count);
    for (int k = 0; told && k < some->count; k++) PyTuple_SET_ITEM(told, k, PyBool_FromLong(some->branch[k]->singular));
    return told;
}

static PyObject *solver_branches(PyObject *object, PyObject *const *args, Py_ssize_t n_args)
{
    const Solver *self = (Solver *)object;
    Ranking x;
    if (!rank_branches(&self->problem, args, n_args, &x)) return NULL;
    const Branch *first = x.best.count ? x.best.branch[0] : NULL;
    const double *residual = first ? (const double[2]){first->position, first->rotation} : x.miss;
    npy_intp nq = self->problem.nq;
    return Py_BuildValue("(dNNNNddNN)", x.excess, matrix(x.best.q, x.best.count, nq), labels_of(self, &x.best),
                         singular_of(&x.best), PyBool_FromLong(first && !first->vague), residual[0], residual[1],
                         matrix(x.lost.q, x.lost.count, nq), labels_of(self, &x.lost));
}

static PyObject *solver_all_inside(PyObject *object, PyObject *const *args, Py_ssize_t n_args)
{
    const Solver *self = (Solver *)object;
    npy_intp nq = self->problem.nq;
    double begin = seconds_now();
    Ranking x;
    int every = n_args == 3 ? PyObject_IsTrue(args[2]) : -1;
    if (every < 0) return PyErr_Format(PyExc_TypeError, "all_inside takes a target, a seed and whether families count");
    if (!rank_branches(&self->problem, args, 2, &x)) return NULL;
    if (x.excess > 0.0 || (every && x.lost.count)) Py_RETURN_NONE;
    const Branch *best = x.best.branch[0];
    PyObject *own[FIELDS] = {
        [Q] = vector(best->q, nq),
        [POSITION] = PyFloat_FromDouble(best->position),
        [ROTATION] = PyFloat_FromDouble(best->rotation),
        [SOLUTIONS] = matrix(x.best.q, x.best.count, nq),
        [INDICES] = labels_of(self, &x.best),
        [MARKS] = singular_of(&x.best),
        [TIME] = PyFloat_FromDouble(seconds_now() - begin),
    };
    PyObject *like = best->vague ? self->results : self->by_formula;
    return result_like(PyTuple_GET_ITEM(like, best->singular ? AT_SINGULARITY : CONVERGED), own);
}

static PyMethodDef methods[] = {
    {"unsearched", (PyCFunction)(void (*)(void))solver_unsearched, METH_FASTCALL,
     "unsearched(targets (tips, 4, 4), seed (nq,)) -> (by how much each target lies outside the sphere of its tip [m],"
     " the seed inside the limits (nq,))"},
    {"solve", (PyCFunction)(void (*)(void))solver_solve, METH_FASTCALL,
     "solve(targets (tips, 4, 4), seed (nq,), first, timeout [s]) -> IkResult, of those given as results"},
    {"search_many", (PyCFunction)(void (*)(void))solver_search_many, METH_FASTCALL,
     "search_many(targets (N, tips, 4, 4), seeds (N, nq), first, timeout [s] of each, address of the kinematics of LANES"
     " states) -> (status, the place in results, iterations, restarts, 0 and 0 (N, 5); q (N, nq); position [m], rotation"
     " [rad] and time [s] (N, 3))"},
    {"best_of_many", (PyCFunction)(void (*)(void))solver_best_of_many, METH_FASTCALL,
     "best_of_many(targets (N, 1, 4, 4), seeds (N, nq), arm angles (N,) or None, whether another arm angle will do next to the"
     " seed) -> as search_many, with the branch and whether it is sharp instead of 0"},
    {"branches", (PyCFunction)(void (*)(void))solver_branches, METH_FASTCALL,
     "branches(target (4, 4), seed (nq,), arm angle=None, whether another will do next to the seed=True) -> (by how much the"
     " best leaves the limits, inf: there is none; q (k, nq) inside or, when none is, of all; labels (k), singular (k);"
     " whether the first is more than within the tolerance; position [m], rotation [rad] of the first or, when there is none,"
     " of the nearest miss; q (m, nq) and labels (m) of the singular ones outside)"},
    {"all_inside", (PyCFunction)(void (*)(void))solver_all_inside, METH_FASTCALL,
     "all_inside(target (4, 4), seed (nq,), every) -> IkResult of all branches inside the limits; None when there is none"
     " or, of every one, when a singular one is outside"},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"rank", T_INT, offsetof(Solver, problem) + offsetof(Problem, rank), READONLY, "directions that the task usually has"},
    {"factors", T_OBJECT, offsetof(Solver, factors), READONLY, "of the known starts under the weights, or None"},
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
    return Py_BuildValue("{sdsdsdsdsdsdsdsdsdsdsisisisisisisisi}", "TURN", TURN, "ROUNDING", ROUNDING, "SINGULAR", SINGULAR, "EXACT",
                         EXACT, "SHARP", SHARP, "APART", APART, "BESIDE", BESIDE, "RIGID", RIGID, "UNIT", UNIT, "SPACING", SPACING,
                         "POLISH", POLISH, "KNOWN", MOST_KNOWN, "MOST_COORDINATES", MOST_COORDINATES, "MOST_UNKNOWNS", MOST_UNKNOWNS,
                         "MOST_TIPS", MOST_TIPS, "STATUSES", STATUSES, "LANES", LANES, "SLIDING", SLIDING);
}

PyMODINIT_FUNC PyInit__solve(void)
{
    import_array();
    if (PyType_Ready(&SolverType) < 0) return NULL;
    PyObject *m = PyModule_Create(&module), *shared = constants(), *fields = Py_BuildValue(
        "{sisisisisisisisisi}", "q", Q, "residual_position", POSITION, "residual_rotation", ROTATION, "solutions", SOLUTIONS,
        "indices", INDICES, "singular", MARKS, "iterations", ITERATIONS, "restarts", RESTARTS, "time", TIME);
    if (m && (PyModule_AddObjectRef(m, "Solver", (PyObject *)&SolverType) < 0
              || PyModule_AddObjectRef(m, "CONSTANTS", shared) < 0 || PyModule_AddObjectRef(m, "FIELDS", fields) < 0))
        Py_CLEAR(m);
    Py_XDECREF(shared), Py_XDECREF(fields);
    return m;
}
