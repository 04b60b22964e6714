/* Answer: the usual joint state, from its serialized bytes to those of all messages out, in one call.
 *
 * It does what JointStateReader, JointStates.take, LoadedRobot.terms and the writers do, for a message that is
 * complete and in order. For any other it returns None, having refused or changed nothing that those would not, and
 * the caller goes their way; so every reaction to odd input is written once, in Python.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define HEAD 4          /* bytes before the fields; alignment counts from there */
#define MOST_JOINTS 128 /* of the robot, and names in a message */
#define TORQUES 4
#define OUTPUTS 6 /* gravity, coriolis, friction, compensation, pose, twist */

typedef int64_t (*terms_code)(const double **in, double **out);
enum { Q, QD, EFFORT, STAMPS, ARRIVED, MOVING, COMPENSATION, CLOCK, BUFFERS };

typedef struct {
    const char *text;
    uint32_t length;
} Name;

typedef struct {
    PyObject_HEAD
    PyObject *keep; /* the arguments, whose memory is used */
    Py_buffer buffer[BUFFERS];
    Py_ssize_t n, n_out;
    terms_code terms;
    double gravity[3], gain[3];
    int order[MOST_JOINTS];
    Name name[MOST_JOINTS];
    PyObject *layout[OUTPUTS]; /* bytes of each message out */
    Py_ssize_t place[OUTPUTS]; /* of its first double */
    Py_ssize_t known_size;     /* names of the last message, as they lay on the wire, and the joints they mean */
    uint32_t known_count;
    char known[8192];
    int joint[MOST_JOINTS];
} Answer;

typedef struct {
    const char *data;
    Py_ssize_t size, at;
} Wire;

static int align(Wire *w, Py_ssize_t to)
{
    w->at = HEAD + (w->at - HEAD + to - 1) / to * to;
    return w->at <= w->size;
}

static int count(Wire *w, uint32_t *value)
{
    if (!align(w, 4) || w->size - w->at < 4) return 0;
    memcpy(value, w->data + w->at, 4);
    w->at += 4;
    return 1;
}

static int skip(Wire *w, Py_ssize_t bytes)
{
    if (bytes < 0 || w->size - w->at < bytes) return 0;
    w->at += bytes;
    return 1;
}

/* Sequence of doubles: its length and where it begins. */
static int doubles(Wire *w, uint32_t *n, const char **values)
{
    if (!count(w, n)) return 0;
    if (*n == 0) return 1;
    if (!align(w, 8)) return 0;
    *values = w->data + w->at;
    return *n <= MOST_JOINTS && skip(w, 8 * (Py_ssize_t)*n);
}

static double number(const char *values, uint32_t i)
{
    double x;
    memcpy(&x, values + 8 * i, 8);
    return x;
}

/* Reads the names and finds the joint of the robot behind each, -1 for others; a joint named twice is odd. */
static int read_names(Answer *self, Wire *w)
{
    Py_ssize_t start = w->at;
    if (self->known_size && w->size - start >= self->known_size &&
        memcmp(w->data + start, self->known, self->known_size) == 0)
        return skip(w, self->known_size);
    uint32_t n, length;
    unsigned char seen[MOST_JOINTS] = {0};
    self->known_size = 0;
    if (!count(w, &n) || n > MOST_JOINTS) return 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!count(w, &length)) return 0;
        const char *text = w->data + w->at;
        if (length == 0 || !skip(w, length)) return 0;
        self->joint[i] = -1;
        for (int j = 0; j < self->n; j++)
            if (self->name[j].length == length - 1 && memcmp(self->name[j].text, text, length - 1) == 0) {
                if (seen[j]++) return 0;
                self->joint[i] = j;
            }
    }
    self->known_count = n;
    if (w->at - start <= (Py_ssize_t)sizeof self->known) {
        self->known_size = w->at - start;
        memcpy(self->known, w->data + start, self->known_size);
    }
    return 1;
}

