/* Inlet: takes joint states from their subscription, in a thread that needs the interpreter only for the odd ones.
 *
 * So neither services nor anything else that runs in Python delays the answer to a usual state.
 */
#pragma once
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "_answer_type.h"

#define PUBLISHERS 100           /* remembered at most, those that come and go must not fill the memory */
#define MOST_LOST 1000000        /* counted at a time: numbers are what a publisher says */
#define KEPT 65536               /* bytes of room kept for the next message */
enum { INPUTS, ANSWERS, LOST, WITHOUT_VELOCITY, FLOWS }; /* as in rdyn_ros.nodes.diagnostics.Monitor */

typedef struct {
    unsigned char name[16];
    uint64_t last; /* number of its last message */
} Publisher;

typedef struct {
    PyObject_HEAD
    PyObject *handle; /* of the subscription, entered */
    const void *subscription;
    Answer *answer;        /* to usual states, or NULL: Python takes all */
    pthread_mutex_t guard; /* held while `answer` answers or is replaced; whoever holds it needs no interpreter */
    sem_t news, answered;
    int closing;
    Serialized message;
    MessageInfo info;
    Py_buffer flow, latency;
    Publisher publisher[PUBLISHERS];
    int publishers;
} Inlet;

static double steady(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void on_news(const void *inlet, size_t unused)
{
    sem_post((sem_t *)&((const Inlet *)inlet)->news);
}

/* Counts the messages that are missing before this one, by the numbers that its publisher gives. */
static void count_lost(Inlet *self)
{
    const MessageInfo *info = &self->info;
    int64_t *flow = self->flow.buf;
    if (info->number == 0 || info->number == UINT64_MAX) return; /* the middleware does not tell */
    for (int k = 0; k < self->publishers; k++) {
        Publisher *p = &self->publisher[k];
        if (memcmp(p->name, info->publisher, sizeof p->name) != 0) continue;
        if (info->number > p->last + 1) {
            uint64_t gap = info->number - p->last - 1;
            flow[LOST] += (int64_t)(gap < MOST_LOST ? gap : MOST_LOST);
        }
        p->last = info->number;
        return;
    }
    if (self->publishers == PUBLISHERS) self->publishers = 0;
    Publisher *fresh = &self->publisher[self->publishers++];
    memcpy(fresh->name, info->publisher, sizeof fresh->name);
    fresh->last = info->number;
}

/* Answers the message that was taken at `now`, and sets the code of rcl; 0 when it is odd. */
static int answer_message(Inlet *self, double now, int *code)
{
    int64_t *flow = self->flow.buf;
    double *latency = self->latency.buf;
    pthread_mutex_lock(&self->guard);
    int answered = self->answer &&
                   answer_bytes(self->answer, self->message.buffer, (Py_ssize_t)self->message.length, now);
    if (answered) {
        flow[INPUTS]++;
        flow[WITHOUT_VELOCITY] += self->answer->velocity_missing;
        *code = answer_publish(self->answer);
        if (*code == RCL_OK) { /* under the guard: once it is replaced, nothing is counted or told any more */
            latency[flow[ANSWERS] % (self->latency.len / 8)] = steady() - now;
            flow[ANSWERS]++;
            sem_post(&self->answered);
        }
    }
    pthread_mutex_unlock(&self->guard);
    return answered;
}

/* With the interpreter: 0, or -1 with an error set. */
static int call_python(const Inlet *self, int code, double now, PyObject *odd)
{
    PyObject *result = code != RCL_OK ? complain(NOT_PUBLISHED, code) : PyObject_CallFunction(
        odd, "y#d", self->message.buffer, (Py_ssize_t)self->message.length, now);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

static int is_open(const Inlet *self)
{
    return !__atomic_load_n(&self->closing, __ATOMIC_ACQUIRE);
}

static PyObject *inlet_run(PyObject *object, PyObject *odd)
{
    Inlet *self = (Inlet *)object;
    int taken = RCL_NOTHING_TAKEN;
    sem_post(&self->news); /* something may wait since an error ended the last run */
    Py_BEGIN_ALLOW_THREADS
    while (is_open(self) && taken == RCL_NOTHING_TAKEN) {
        while (sem_wait(&self->news) != 0) {} /* a signal may interrupt it */
        while (is_open(self) && (taken = take_message(self->subscription, &self->message, &self->info)) == RCL_OK) {
            double now = steady();
            int code = RCL_OK;
            count_lost(self);
            if (!answer_message(self, now, &code) || code != RCL_OK) {
                Py_BLOCK_THREADS
                if (call_python(self, code, now, odd) < 0) return NULL;
                Py_UNBLOCK_THREADS
            }
            if (self->message.capacity > KEPT) {
                free(self->message.buffer);
                self->message = NO_MESSAGE;
            }
        }
    }
    Py_END_ALLOW_THREADS
    if (is_open(self)) return complain("a joint state could not be taken", taken);
    Py_RETURN_NONE;
}

/* Poses of all tips as they were published last, as soon as that is after the last call; None once it is closed. */
static PyObject *inlet_poses(PyObject *object, PyObject *unused)
{
    Inlet *self = (Inlet *)object;
    while (is_open(self)) {
        Answer *answer;
        Poses poses;
        Py_BEGIN_ALLOW_THREADS
        while (sem_wait(&self->answered) != 0) {}
        pthread_mutex_lock(&self->guard);
        while (sem_trywait(&self->answered) == 0) {} /* only the last counts */
        answer = self->answer && self->answer->answered ? self->answer : NULL; /* it may just have taken over */
        if (answer) poses = poses_of(answer);
        pthread_mutex_unlock(&self->guard);
        Py_END_ALLOW_THREADS
        if (answer && answer == __atomic_load_n(&self->answer, __ATOMIC_ACQUIRE)) { /* it is still there */
            Py_INCREF(answer); /* first: the next line may hand the interpreter over */
            return Py_BuildValue("NN", answer, told_poses(&poses));
        }
    }
    Py_RETURN_NONE;
}

static PyObject *inlet_close(PyObject *object, PyObject *unused)
{
    Inlet *self = (Inlet *)object;
    if (self->subscription && !self->closing) {
        rcl.on_new_message(self->subscription, NULL, NULL);
        __atomic_store_n(&self->closing, 1, __ATOMIC_RELEASE);
        sem_post(&self->news);
        sem_post(&self->answered);
    }
    Py_RETURN_NONE;
}

static PyObject *inlet_get_answer(PyObject *object, void *unused)
{
    PyObject *answer = (PyObject *)__atomic_load_n(&((Inlet *)object)->answer, __ATOMIC_ACQUIRE);
    return Py_NewRef(answer ? answer : Py_None);
}

static int inlet_set_answer(PyObject *object, PyObject *value, void *unused)
{
    Inlet *self = (Inlet *)object;
    if (!value || (value != Py_None && !PyObject_TypeCheck(value, &answer_type)))
        return PyErr_Format(PyExc_TypeError, "an Answer, or None"), -1;
    Answer *fresh = value == Py_None ? NULL : (Answer *)Py_NewRef(value), *before;
    Py_BEGIN_ALLOW_THREADS
    pthread_mutex_lock(&self->guard);
    before = self->answer;
    self->answer = fresh;
    pthread_mutex_unlock(&self->guard);
    Py_END_ALLOW_THREADS
    Py_XDECREF(before);
    return 0;
}

static int inlet_init(PyObject *object, PyObject *arguments, PyObject *unused)
{
    Inlet *self = (Inlet *)object;
    PyObject *handle, *flow, *latency;
    if (self->handle) return PyErr_Format(PyExc_RuntimeError, "made once"), -1;
    if (!PyArg_ParseTuple(arguments, "OOO", &handle, &flow, &latency) || find_rcl() < 0) return -1;
    self->handle = Py_NewRef(handle);
    if (PyObject_GetBuffer(flow, &self->flow, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) < 0 ||
        PyObject_GetBuffer(latency, &self->latency, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) < 0)
        return -1;
    if (self->flow.len != 8 * FLOWS || self->latency.len < 8)
        return PyErr_Format(PyExc_ValueError, "give %d flows, and room for a latency", FLOWS), -1;
    self->message = NO_MESSAGE;
    pthread_mutex_init(&self->guard, NULL);
    sem_init(&self->news, 0, 0);
    sem_init(&self->answered, 0, 0);
    if (!(self->subscription = enter(handle))) return -1;
    if (rcl.on_new_message(self->subscription, on_news, self) == RCL_OK) return 0;
    rcl.reset_error();
    leave(handle);
    self->subscription = NULL;
    return PyErr_Format(PyExc_RuntimeError, "this middleware does not tell of new messages"), -1;
}

static void inlet_dealloc(PyObject *object)
{
    Inlet *self = (Inlet *)object;
    Py_DECREF(inlet_close(object, NULL));
    if (self->subscription) leave(self->handle);
    free(self->message.buffer);
    if (self->message.allocate) { /* so far it was made */
        pthread_mutex_destroy(&self->guard);
        sem_destroy(&self->news);
        sem_destroy(&self->answered);
    }
    PyBuffer_Release(&self->flow);
    PyBuffer_Release(&self->latency);
    Py_XDECREF(self->answer);
    Py_XDECREF(self->handle);
    Py_TYPE(object)->tp_free(object);
}

static PyMethodDef inlet_methods[] = {
    {"run", inlet_run, METH_O, "run(odd): until closed, calls odd(data, now) with each message that `answer` does not answer."},
    {"poses", inlet_poses, METH_NOARGS, "Waits for the next answer in C -> (it, its `poses`); None once closed."},
    {"close", inlet_close, METH_NOARGS, "Ends `run` and `poses`, in whichever threads they are."},
    {NULL}};

static PyGetSetDef inlet_attributes[] = {
    {"answer", inlet_get_answer, inlet_set_answer,
     "Answer to usual messages, or None; once another is set, the one before publishes nothing any more.", NULL},
    {NULL}};

static PyTypeObject inlet_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rdyn_ros.nodes._answer.Inlet",
    .tp_doc = "Inlet(handle of a subscription, int64 array of inputs, answers and lost messages, array of latencies [s]).",
    .tp_basicsize = sizeof(Inlet),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = inlet_init,
    .tp_methods = inlet_methods,
    .tp_getset = inlet_attributes,
    .tp_dealloc = inlet_dealloc,
};
