/* Answer: the usual joint state, from its serialized bytes to messages out, without the interpreter.
 *
 * It does what JointStateReader, JointStates.take, LoadedRobot.terms, Command and the writers do, for a message that is
 * complete and in order. Any other it leaves alone, having refused or changed nothing that those would not, and the
 * caller goes their way; so every reaction to odd input is written once, in Python.
 */
#include "_command.h"
#include "_joint_state.h"
#include "_rcl.h"

#define MOST_TIPS 16
enum { COMMAND, COMPENSATION, GRAVITY, CORIOLIS, FRICTION, TWIST, POSE }; /* messages, what drives first; a pose for each tip */
#define MOST_OUTPUTS (POSE + MOST_TIPS)
#define POSE_NUMBERS 7
#define NOT_PUBLISHED "the answer to a joint state could not be published"

typedef int64_t (*terms_code)(const double **in, double **out);

typedef struct {
    char *data;
    Py_ssize_t size, place; /* of its first double */
    const void *publisher;
} Message;

typedef struct {
    PyObject_HEAD
    PyObject *keep;    /* the arguments, whose memory is used */
    PyObject *handles; /* tuple of the publishers' handles, which are entered */
    int publishing;    /* else messages are only written */
    Py_ssize_t n_out;
    Py_buffer buffer[16];
    int buffers;
    State state;
    Command command;
    terms_code terms;
    double gravity[3], gain[3];
    int order[MOST_JOINTS];
    int outputs;
    Message message[MOST_OUTPUTS]; /* that of the command is empty where there is none */
    int64_t stamp;                 /* of the last answer */
    int moving, has_velocity;      /* whether all velocities were known then; whether the message brought some */
} Answer;

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

static void write_numbers(Message *m, const double *numbers, size_t n)
{
    memcpy(m->data + m->place, numbers, n * sizeof *numbers);
}

static void write_torque(const Answer *self, int k, const double *tau)
{
    double numbers[MOST_JOINTS];
    for (Py_ssize_t j = 0; j < self->n_out; j++) numbers[j] = tau[self->order[j]];
    write_numbers((Message *)&self->message[k], numbers, self->n_out);
}

static void write_stamp(Message *m, int64_t stamp)
{
    int32_t seconds = (int32_t)(stamp / 1000000000);
    uint32_t nanoseconds = (uint32_t)(stamp % 1000000000);
    memcpy(m->data + HEAD, &seconds, 4);
    memcpy(m->data + HEAD + 4, &nanoseconds, 4);
}

/* Writes all messages that answer the bytes of a joint state; 0 for an odd one. */
static int answer_bytes(Answer *self, const char *data, Py_ssize_t size, double now)
{
    Wire wire = {data, size, 0};
    double tau[TWIST][MOST_JOINTS], T[MOST_TIPS][16], velocity[6];
    int64_t stamp = 0;
    if (!command_ready(&self->command, now) || !take(&self->state, &wire, now, &stamp, &self->has_velocity))
        return 0;
    const double *in[3] = {self->state.q, self->state.qd, self->gravity};
    double *out[5] = {tau[GRAVITY], tau[CORIOLIS], tau[FRICTION], T[0], velocity};
    if (self->terms(in, out) != 0) return 0; /* something is not finite */
    self->moving = all_moving(&self->state);
    for (Py_ssize_t j = 0; j < self->state.n; j++) {
        tau[COMPENSATION][j] = self->gain[0] * tau[GRAVITY][j];
        if (self->moving)
            tau[COMPENSATION][j] += self->gain[1] * tau[CORIOLIS][j] + self->gain[2] * tau[FRICTION][j];
        if (!isfinite(tau[COMPENSATION][j])) return 0;
    }
    for (int k = COMPENSATION; k < TWIST; k++) write_torque(self, k, tau[k]);
    write_numbers(&self->message[TWIST], velocity, 6);
    for (int k = POSE; k < self->outputs; k++) {
        const double *at = T[k - POSE];
        double pose[POSE_NUMBERS] = {at[3], at[7], at[11]};
        quaternion(at, pose + 3);
        write_numbers(&self->message[k], pose, POSE_NUMBERS);
    }
    for (int k = COMPENSATION; k < self->outputs; k++) write_stamp(&self->message[k], stamp);
    self->stamp = stamp;
    if (self->command.n) {
        command_step(&self->command, tau[COMPENSATION], now);
        write_torque(self, COMMAND, self->command.output);
    }
    return 1;
}

/* Whether there is a message k to be sent: no command where none is wanted, nothing of what needs velocities without. */
static int is_told(const Answer *self, int k)
{
    return self->message[k].data && (self->moving || (k != CORIOLIS && k != FRICTION && k != TWIST));
}