/* Takes the message into the state; 0 when anything about it is unusual. */
static int take(Answer *self, Wire *w, double now, double timeout, int64_t *stamp)
{
    double *q = self->buffer[Q].buf, *qd = self->buffer[QD].buf, *effort = self->buffer[EFFORT].buf;
    double *arrived = self->buffer[ARRIVED].buf;
    int64_t *stamps = self->buffer[STAMPS].buf, *clock = self->buffer[CLOCK].buf;
    unsigned char *moving = self->buffer[MOVING].buf;
    int32_t seconds;
    uint32_t nanoseconds, length, n_q, n_qd, n_effort;
    const char *new_q = NULL, *new_qd = NULL, *new_effort = NULL;
    int any = 0, unmeasured = 0;

    if (w->size < HEAD + 8 || w->data[0] != 0 || w->data[1] != 1) return 0; /* little endian only */
    memcpy(&seconds, w->data + HEAD, 4);
    memcpy(&nanoseconds, w->data + HEAD + 4, 4);
    w->at = HEAD + 8;
    if (!count(w, &length) || !skip(w, length) || !align(w, 4) || !read_names(self, w)) return 0;
    if (!doubles(w, &n_q, &new_q) || !doubles(w, &n_qd, &new_qd) || !doubles(w, &n_effort, &new_effort)) return 0;
    if (n_q != self->known_count || n_qd != self->known_count || nanoseconds >= 1000000000) return 0;
    if (n_effort != 0 && n_effort != n_q) return 0;
    *stamp = (int64_t)seconds * 1000000000 + nanoseconds;
    for (uint32_t i = 0; i < n_q; i++) {
        int j = self->joint[i];
        if (j < 0) continue;
        any++;
        if (!isfinite(number(new_q, i)) || !isfinite(number(new_qd, i))) return 0;
        if (n_effort && isinf(number(new_effort, i))) return 0;
        if (n_effort && isnan(number(new_effort, i))) unmeasured++;
        if (*stamp && *stamp < stamps[j] && now - arrived[j] < timeout) return 0;
    }
    if (!any || (unmeasured && unmeasured < any)) return 0; /* efforts that are nan throughout are usual */
    clock[0] += 2; /* a new version; nobody sees it half written, for this thread holds the interpreter */
    clock[1] = *stamp;
    for (uint32_t i = 0; i < n_q; i++) {
        int j = self->joint[i];
        if (j < 0) continue;
        q[j] = number(new_q, i);
        qd[j] = number(new_qd, i);
        effort[j] = n_effort == n_q ? number(new_effort, i) : NAN;
        moving[j] = 1;
        stamps[j] = *stamp;
        arrived[j] = now;
    }
    for (Py_ssize_t j = 0; j < self->n; j++)
        if (!moving[j] || now - arrived[j] >= timeout) return 0;
    return 1;
}

/* Unit quaternion (x, y, z, w), w >= 0, of the rotation in a pose (4, 4): the row of 4 q q^T that rounds least. */
static void quaternion(const double *T, double *q)
{
    double a = T[0], b = T[1], c = T[2], d = T[4], e = T[5], f = T[6], g = T[8], h = T[9], i = T[10];
    double row[4][4] = {{1 + a - e - i, b + d, c + g, h - f},
                        {b + d, 1 - a + e - i, f + h, c - g},
                        {c + g, f + h, 1 - a - e + i, d - b},
                        {h - f, c - g, d - b, 1 + a + e + i}};
    int best = 0;
    for (int k = 1; k < 4; k++)
        if (row[k][k] > row[best][best]) best = k;
    double *r = row[best], norm = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    for (int k = 0; k < 4; k++) q[k] = r[k] / (r[3] < 0 ? -norm : norm);
}

/* A message out: its layout with a new stamp and new numbers. */
static PyObject *message(const Answer *self, int k, int64_t stamp, const double *numbers, Py_ssize_t n)
{
    PyObject *made = PyBytes_FromStringAndSize(PyBytes_AS_STRING(self->layout[k]), PyBytes_GET_SIZE(self->layout[k]));
    if (!made) return NULL;
    char *data = PyBytes_AS_STRING(made);
    int32_t seconds = (int32_t)(stamp / 1000000000);
    uint32_t nanoseconds = (uint32_t)(stamp % 1000000000);
    memcpy(data + HEAD, &seconds, 4);
    memcpy(data + HEAD + 4, &nanoseconds, 4);
    memcpy(data + self->place[k], numbers, 8 * n);
    return made;
}

static PyObject *answer_call(PyObject *object, PyObject *arguments, PyObject *unused)
{
    Answer *self = (Answer *)object;
    Wire wire = {0};
    double now, timeout, tau[TORQUES][MOST_JOINTS], T[16], numbers[MOST_JOINTS];
    int64_t stamp = 0;
    if (!PyArg_ParseTuple(arguments, "y#dd", &wire.data, &wire.size, &now, &timeout)) return NULL;
    if (!take(self, &wire, now, timeout, &stamp) || stamp < 0) Py_RETURN_NONE;

    double velocity[6], *compensation = self->buffer[COMPENSATION].buf;
    const double *in[3] = {self->buffer[Q].buf, self->buffer[QD].buf, self->gravity};
    double *out[5] = {tau[0], tau[1], tau[2], T, velocity};
    if (self->terms(in, out) != 0) Py_RETURN_NONE; /* something is not finite */
    for (Py_ssize_t j = 0; j < self->n; j++) {
        compensation[j] = tau[3][j] =
            self->gain[0] * tau[0][j] + self->gain[1] * tau[1][j] + self->gain[2] * tau[2][j];
        if (!isfinite(compensation[j])) Py_RETURN_NONE;
    }

    PyObject *answer = PyTuple_New(OUTPUTS);
    if (!answer) return NULL;
    for (int k = 0; k < OUTPUTS; k++) {
        Py_ssize_t n = self->n_out;
        const double *values = numbers;
        if (k < TORQUES) {
            for (Py_ssize_t j = 0; j < n; j++) numbers[j] = tau[k][self->order[j]];
        } else if (k == TORQUES) {
            n = 7;
            numbers[0] = T[3], numbers[1] = T[7], numbers[2] = T[11];
            quaternion(T, numbers + 3);
        } else {
            n = 6;
            values = velocity;
        }
        PyTuple_SET_ITEM(answer, k, message(self, k, stamp, values, n));
    }
    if (PyErr_Occurred()) Py_CLEAR(answer);
    return answer;
}

