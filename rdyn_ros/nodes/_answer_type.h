/* Answer as Python makes and sees it. */
#pragma once
#include "_answer.h"

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

static PyObject *told_poses(const Poses *poses)
{
    Py_ssize_t size = poses->tips * (Py_ssize_t)sizeof poses->numbers[0];
    return Py_BuildValue("Ly#", (long long)poses->stamp, (const char *)poses->numbers, size);
}

static PyObject *answer_poses(PyObject *object, void *unused)
{
    Poses poses = poses_of((Answer *)object);
    return told_poses(&poses);
}

static PyObject *answer_velocity_missing(PyObject *object, void *unused)
{
    return PyBool_FromLong(((Answer *)object)->velocity_missing);
}

static int answer_set_loads(PyObject *object, PyObject *value, void *unused)
{
    Answer *self = (Answer *)object;
    Loads fresh;
    if (!value) return PyErr_Format(PyExc_TypeError, "loads can be replaced, not deleted"), -1;
    if (fill_loads(&fresh, value) < 0) return -1;
    PyObject *before;
    Py_INCREF(value);
    Py_BEGIN_ALLOW_THREADS
    pthread_mutex_lock(&self->guard);
    before = self->owners;
    self->loads = fresh;
    self->owners = value;
    pthread_mutex_unlock(&self->guard);
    Py_END_ALLOW_THREADS
    Py_XDECREF(before);
    return 0;
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
    PyObject *q, *qd, *effort, *stamps, *arrived, *has_velocity, *clock, *fastest, *turn;
    Py_ssize_t n = s->n = PyTuple_GET_SIZE(names);
    if (n > MOST_JOINTS) return PyErr_Format(PyExc_ValueError, "more than %d joints", MOST_JOINTS), -1;
    if (!PyArg_ParseTuple(arrays, "OOOOOOOOO", &q, &qd, &effort, &stamps, &arrived, &has_velocity, &clock, &fastest, &turn))
        return -1;
    if (!(s->q = array(self, q, n, 8)) || !(s->qd = array(self, qd, n, 8)) ||
        !(s->effort = array(self, effort, n, 8)) || !(s->stamps = array(self, stamps, n, 8)) ||
        !(s->arrived = array(self, arrived, n, 8)) || !(s->has_velocity = array(self, has_velocity, n, 1)) ||
        !(s->clock = array(self, clock, 2, 8)) || !(s->fastest = array(self, fastest, n, 8)) ||
        !(s->turn = array(self, turn, n, 8)))
        return -1;
    for (Py_ssize_t j = 0; j < n; j++) {
        Py_ssize_t length;
        s->name[j].text = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(names, j), &length);
        if (!s->name[j].text) return -1;
        s->name[j].length = (uint32_t)length;
    }
    return 0;
}

static int fill_command(Answer *self, PyObject *shared)
{
    Command *c = &self->command;
    PyObject *output, *origin, *stream, *weak, *effort, *delta;
    Py_ssize_t n = self->state.n;
    if (shared == Py_None) return 0;
    if (!PyArg_ParseTuple(shared, "OOOOOOdp", &output, &origin, &stream, &weak, &effort, &delta, &c->ramp_time,
                          &c->measures))
        return -1;
    if (!(c->output = array(self, output, n, 8)) || !(c->origin = array(self, origin, n, 8)) ||
        !(c->stream = array(self, stream, 3, 8)) || !(c->weak = array(self, weak, n, 1)) ||
        !(c->effort = array(self, effort, n, 8)) || !(c->delta = array(self, delta, n, 8)))
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
    PyObject *names, *arrays, *order, *layouts, *handles, *loads, *command;
    if (self->keep) return PyErr_Format(PyExc_RuntimeError, "made once"), -1;
    if (!PyArg_ParseTuple(arguments, "O!O!O!O!O!O(ddd)ddO", &PyTuple_Type, &names, &PyTuple_Type, &arrays, &PyTuple_Type,
                          &order, &PyTuple_Type, &layouts, &PyTuple_Type, &handles, &loads, &self->gain[0],
                          &self->gain[1], &self->gain[2], &self->state.timeout, &self->state.cutoff, &command))
        return -1;
    self->keep = Py_NewRef(arguments);
    self->handles = handles;
    pthread_mutex_init(&self->guard, NULL);
    return fill_state(self, names, arrays) < 0 || answer_set_loads(object, loads, NULL) < 0 ||
                   fill_command(self, command) < 0 || fill_messages(self, order, layouts) < 0 ||
                   fill_publishers(self) < 0 ? -1 : 0;
}

static void answer_dealloc(PyObject *object)
{
    Answer *self = (Answer *)object;
    while (self->buffers > 0) PyBuffer_Release(&self->buffer[--self->buffers]);
    for (int k = 0; k < self->outputs; k++) {
        if (self->message[k].publisher) leave(PyTuple_GET_ITEM(self->handles, k));
        free(self->message[k].data);
    }
    if (self->keep) pthread_mutex_destroy(&self->guard);
    Py_XDECREF(self->owners);
    Py_XDECREF(self->keep);
    Py_TYPE(object)->tp_free(object);
}

static PyGetSetDef answer_attributes[] = {
    {"messages", answer_messages, NULL, "Bytes of each message of the last answer, None for those that are not sent.", NULL},
    {"poses", answer_poses, NULL, "(stamp [ns], bytes of doubles (k, 7)) of the last answer: poses of all tips.", NULL},
    {"velocity_missing", answer_velocity_missing, NULL,
     "Whether the last joint state told no velocities, and they are not estimated.", NULL},
    {"loads", NULL, answer_set_loads, "What the robot carries, LoadedRobot.shared: from the next answer on.", NULL},
    {NULL}};

static PyTypeObject answer_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rdyn_ros.nodes._answer.Answer",
    .tp_doc = "Answer(names, arrays of the state, order, (layout, place) of each message, handles of publishers or (),\n"
              "LoadedRobot.shared, gains, timeout [s], cutoff of estimated velocities [Hz] or 0, Command.shared or None):\n"
              "answer(data, now) writes the messages and publishes them; False for an odd joint state.",
    .tp_basicsize = sizeof(Answer),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = answer_init,
    .tp_call = answer_call,
    .tp_getset = answer_attributes,
    .tp_dealloc = answer_dealloc,
};
