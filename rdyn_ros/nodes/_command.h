/* The command of rdyn_ros.nodes.command.Command: a stream of torques, bounded, that never jumps. */
#pragma once
#include <math.h>

typedef struct {
    Py_ssize_t n;
    double *output;         /* last torque */
    double *origin;         /* torque at the beginning of the stream */
    double *stream;         /* [s] when the last torque was given; when its ramp began, -inf once it is over; its length */
    unsigned char *weak;    /* joints that would need more than they may give */
    const double *effort;   /* bounds */
    const double *delta;    /* largest change */
    double ramp_time, timeout;
    int measures;           /* whether it begins at the measured effort; else at zero */
} Command;

static double between(double x, double bound)
{
    return x > bound ? bound : x < -bound ? -bound : x;
}

static void command_begin(Command *c, const double *measured, double now)
{
    for (Py_ssize_t j = 0; j < c->n; j++)
        c->output[j] = c->origin[j] = c->measures && isfinite(measured[j]) ? between(measured[j], c->effort[j]) : 0.0;
    c->stream[1] = now, c->stream[2] = c->ramp_time;
}

/* Next torque towards `law`, as SafetyFilter.step in its phases RAMPING and ACTIVE. */
static void command_step(Command *c, const double *law, const double *measured, double now)
{
    if (now - c->stream[0] >= c->timeout) command_begin(c, measured, now);
    double length = c->stream[2], s = length > 0.0 ? fmin(1.0, fmax(0.0, (now - c->stream[1]) / length)) : 1.0;
    for (Py_ssize_t j = 0; j < c->n; j++) {
        double wanted = between((1.0 - s) * c->origin[j] + s * law[j], c->effort[j]);
        double next = c->output[j] + between(wanted - c->output[j], c->delta[j]);
        c->weak[j] = fabs(law[j]) > c->effort[j];
        c->output[j] = isfinite(next) ? next : 0.0;
    }
    c->stream[0] = now;
    if (s == 1.0) c->stream[1] = -INFINITY;
}
