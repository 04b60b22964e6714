/* Solver: inverse kinematics as a Python callable on top of compiled kinematics. */
#include "_problem.h" /* Python first */
#include "_herd.h"
#include "_ranking.h"
#include "_result.h"
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject *owner; /* keeps the compiled code in memory */
    PyObject *known, *factors; /* arrays of known starts with their poses and of their factors; NULL: there are none */
    PyObject *labels; /* one for each branch; None: not wanted */
    PyObject *names; /* of the joints of the unknowns */
    PyObject *results; /* an IkResult for each Status: what all answers of that kind share */
    PyObject *by_formula; /* the same for branches inside the limits: not singular, singular */
    PyTypeObject *told; /* Branches */
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
    PyObject *told = given(arguments, "told"), *names = given_tuple(arguments, "names");
    if (names && PyTuple_GET_SIZE(names) != p->n) PyErr_SetString(PyExc_ValueError, "names must be those of the unknowns");
    if (told && !(PyType_Check(told) && PyType_IsSubtype((PyTypeObject *)told, &PyTuple_Type)))
        PyErr_SetString(PyExc_TypeError, "told must be a kind of tuple");
    if (PyErr_Occurred() || !are_results(results, STATUSES) || !are_results(by_formula, AT_SINGULARITY + 1)) return -1;
    const double *at_rest = doubles(rest, p->nq);
    if (!at_rest || (!p->floating && !know_starts(self, at_rest, known, factors))) return -1;
    p->rank = rank == Py_None ? usual_directions(p, at_rest) : (int)PyLong_AsLong(rank);
    if (PyErr_Occurred()) return -1;
    Py_XSETREF(self->owner, Py_NewRef(owner));
    Py_XSETREF(self->labels, Py_NewRef(given(arguments, "labels")));
    Py_XSETREF(self->results, Py_NewRef(results));
    Py_XSETREF(self->by_formula, Py_NewRef(by_formula));
    Py_XSETREF(self->names, Py_NewRef(names));
    Py_XSETREF(self->told, (PyTypeObject *)Py_NewRef(told));
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
    Py_XDECREF(((Solver *)object)->names);
    Py_XDECREF(((Solver *)object)->told);
    Py_TYPE(object)->tp_free(object);
}

/* The seed (nq) of arguments that begin with targets, whose upper rows are left in `rows`, and a seed; NULL with an error set
 * when they do not fit. */
static const double *read_request(const Problem *p, PyObject *const *args, double *rows)
{
    if (PyTuple_Check(args[0]) ? !read_each(args[0], p->tips, rows) : !read_targets(args[0], p->tips, rows)) return NULL;
    return read_seed(args[1], p->nq, p->floating);
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
    if (n_args < 5 || n_args > 6)
        return PyErr_Format(PyExc_TypeError, "solve takes targets, a seed, a start, its begin, a timeout and a message");
    long long first = PyLong_AsLongLong(args[2]);
    double begin = PyFloat_AsDouble(args[3]), timeout = PyFloat_AsDouble(args[4]);
    if (PyErr_Occurred()) return NULL;
    const double *seed = read_request(p, args, rows);
    if (!seed) return NULL;
    if (!beyond(p, rows, seed)) weigh(p);
    double from[MOST_COORDINATES];
    memcpy(from, seed, sizeof(double) * p->nq);
    Py_BEGIN_ALLOW_THREADS
    solve(p, rows, from, first, begin, timeout, &search);
    Py_END_ALLOW_THREADS
    return search_result(((Solver *)object)->results, p->nq, &search.outcome, &search.answer, n_args > 5 ? args[5] : NULL);
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
        return PyErr_Format(PyExc_TypeError, "best_of_many takes targets, seeds, an arm angle, and whether others will do");
    int own = args[2] == Py_None, beside = PyObject_IsTrue(args[3]);
    double psi = own ? 0.0 : PyFloat_AsDouble(args[2]);
    PyObject *made = PyErr_Occurred() ? NULL : make_rows(p, args[0], args[1], &rows);
    if (!made) return NULL;
    Py_BEGIN_ALLOW_THREADS
    for (int64_t i = 0; i < rows.n; i++) {
        const double *seed = rows.seed + i * p->nq;
        double begin = seconds_now();
        read_row(p, &rows, i, target);
        Outcome outcome = best_branch(p, target, own ? arm_angle(p, seed) : psi, seed, beside, &answer);
        outcome.seconds = seconds_now() - begin;
        write_row(p, &rows, i, &outcome, &answer);
    }
    Py_END_ALLOW_THREADS
    return made;
}

/* Labels of branches. */
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

/* Arm angles of branches; none where an arm has none. */
static PyObject *arm_angles_of(const Solver *self, const Some *some)
{
    const Problem *p = &self->problem;
    PyObject *angles = PyTuple_New(p->arm_angle ? some->count : 0);
    for (int k = 0; angles && k < PyTuple_GET_SIZE(angles); k++)
        PyTuple_SET_ITEM(angles, k, PyFloat_FromDouble(arm_angle_of(p, some->branch[k])));
    return angles;
}

