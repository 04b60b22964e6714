/* Levenberg-Marquardt inside a box.
 *
 * Minimises E = 1/2 |w e(q)|^2, e = (position error [m], rotation vector [rad]) of every tip, lower <= q <= upper.
 * A step solves (H + (mu E + LEAST_DAMPING) 1) d = g on the free coordinates, H = J'W^2 J, g = J'W^2 e; coordinates that
 * would leave the box stop at its wall and the others are solved again. mu follows the gain ratio (Nielsen 1999).
 */
#pragma once
#include "_linear.h"

/* Whether to look at the clock: four steps of a single arm take some 2 µs, one of a large tree some 10. */
INLINE int looks(int n, int64_t step)
{
    return n > 7 || step % 4 == 0;
}

/* Whether the deadline is over. */
INLINE int late(int n, int step, double deadline)
{
    return looks(n, step) && seconds_now() > deadline;
}

/* Step d inside the box: (H + damping 1) d = g on the free coordinates, the others stop at the wall. Fixed ones keep
 * their row with 1 on the diagonal, so the system always has n unknowns. After the deadline d may be any step inside. */
INLINE int box_step(const Problem *p, int n, const State *s, const Row *H, double damping, double deadline, double *d)
{
    Row A[MOST_UNKNOWNS];
    double down[MOST_UNKNOWNS], up[MOST_UNKNOWNS], b[MOST_UNKNOWNS];
    int fixed[MOST_UNKNOWNS], n_fixed = 0;
    for (int i = 0; i < n; i++) {
        double q = s->q[p->unknown[i]], g = AT(H, i, n);
        down[i] = p->lower[i] - q, up[i] = p->upper[i] - q;
        fixed[i] = (down[i] >= 0.0 && g < 0.0) || (up[i] <= 0.0 && g > 0.0);
        n_fixed += fixed[i];
        d[i] = 0.0;
    }
    for (int round = 0; round <= n; round++) {
        int before = n_fixed;
        for (int i = 0; i < n; i++) {
            for (int v = 0; v < VECTORS(n); v++) A[i].v[v] = H[i].v[v];
            AT(A, i, i) += damping;
        }
        for (int k = 0; n_fixed && k < n; k++) {
            if (!fixed[k]) continue;
            for (int i = 0; i < n; i++) AT(A, i, n) -= AT(A, i, k) * d[k], AT(A, i, k) = 0.0;
            for (int j = 0; j < n; j++) AT(A, k, j) = 0.0;
            AT(A, k, k) = 1.0;
        }
        for (int k = 0; n_fixed && k < n; k++)
            if (fixed[k]) AT(A, k, n) = d[k];
        if (!solve_symmetric(n, A, b)) return 0;
        for (int i = 0; i < n; i++) {
            d[i] = b[i] < down[i] ? down[i] : b[i] > up[i] ? up[i] : b[i];
            if (d[i] != b[i]) fixed[i] = 1, n_fixed++;
        }
        if (n_fixed == before || late(n, round + 1, deadline)) break;
    }
    return 1;
}

/* Descends from a->q; the end lies in the returned state (a or b). Stops when good, stuck, or after the deadline. */
INLINE State *descend_n(const Problem *p, int n, const double *target, State *a, State *b, double deadline,
                        Outcome *outcome)
{
    Row H[MOST_UNKNOWNS];
    double d[MOST_UNKNOWNS], mu = DAMPING, nu = 2.0;
    int slow = 0, fresh = 1;
    evaluate(p, target, a);
    for (int k = 0; k < p->most_iterations && !good(p, a) && slow < p->patience; k++) {
        outcome->iterations++;
        if (late(n, k, deadline)) break;
        if (fresh) normal_equations(p, n, a, H);
        double damping = mu * a->E + LEAST_DAMPING;
        if (!box_step(p, n, a, H, damping, deadline, d)) break;
        memcpy(b->q, a->q, sizeof(double) * p->nq);
        double expected = 0.0; /* what the quadratic model promises, g'd - d'Hd / 2 */
        for (int i = 0; i < n; i++) {
            double Hd = 0.5 * AT(H, i, i) * d[i];
            for (int j = 0; j < i; j++) Hd += AT(H, i, j) * d[j];
            expected += d[i] * (AT(H, i, n) - Hd);
            b->q[p->unknown[i]] += d[i];
            if (d[i] == p->lower[i] - a->q[p->unknown[i]]) b->q[p->unknown[i]] = p->lower[i];
            if (d[i] == p->upper[i] - a->q[p->unknown[i]]) b->q[p->unknown[i]] = p->upper[i];
        }
        evaluate(p, target, b);
        fresh = b->E < a->E;
        if (!fresh) {
            mu *= nu, nu *= 2.0, slow++;
            continue;
        }
        double gain = 2.0 * (a->E - b->E) / expected - 1.0;
        mu *= fmax(1.0 / 3.0, 1.0 - gain * gain * gain), nu = 2.0;
        slow = b->E > PROGRESS * a->E ? slow + 1 : 0;
        State *other = a;
        a = b, b = other;
    }
    return a;
}