static int fill(Answer *self, PyObject *buffers, PyObject *names, PyObject *order, PyObject *layouts, PyObject *places)
{
    static const Py_ssize_t width[BUFFERS] = {8, 8, 8, 8, 8, 1, 8, 8};
    self->n = PyTuple_GET_SIZE(names);
    self->n_out = PyTuple_GET_SIZE(order);
    if (self->n > MOST_JOINTS || self->n_out > MOST_JOINTS || PyTuple_GET_SIZE(buffers) != BUFFERS ||
        PyTuple_GET_SIZE(layouts) != OUTPUTS || PyTuple_GET_SIZE(places) != OUTPUTS) {
        PyErr_SetString(PyExc_ValueError, "sizes do not fit");
        return -1;
    }
    for (int k = 0; k < BUFFERS; k++) {
        if (PyObject_GetBuffer(PyTuple_GET_ITEM(buffers, k), &self->buffer[k], PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) < 0)
            return -1;
        if (self->buffer[k].len != (k == CLOCK ? 2 : self->n) * width[k]) {
            PyErr_SetString(PyExc_ValueError, "a state array has the wrong size");
            return -1;
        }
    }
    for (Py_ssize_t j = 0; j < self->n; j++) {
        Py_ssize_t length;
        self->name[j].text = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(names, j), &length);
        if (!self->name[j].text) return -1;
        self->name[j].length = (uint32_t)length;
    }
    for (Py_ssize_t j = 0; j < self->n_out; j++) {
        self->order[j] = (int)PyLong_AsLong(PyTuple_GET_ITEM(order, j));
        if (PyErr_Occurred()) return -1;
        if (self->order[j] < 0 || self->order[j] >= self->n) {
            PyErr_SetString(PyExc_ValueError, "order names a joint that is not there");
            return -1;
        }
    }
    for (int k = 0; k < OUTPUTS; k++) {
        Py_ssize_t n = k < TORQUES ? self->n_out : k == TORQUES ? 7 : 6;
        self->layout[k] = PyTuple_GET_ITEM(layouts, k);
        self->place[k] = PyLong_AsSsize_t(PyTuple_GET_ITEM(places, k));
        if (PyErr_Occurred()) return -1;
        if (!PyBytes_Check(self->layout[k]) || self->place[k] < HEAD + 8 ||
            self->place[k] + 8 * n > PyBytes_GET_SIZE(self->layout[k])) {
            PyErr_SetString(PyExc_ValueError, "a layout does not hold its numbers");
            return -1;
        }
    }
    return 0;
}

static int answer_init(PyObject *object, PyObject *arguments, PyObject *unused)
{
    Answer *self = (Answer *)object;
    PyObject *buffers, *names, *order, *layouts, *places, *code;
    unsigned long long address;
    if (self->keep) {
        PyErr_SetString(PyExc_RuntimeError, "made once");
        return -1;
    }
    if (!PyArg_ParseTuple(arguments, "O!O!O!O!O!KO(ddd)(ddd)", &PyTuple_Type, &buffers, &PyTuple_Type, &names,
                          &PyTuple_Type, &order, &PyTuple_Type, &layouts, &PyTuple_Type, &places, &address, &code,
                          &self->gravity[0], &self->gravity[1], &self->gravity[2], &self->gain[0], &self->gain[1],
                          &self->gain[2]))
        return -1;
    self->keep = Py_NewRef(arguments);
    self->terms = (terms_code)(uintptr_t)address;
    return fill(self, buffers, names, order, layouts, places);
}

static void answer_dealloc(PyObject *object)
{
    Answer *self = (Answer *)object;
    for (int k = 0; k < BUFFERS; k++)
        if (self->buffer[k].obj) PyBuffer_Release(&self->buffer[k]);
    Py_XDECREF(self->keep);
    Py_TYPE(object)->tp_free(object);
}

static PyTypeObject answer_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rdyn_ros.nodes._answer.Answer",
    .tp_doc = "Answer(state arrays, names, order, layouts, places, address, owner of the code, gravity, gains):\n"
              "answer(data, now, timeout) -> bytes of each message out, or None for an odd message.",
    .tp_basicsize = sizeof(Answer),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = answer_init,
    .tp_call = answer_call,
    .tp_dealloc = answer_dealloc,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_answer", "The usual joint state answered in C.", -1, NULL};

PyMODINIT_FUNC PyInit__answer(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made && (PyModule_AddType(made, &answer_type) < 0 ||
                 PyModule_AddIntConstant(made, "MOST_JOINTS", MOST_JOINTS) < 0))
        Py_CLEAR(made);
    return made;
}
