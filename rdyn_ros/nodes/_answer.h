/* Answer: the usual joint state, from its serialized bytes to messages out, without the interpreter.
 *
 * It does what JointStateReader, JointStates.take, LoadedRobot.terms, Command and the writers do, for a message that is
 * complete and in order. Any other it leaves alone, having refused or changed nothing that those would not, and the
 * caller goes their way; so every reaction to odd input is written once, in Python.
 */
#pragma once
#include <pthread.h>

#include "_command.h"
#include "_joint_state.h"
#include "_loads.h"
#include "_rcl.h"

#define MOST_TIPS 16
enum { COMMAND, COMPENSATION, GRAVITY, CORIOLIS, FRICTION, TWIST, POSE }; /* messages, what drives first; a pose for each tip */
#define MOST_OUTPUTS (POSE + MOST_TIPS)
#define POSE_NUMBERS 7
#define NOT_PUBLISHED "the answer to a joint state could not be published"

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
    pthread_mutex_t guard; /* held while `loads` are used or replaced; whoever holds it needs no interpreter */
    Loads loads;
    PyObject *owners; /* of the code that they use */
    double gain[3];
    int order[MOST_JOINTS];
    int outputs;
    Message message[MOST_OUTPUTS]; /* that of the command is empty where there is none */
    int64_t stamp;                 /* of the last answer */
    int answered;                  /* whether there is one: before, messages are blank */
    int all_velocities, velocity_missing; /* whether all were known then; whether the message told none, nor are they estimated */
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
    if (!take(&self->state, &wire, now, &stamp, &self->velocity_missing)) return 0;
    double *out[5] = {tau[GRAVITY], tau[CORIOLIS], tau[FRICTION], T[0], velocity};
    pthread_mutex_lock(&self->guard);
    int finite = loads_terms(&self->loads, self->state.q, self->state.qd, self->state.n, now, out);
    pthread_mutex_unlock(&self->guard);
    if (!finite) return 0;
    self->all_velocities = all_velocities(&self->state);
    for (Py_ssize_t j = 0; j < self->state.n; j++) {
        tau[COMPENSATION][j] = self->gain[0] * tau[GRAVITY][j];
        if (self->all_velocities)
            tau[COMPENSATION][j] = tau[COMPENSATION][j] + self->gain[1] * tau[CORIOLIS][j] + self->gain[2] * tau[FRICTION][j];
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
        command_step(&self->command, tau[COMPENSATION], self->state.effort, now);
        write_torque(self, COMMAND, self->command.output);
    }
    self->answered = 1;
    return 1;
}

/* Whether there is a message k to be sent: no command where none is wanted, nothing of what needs velocities without. */
static int is_told(const Answer *self, int k)
{
    return self->message[k].data && (self->all_velocities || (k != CORIOLIS && k != FRICTION && k != TWIST));
}

/* What was said last of the tips: position and quaternion x y z w of each. */
typedef struct {
    int64_t stamp; /* [ns] */
    int tips;
    double numbers[MOST_TIPS][POSE_NUMBERS];
} Poses;

static Poses poses_of(const Answer *self)
{
    Poses poses = {self->stamp, self->outputs - POSE};
    for (int k = 0; k < poses.tips; k++) {
        const Message *m = &self->message[POSE + k];
        memcpy(poses.numbers[k], m->data + m->place, sizeof poses.numbers[k]);
    }
    return poses;
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