/* Publishes all messages; the code of rcl. */
static int answer_publish(Answer *self)
{
    int code = RCL_OK;
    for (int k = 0; k < self->outputs && self->publishing && code == RCL_OK; k++) {
        if (!is_told(self, k)) continue;
        Serialized serialized = NO_MESSAGE;
        serialized.buffer = self->message[k].data;
        serialized.length = serialized.capacity = (size_t)self->message[k].size;
        code = publish_message(self->message[k].publisher, &serialized);
    }
    return code;
}

static PyObject *answer_call(PyObject *object, PyObject *arguments, PyObject *unused)
{
    Answer *self = (Answer *)object;
    const char *data;
    Py_ssize_t size;
    double now;
    int code;
    if (!PyArg_ParseTuple(arguments, "y#d", &data, &size, &now)) return NULL;
    if (!answer_bytes(self, data, size, now)) Py_RETURN_FALSE;
    Py_BEGIN_ALLOW_THREADS
    code = answer_publish(self);
    Py_END_ALLOW_THREADS
    if (code != RCL_OK) return complain(NOT_PUBLISHED, code);
    Py_RETURN_TRUE;
}

static PyObject *answer_messages(PyObject *object, void *unused)
{
    Answer *self = (Answer *)object;
    PyObject *messages = PyTuple_New(self->outputs);
    for (int k = 0; messages && k < self->outputs; k++) {
        const Message *m = &self->message[k];
        PyTuple_SET_ITEM(messages, k, is_told(self, k) ? PyBytes_FromStringAndSize(m->data, m->size) : Py_NewRef(Py_None));
    }
    if (PyErr_Occurred()) Py_CLEAR(messages);
    return messages;
}

static PyObject *answer_has_velocity(PyObject *object, void *unused)
{
    return PyBool_FromLong(((Answer *)object)->has_velocity);
}

static int answer_set_gravity(PyObject *object, PyObject *value, void *unused)
{
    double *g = ((Answer *)object)->gravity;
    if (value && PyTuple_Check(value)) return PyArg_ParseTuple(value, "ddd", &g[0], &g[1], &g[2]) ? 0 : -1;
    return PyErr_Format(PyExc_TypeError, "gravity is a tuple of three numbers"), -1;
}

/* Memory of the next array, which must have n numbers of a width; NULL with an error set if not. */
static void *array(Answer *self, PyObject *given, Py_ssize_t n, Py_ssize_t width)
{
    Py_buffer *buffer = &self->buffer[self->buffers];
    if (PyObject_GetBuffer(given, buffer, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) < 0) return NULL;
    self->buffers++;
    if (buffer->len == n * width) return buffer->buf;
    PyErr_SetString(PyExc_ValueError, "an array has the wrong size");
    return NULL;
}

static int fill_state(Answer *self, PyObject *names, PyObject *arrays)
{
    State *s = &self->state;
    PyObject *q, *qd, *effort, *stamps, *arrived, *moving, *clock;
    Py_ssize_t n = s->n = PyTuple_GET_SIZE(names);
    if (n > MOST_JOINTS) return PyErr_Format(PyExc_ValueError, "more than %d joints", MOST_JOINTS), -1;
    if (!PyArg_ParseTuple(arrays, "OOOOOOO", &q, &qd, &effort, &stamps, &arrived, &moving, &clock))
        return -1;
    if (!(s->q = array(self, q, n, 8)) || !(s->qd = array(self, qd, n, 8)) ||
        !(s->effort = array(self, effort, n, 8)) || !(s->stamps = array(self, stamps, n, 8)) ||
        !(s->arrived = array(self, arrived, n, 8)) || !(s->moving = array(self, moving, n, 1)) ||
        !(s->clock = array(self, clock, 2, 8)))
        return -1;
    for (Py_ssize_t j = 0; j < n; j++) {
        Py_ssize_t length;
        s->name[j].text = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(names, j), &length);
        if (!s->name[j].text) return -1;
        s->name[j].length = (uint32_t)length;
    }
    return 0;
}

static int fill_command(Answer *self, PyObject *arrays)
{
    Command *c = &self->command;
    PyObject *output, *stream, *weak, *effort, *delta;
    Py_ssize_t n = self->state.n;
    if (arrays == Py_None) return 0;
    if (!PyArg_ParseTuple(arrays, "OOOOO", &output, &stream, &weak, &effort, &delta)) return -1;
    if (!(c->output = array(self, output, n, 8)) || !(c->stream = array(self, stream, 2, 8)) ||
        !(c->weak = array(self, weak, n, 1)) || !(c->effort = array(self, effort, n, 8)) ||
        !(c->delta = array(self, delta, n, 8)))
        return -1;
    c->n = n;
    c->timeout = self->state.timeout;
    return 0;
}