/* By how much q leaves the limits of each joint outside them, but for what the tolerance explains where there are others. */
static PyObject *violations_of(const Solver *self, const double *q)
{
    const Problem *p = &self->problem;
    PyObject *told = PyDict_New();
    double least = excess(p, q) > p->finest ? p->finest : 0.0;
    for (int i = 0; told && i < p->n; i++) {
        double x = q[p->unknown[i]], out = fmax(p->lower[i] - x, x - p->upper[i]);
        PyObject *number = out > least ? PyFloat_FromDouble(out) : NULL;
        if (number) PyDict_SetItem(told, PyTuple_GET_ITEM(self->names, i), number);
        Py_XDECREF(number);
    }
    return told;
}

/* Branches. */
static PyObject *branches_told(const Solver *self, const Ranking *x)
{
    npy_intp nq = self->problem.nq;
    const Branch *first = x->first;
    int collects = PyGC_Disable(); /* finalizers may ask for branches in this thread, too */
    PyObject *own[] = { /* in the order of its fields */
        PyFloat_FromDouble(first->excess),  matrix(x->best.q, x->best.count, nq), labels_of(self, &x->best),
        singular_of(&x->best),              arm_angles_of(self, &x->best),        vector(first->q, nq),
        PyFloat_FromDouble(first->position), PyFloat_FromDouble(first->rotation), PyBool_FromLong(!first->vague),
        PyFloat_FromDouble(first->psi),     PyBool_FromLong(x->beyond),           violations_of(self, first->q),
        matrix(x->lost.q, x->lost.count, nq), labels_of(self, &x->lost),
    };
    PyObject *told = filled(self->told, own, sizeof own / sizeof *own);
    if (collects) PyGC_Enable();
    return told;
}

/* The IkResult of branches inside the limits. */
static PyObject *inside_told(const Solver *self, const Some *some, double begin)
{
    const Branch *first = some->branch[0];
    npy_intp nq = self->problem.nq;
    int collects = PyGC_Disable(); /* as above */
    PyObject *own[FIELDS] = {
        [Q] = vector(first->q, nq),
        [POSITION] = PyFloat_FromDouble(first->position),
        [ROTATION] = PyFloat_FromDouble(first->rotation),
        [SOLUTIONS] = matrix(some->q, some->count, nq),
        [INDICES] = labels_of(self, some),
        [MARKS] = singular_of(some),
        [ARM_ANGLES] = arm_angles_of(self, some),
        [TIME] = PyFloat_FromDouble(seconds_now() - begin),
    };
    PyObject *like = first->vague ? self->results : self->by_formula;
    PyObject *told = result_like(PyTuple_GET_ITEM(like, first->singular ? AT_SINGULARITY : CONVERGED), own);
    if (collects) PyGC_Enable();
    return told;
}

/* Ranks by a target (4, 4), a seed (nq), an arm angle (None: the seed's) and whether the solution next to the seed may have
 * another; 0 with an error set when they do not fit. */
static int rank_asked(const Problem *p, PyObject *const *args, Ranking *x)
{
    double rows[12];
    const double *seed = read_request(p, args, rows);
    if (!seed) return 0;
    double psi = args[2] == Py_None ? arm_angle(p, seed) : PyFloat_AsDouble(args[2]);
    int beside = PyObject_IsTrue(args[3]);
    if (PyErr_Occurred()) return 0;
    rank(p, rows, psi, seed, beside, x);
    return 1;
}

static PyObject *solver_branches(PyObject *object, PyObject *const *args, Py_ssize_t n_args)
{
    const Solver *self = (Solver *)object;
    Ranking x;
    if (n_args != 4 || !self->problem.formula)
        return PyErr_Format(PyExc_TypeError, "branches are of a target, a seed, an arm angle and a flag, on a closed form");
    return rank_asked(&self->problem, args, &x) ? branches_told(self, &x) : NULL;
}

static PyObject *solver_inside(PyObject *object, PyObject *const *args, Py_ssize_t n_args)
{
    const Solver *self = (Solver *)object;
    Ranking x;
    if (n_args != 6 || !self->problem.formula)
        return PyErr_Format(PyExc_TypeError, "inside takes what branches does, whether families count, and when it began");
    int every = PyObject_IsTrue(args[4]);
    double begin = PyFloat_AsDouble(args[5]);
    if (PyErr_Occurred() || !rank_asked(&self->problem, args, &x)) return NULL;
    return x.first->excess > 0.0 || (every && x.lost.count) ? branches_told(self, &x) : inside_told(self, &x.best, begin);
}

