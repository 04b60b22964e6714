/* The command of rdyn_ros.nodes.command.Command, while its filter passes on the law: bounded, and never a jump. */

typedef struct {
    Py_ssize_t n;
    double *output;         /* last torque */
    double *stream;         /* when it was given [s]; whether the filter passes on the law, else Python answers */
    unsigned char *weak;    /* joints that would need more than they may give */
    const double *effort;   /* bounds */
    const double *delta;    /* largest change */
    double timeout;
} Command;

static int command_ready(const Command *c, double now)
{
    return !c->n || (c->stream[1] == 1.0 && now - c->stream[0] < c->timeout);
}

static double between(double x, double bound)
{
    return x > bound ? bound : x < -bound ? -bound : x;
}

/* Next torque towards `law`, as SafetyFilter.step in its phase ACTIVE. */
static void command_step(Command *c, const double *law, double now)
{
    for (Py_ssize_t j = 0; j < c->n; j++) {
        c->weak[j] = fabs(law[j]) > c->effort[j];
        double next = c->output[j] + between(between(law[j], c->effort[j]) - c->output[j], c->delta[j]);
        c->output[j] = isfinite(next) ? next : 0.0;
    }
    c->stream[0] = now;
}
