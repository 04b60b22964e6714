/* What to do with motion that the task leaves free. */
#pragma once
#include "_levenberg_marquardt.h"
#include "_starts.h"

#define MOST_SLIDES 200  /* steps along the solutions */
#define LEAST_PART 1e-3  /* of the way to the posture that a step may begin with */
#define CORRECTIONS 3    /* of a step that left the solutions */
#define NO_GAIN 1e-12    /* [rad^2, m^2] */

/* Step d from a towards the posture: `part` of pull (posture - q) made square to the task, plus the correction
 * J'(JJ')^-1 e; 0 when there is none. */
static int free_step(const Problem *p, const State *a, double part, double *d)
{
    Row A[MOST_ROWS];
    double y[MOST_ROWS];
    int n = p->n, rows[MOST_ROWS], m = counting_rows(p, rows);
    for (int i = 0; i < n; i++) d[i] = part * p->pull[i] * (p->posture[p->unknown[i]] - a->q[p->unknown[i]]);
    for (int r = 0; r < m; r++) {
        const double *J = a->J + rows[r] * n;
        for (int v = 0; v < VECTORS(m); v++) A[r].v[v] = ZERO;
        for (int c = 0; c < m; c++)
            for (int j = 0; j < n; j++) AT(A, r, c) += J[j] * a->J[rows[c] * n + j];
        AT(A, r, r) += ALONG;
        AT(A, r, m) = a->e[rows[r]];
        for (int j = 0; j < n; j++) AT(A, r, m) -= J[j] * d[j];
    }
    if (!solve_symmetric(m, A, y)) return 0;
    for (int r = 0; r < m; r++)
        for (int j = 0; j < n; j++) d[j] += a->J[rows[r] * n + j] * y[r];
    return 1;
}

/* b: a moved by d, inside the box, and back onto the solutions if that is found in a few steps. */
static void step_along(const Problem *p, const double *target, const State *a, const double *d, double deadline, State *b)
{
    memcpy(b->q, a->q, sizeof(double) * p->nq);
    for (int i = 0; i < p->n; i++) b->q[p->unknown[i]] += d[i];
    into_box(p, b->q);
    evaluate(p, target, b);
    for (int k = 0; k < CORRECTIONS && !good(p, b); k++) {
        Row H[MOST_UNKNOWNS];
        double step[MOST_UNKNOWNS];
        normal_equations(p, p->n, b, H);
        if (!box_step(p, p->n, b, H, CORRECTING, deadline, step)) break;
        for (int i = 0; i < p->n; i++) b->q[p->unknown[i]] += step[i];
        evaluate(p, target, b);
    }
}

/* How far q is from the posture, each coordinate squared and as strongly as it is pulled. */
static double from_posture(const Problem *p, const double *q)
{
    double sum = 0.0;
    for (int i = 0; i < p->n; i++) {
        double x = q[p->unknown[i]] - p->posture[p->unknown[i]];
        sum += p->pull[i] * x * x;
    }
    return sum;
}

/* Slides from the good state a along the solutions towards the posture, on the turns nearest to it, as long as there is time.
 * Returns the last good state. */
static State *towards_posture(const Problem *p, const double *target, State *a, State *b, double deadline)
{
    double part = 1.0, d[MOST_UNKNOWNS], last = seconds_now();
    for (int k = 0; k < MOST_SLIDES && part > LEAST_PART; k++) {
        double now = seconds_now();
        if (now + (now - last) > deadline) break; /* the next would take as long as the last */
        last = now;
        nearest_turns(p, p->posture, a->q);
        if (!free_step(p, a, part, d)) break;
        step_along(p, target, a, d, deadline, b);
        double gain = from_posture(p, a->q) - from_posture(p, b->q);
        if (!good(p, b) || !(gain > 0.0)) {
            part *= 0.5;
            continue;
        }
        State *other = a;
        a = b, b = other;
        if (gain < NO_GAIN) break;
    }
    return a;
}