static PyObject *solver_inside_round(PyObject *object, PyObject *const *args, Py_ssize_t n_args)
{
    const Solver *self = (Solver *)object;
    const Problem *p = &self->problem;
    double rows[12];
    Ranking at;
    Round x;
    if (n_args != 5 || !p->arm_angle)
        return PyErr_Format(PyExc_TypeError, "inside_round takes a target, a seed, how many angles, a begin and a timeout");
    const double *seed = read_request(p, args, rows);
    if (!seed) return NULL;
    long angles = PyLong_AsLong(args[2]);
    double begin = PyFloat_AsDouble(args[3]), timeout = PyFloat_AsDouble(args[4]);
    if (PyErr_Occurred()) return NULL;
    if (angles < 1 || angles > MOST_ANGLES) return PyErr_Format(PyExc_ValueError, "1 to %d arm angles", MOST_ANGLES);
    if (!go_round(p, rows, seed, (int)angles, begin + timeout, &at, &x)) return PyErr_NoMemory();
    PyObject *told = x.inside.count ? inside_told(self, &x.inside, begin) : branches_told(self, &at);
    free(x.store);
    return told ? Py_BuildValue("(Ni)", told, x.done) : NULL;
}

static PyMethodDef methods[] = {
    {"unsearched", (PyCFunction)(void (*)(void))solver_unsearched, METH_FASTCALL,
     "unsearched(targets (tips, 4, 4), seed (nq,)) -> (by how much each target lies outside the sphere of its tip [m],"
     " the seed inside the limits (nq,))"},
    {"solve", (PyCFunction)(void (*)(void))solver_solve, METH_FASTCALL,
     "solve(targets (tips, 4, 4), seed (nq,), first, begin [s] as perf_counter tells it, timeout [s] from then on, message for"
     " when it ends=None) -> IkResult, of those given as results"},
    {"search_many", (PyCFunction)(void (*)(void))solver_search_many, METH_FASTCALL,
     "search_many(targets (N, tips, 4, 4), seeds (N, nq), first, timeout [s] of each, address of the kinematics of LANES"
     " states) -> (status, the place in results, iterations, restarts, 0 and 0 (N, 5); q (N, nq); position [m], rotation"
     " [rad] and time [s] (N, 3))"},
    {"best_of_many", (PyCFunction)(void (*)(void))solver_best_of_many, METH_FASTCALL,
     "best_of_many(targets (N, 1, 4, 4), seeds (N, nq), arm angle or None: the seeds', whether another will do next to the"
     " seed) -> as search_many, with the branch and whether it is sharp instead of 0"},
    {"branches", (PyCFunction)(void (*)(void))solver_branches, METH_FASTCALL,
     "branches(target (4, 4), seed (nq,), arm angle or None: the seed's, whether another will do next to the seed) ->"
     " Branches"},
    {"inside", (PyCFunction)(void (*)(void))solver_inside, METH_FASTCALL,
     "inside(target (4, 4), seed (nq,), arm angle or None, whether another will do, every, begin [s]) -> IkResult of all"
     " branches inside the limits; Branches when there is none or, of every one, when a singular one is outside"},
    {"inside_round", (PyCFunction)(void (*)(void))solver_inside_round, METH_FASTCALL,
     "inside_round(target (4, 4), seed (nq,), number of arm angles, begin [s], timeout [s]) -> (as inside, of branches at arm"
     " angles all round, that of the seed first; at how many)"},
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
    return Py_BuildValue("{sdsdsdsdsdsdsdsdsdsdsdsisisisisisisisi}", "LEAST", LEAST, "TURN", TURN, "ROUNDING", ROUNDING,
                         "SINGULAR", SINGULAR, "EXACT", EXACT, "SHARP", SHARP, "APART", APART, "BESIDE", BESIDE,
                         "RIGID", RIGID, "UNIT", UNIT, "SPACING", SPACING, "POLISH", POLISH, "KNOWN", MOST_KNOWN,
                         "MOST_COORDINATES", MOST_COORDINATES, "MOST_UNKNOWNS", MOST_UNKNOWNS, "MOST_TIPS", MOST_TIPS,
                         "STATUSES", STATUSES, "LANES", LANES, "SLIDING", SLIDING);
}

PyMODINIT_FUNC PyInit__solve(void)
{
    import_array();
    if (PyType_Ready(&SolverType) < 0) return NULL;
    PyObject *m = PyModule_Create(&module), *shared = constants(), *fields = Py_BuildValue(
        "{sisisisisisisisisisisi}", "q", Q, "residual_position", POSITION, "residual_rotation", ROTATION,
        "solutions", SOLUTIONS, "indices", INDICES, "singular", MARKS, "iterations", ITERATIONS, "restarts", RESTARTS,
        "time", TIME, "message", MESSAGE, "arm_angles", ARM_ANGLES);
    if (m && (PyModule_AddObjectRef(m, "Solver", (PyObject *)&SolverType) < 0
              || PyModule_AddObjectRef(m, "CONSTANTS", shared) < 0 || PyModule_AddObjectRef(m, "FIELDS", fields) < 0))
        Py_CLEAR(m);
    Py_XDECREF(shared), Py_XDECREF(fields);
    return m;
}
