/* What to do with motion that the task leaves free. */
#pragma once
#include "_levenberg_marquardt.h"
#include "_starts.h"

/* Slides from the good state a along the solutions towards the posture, on the turns nearest to a: d = pull (posture - q)
 * made square to the task, plus the correction J'(JJ')^-1 e, as long as the result stays good. Returns the last good
 * state. */
static State *towards_posture(const Problem *p, const double *target, State *a, State *b, double deadline)
{
    double stretch = 1.0, posture[MOST_COORDINATES], last = seconds_now();
    memcpy(posture, p->posture, sizeof(double) * p->nq);
    nearest_turns(p, a->q, posture);
    for (int k = 0; k < 200 && stretch > 1e-3; k++) {
        double now = seconds_now(), round = now - last;
        if (now + round > deadline) break; /* the next would take as long as the last */
        last = now;
        Row A[MOST_ROWS];
        double y[MOST_ROWS], d[MOST_UNKNOWNS], moved = 0.0;
        int n = p->n, rows[MOST_ROWS], m = counting_rows(p, rows);
        for (int i = 0; i < n; i++) d[i] = stretch * p->pull[i] * (posture[p->unknown[i]] - a->q[p->unknown[i]]);
        for (int r = 0; r < m; r++) {
            const double *J = a->J + rows[r] * n;
            for (int v = 0; v < VECTORS(m); v++) A[r].v[v] = ZERO;
            for (int c = 0; c < m; c++)
                for (int j = 0; j < n; j++) AT(A, r, c) += J[j] * a->J[rows[c] * n + j];
            AT(A, r, r) += 1e-9;
            AT(A, r, m) = a->e[rows[r]];
            for (int j = 0; j < n; j++) AT(A, r, m) -= J[j] * d[j];
        }
        if (!solve_symmetric(m, A, y)) break;
        for (int r = 0; r < m; r++)
            for (int j = 0; j < n; j++) d[j] += a->J[rows[r] * n + j] * y[r];
        memcpy(b->q, a->q, sizeof(double) * p->nq);
        for (int i = 0; i < n; i++) {
            double *q = b->q + p->unknown[i], before = *q;
            *q = fmin(fmax(*q + d[i], p->lower[i]), p->upper[i]);
            moved = fmax(moved, fabs(*q - before));
        }
        evaluate(p, target, b);
        for (int k2 = 0; k2 < 3 && !good(p, b); k2++) { /* back onto the solutions */
            Row H[MOST_UNKNOWNS];
            double step[MOST_UNKNOWNS];
            normal_equations(p, n, b, H);
            if (!box_step(p, n, b, H, 1e-10, deadline, step)) break;
            for (int i = 0; i < n; i++) b->q[p->unknown[i]] += step[i];
            evaluate(p, target, b);
        }
        double gain = 0.0;
        for (int i = 0; i < n; i++) {
            double to = posture[p->unknown[i]], old = a->q[p->unknown[i]] - to, new = b->q[p->unknown[i]] - to;
            gain += p->pull[i] * (old * old - new * new);
        }
        if (!good(p, b) || gain <= 0.0) {
            stretch *= 0.5;
            continue;
        }
        State *swap = a;
        a = b, b = swap;
        if (gain < 1e-12 || moved < 1e-9) break;
    }
    return a;
}