static int fill_messages(Answer *self, PyObject *order, PyObject *layouts)
{
    Py_ssize_t outputs = PyTuple_GET_SIZE(layouts);
    self->n_out = PyTuple_GET_SIZE(order);
    if (self->n_out > self->state.n || outputs <= POSE || outputs > MOST_OUTPUTS)
        return PyErr_Format(PyExc_ValueError, "give an order of joints, and layouts of up to %d tips", MOST_TIPS), -1;
    for (Py_ssize_t j = 0; j < self->n_out; j++) {
        self->order[j] = (int)PyLong_AsLong(PyTuple_GET_ITEM(order, j));
        if (PyErr_Occurred()) return -1;
        if (self->order[j] < 0 || self->order[j] >= self->state.n)
            return PyErr_Format(PyExc_ValueError, "order names a joint that is not there"), -1;
    }
    self->outputs = (int)outputs;
    for (int k = self->command.n ? COMMAND : COMPENSATION; k < outputs; k++) {
        Message *m = &self->message[k];
        const char *layout;
        Py_ssize_t numbers = k >= POSE ? POSE_NUMBERS : k == TWIST ? 6 : self->n_out;
        if (!PyArg_Parse(PyTuple_GET_ITEM(layouts, k), "(y#n)", &layout, &m->size, &m->place)) return -1;
        if (m->place < HEAD + 8 || m->place + 8 * numbers > m->size)
            return PyErr_Format(PyExc_ValueError, "a layout does not hold its numbers"), -1;
        if (!(m->data = malloc(m->size))) return PyErr_NoMemory(), -1;
        memcpy(m->data, layout, m->size);
    }
    return 0;
}

static int fill_publishers(Answer *self)
{
    if (PyTuple_GET_SIZE(self->handles) == 0) return 0;
    if (PyTuple_GET_SIZE(self->handles) != self->outputs)
        return PyErr_Format(PyExc_ValueError, "a publisher for each message, or none"), -1;
    if (find_rcl() < 0) return -1;
    for (int k = 0; k < self->outputs; k++)
        if (self->message[k].data &&
            !(self->message[k].publisher = enter(PyTuple_GET_ITEM(self->handles, k))))
            return -1;
    self->publishing = 1;
    return 0;
}

static int answer_init(PyObject *object, PyObject *arguments, PyObject *unused)
{
    Answer *self = (Answer *)object;
    PyObject *names, *arrays, *order, *layouts, *handles, *code, *command;
    unsigned long long address;
    if (self->keep) return PyErr_Format(PyExc_RuntimeError, "made once"), -1;
    if (!PyArg_ParseTuple(arguments, "O!O!O!O!O!KO(ddd)(ddd)dpO", &PyTuple_Type, &names, &PyTuple_Type, &arrays,
                          &PyTuple_Type, &order, &PyTuple_Type, &layouts, &PyTuple_Type, &handles, &address, &code,
                          &self->gravity[0], &self->gravity[1], &self->gravity[2], &self->gain[0], &self->gain[1],
                          &self->gain[2], &self->state.timeout, &self->state.estimates, &command))
        return -1;
    self->keep = Py_NewRef(arguments);
    self->handles = handles;
    self->terms = (terms_code)(uintptr_t)address;
    return fill_state(self, names, arrays) < 0 || fill_command(self, command) < 0 ||
                   fill_messages(self, order, layouts) < 0 || fill_publishers(self) < 0 ? -1 : 0;
}

static void answer_dealloc(PyObject *object)
{
    Answer *self = (Answer *)object;
    while (self->buffers > 0) PyBuffer_Release(&self->buffer[--self->buffers]);
    for (int k = 0; k < self->outputs; k++) {
        if (self->message[k].publisher) leave(PyTuple_GET_ITEM(self->handles, k));
        free(self->message[k].data);
    }
    Py_XDECREF(self->keep);
    Py_TYPE(object)->tp_free(object);
}

static PyGetSetDef answer_attributes[] = {
    {"messages", answer_messages, NULL, "Bytes of each message of the last answer, None for those that are not sent.", NULL},
    {"has_velocity", answer_has_velocity, NULL, "Whether the last joint state brought velocities.", NULL},
    {"gravity", NULL, answer_set_gravity, "To be set while no inlet has this answer.", NULL},
    {NULL}};

static PyTypeObject answer_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rdyn_ros.nodes._answer.Answer",
    .tp_doc = "Answer(names, arrays of the state, order, (layout, place) of each message, handles of publishers or (),\n"
              "address and owner of the code, gravity, gains, timeout, whether Python\n"
              "estimates velocities, arrays of the command or None):\n"
              "answer(data, now) writes the messages and publishes them; False for an odd joint state.",
    .tp_basicsize = sizeof(Answer),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = answer_init,
    .tp_call = answer_call,
    .tp_getset = answer_attributes,
    .tp_dealloc = answer_dealloc,
};
