/* What the robot carries and how it is mounted, as rdyn_ros.nodes.loaded_robot.LoadedRobot: changes pass over. */
#pragma once
#include <stdint.h>
#include <string.h>

#include "_joint_state.h"

#define MOST_LOADS 9 /* that may have a share at a time: one more than transitions may overlap */

typedef int64_t (*terms_code)(const double **in, double **out); /* of rdyn_ros.nodes.terms.terms */

typedef struct {
    double start, duration; /* [s] of steady time */
} Ramp;

typedef struct {
    Py_ssize_t n; /* the last one takes over from all before it */
    terms_code code[MOST_LOADS];
    double weight[MOST_LOADS]; /* of each when the last one began; its own is the rest */
    Ramp ramp, gravity_ramp;
    double gravity[3], gravity_before[3];
} Loads;

/* Reads the tuple LoadedRobot.shared. */
static int fill_loads(Loads *self, PyObject *given)
{
    PyObject *loads;
    double *g = self->gravity, *b = self->gravity_before;
    if (!PyTuple_Check(given)) return PyErr_Format(PyExc_TypeError, "what the robot carries is a tuple"), -1;
    if (!PyArg_ParseTuple(given, "O!(dd)(ddd)(ddd)(dd)", &PyTuple_Type, &loads, &self->ramp.start,
                          &self->ramp.duration, &g[0], &g[1], &g[2], &b[0], &b[1], &b[2], &self->gravity_ramp.start,
                          &self->gravity_ramp.duration))
        return -1;
    self->n = PyTuple_GET_SIZE(loads);
    if (self->n < 1 || self->n > MOST_LOADS)
        return PyErr_Format(PyExc_ValueError, "%zd loads; allowed are 1 to %d", self->n, MOST_LOADS), -1;
    for (Py_ssize_t k = 0; k < self->n; k++) {
        unsigned long long address;
        PyObject *owner;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(loads, k), "dKO", &self->weight[k], &address, &owner)) return -1;
        self->code[k] = (terms_code)(uintptr_t)address;
    }
    return 0;
}

/* Share 0..1 that is passed over at `now`, which may be earlier than its start. */
static double share(const Ramp *r, double now)
{
    if (r->duration == 0.0 || now >= r->start + r->duration) return 1.0;
    return now > r->start ? (now - r->start) / r->duration : 0.0;
}

/* Gravity, Coriolis and friction torques (n), poses and velocity in force at a state; 0 when one is not finite. */
static int loads_terms(const Loads *self, const double *q, const double *qd, Py_ssize_t n, double now, double **out)
{
    double s = share(&self->ramp, now), turned = share(&self->gravity_ramp, now), g[3], sum[2][MOST_JOINTS] = {{0.0}};
    const double *in[3] = {q, qd, g};
    Py_ssize_t last = self->n - 1;
    for (int i = 0; i < 3; i++)
        g[i] = turned == 1.0 ? self->gravity[i] : (1.0 - turned) * self->gravity_before[i] + turned * self->gravity[i];
    for (Py_ssize_t k = s == 1.0 ? last : 0; k <= last; k++) {
        double weight = k == last ? s : (1.0 - s) * self->weight[k];
        if (self->code[k](in, out) != 0) return 0;
        for (int term = 0; term < 2; term++) /* the others do not depend on the load */
            for (Py_ssize_t j = 0; j < n; j++) sum[term][j] += weight * out[term][j];
    }
    for (int term = 0; term < 2; term++) memcpy(out[term], sum[term], (size_t)n * sizeof(double));
    return 1;
}
