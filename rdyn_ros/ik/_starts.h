/* Where to begin, and how to bring an end next to the seed. */
#pragma once
#include "_linear.h"

#define FEW_PLACES 4 /* in which a task shows its directions */

/* The solution of phi^(n+1) = phi + 1. */
static double sequence_ratio(int n)
{
    double phi = 2.0;
    for (int k = 0; k < 40; k++) phi = pow(1.0 + phi, 1.0 / (n + 1.0));
    return phi;
}

/* Start r of the sequence: x_i = frac(1/2 + r / phi^i), phi^(n+1) = phi + 1 (Roberts' additive recurrence). */
static void start(const Problem *p, const double *seed, int64_t r, double *q)
{
    double power = 1.0;
    for (int i = 0; i < p->n; i++) {
        double x = 0.5 + (double)r / (power *= p->phi), *at = q + p->unknown[i], low = p->lower[i], high = p->upper[i];
        double half = p->spans[i];
        if (!isfinite(low)) low = isfinite(high) ? high - 2.0 * half : seed[p->unknown[i]] - half;
        if (!isfinite(high)) high = low + 2.0 * half;
        *at = low + (x - floor(x)) * (high - low);
    }
}

/* x inside the limits of unknown i. */
INLINE double clamped(const Problem *p, int i, double x)
{
    x = x > p->lower[i] ? x : p->lower[i];
    return x < p->upper[i] ? x : p->upper[i];
}

/* The angle x of unknown i by whole turns next to that of the seed (nq), the latter inside the limits. Turns so far away that
 * rounding would cost the tolerance are not followed. */
INLINE double on_turn_of(const Problem *p, int i, const double *seed, double x)
{
    double away = clamped(p, i, seed[p->unknown[i]]) - x;
    return fabs(away) > 0.5 * TURN && fabs(away) < p->finest / SPACING ? x + TURN * round(away / TURN) : x;
}

/* Every turning joint by whole turns next to the seed, inside the box or as little outside as turns allow. */
static void nearest_turns(const Problem *p, const double *seed, double *q)
{
    for (int i = 0; i < p->n; i++) {
        if (!p->turns[i]) continue;
        double *at = q + p->unknown[i], x = on_turn_of(p, i, seed, *at);
        double low = p->lower[i] - ROUNDING, high = p->upper[i] + ROUNDING;
        if (x < low) x += TURN * ceil((low - x) / TURN);
        if (x > high) x -= TURN * ceil((x - high) / TURN);
        if (x < low && low - x > x + TURN - high) x += TURN;
        *at = x;
    }
}

/* Joints that rounding left outside the box go to its wall. */
static void onto_walls(const Problem *p, double *q)
{
    for (int i = 0; i < p->n; i++) {
        double *at = q + p->unknown[i];
        if (*at < p->lower[i] && *at > p->lower[i] - ROUNDING) *at = p->lower[i];
        if (*at > p->upper[i] && *at < p->upper[i] + ROUNDING) *at = p->upper[i];
    }
}

static void into_box(const Problem *p, double *q)
{
    for (int i = 0; i < p->n; i++) q[p->unknown[i]] = clamped(p, i, q[p->unknown[i]]);
}

/* How many directions the task usually has: the most in a few places about rest (nq), whatever the limits of angles are; slides
 * stay near 0, where no lever is so long that others count for nothing. */
static int usual_directions(const Problem *p, const double *rest)
{
    static _Thread_local State s;
    double target[12 * MOST_TIPS];
    int rows[MOST_ROWS], m = counting_rows(p, rows), most = 0;
    for (int i = 0; i < 12 * p->tips; i++) target[i] = i % 12 % 5 == 0; /* (1 | 0) */
    for (int k = 1; k <= FEW_PLACES && most < m && most < p->n; k++) {
        memcpy(s.q, rest, sizeof(double) * p->nq);
        for (int i = 0; i < p->n; i++) {
            double *at = s.q + p->unknown[i];
            *at = p->slides[i] ? clamped(p, i, 0.0) : *at + cos(k * (i + 1));
        }
        evaluate(p, target, &s);
        int here = directions(p, p->n, &s, m, rows);
        most = here > most ? here : most;
    }
    return most;
}

/* Slides move the tips along straight lines: those of a start q go at once to where the targets are missed least, inside the
 * box. On a long rail no descent would get there, so far from the target turns count for nothing. */
static void slide(const Problem *p, const double *target, double *q)
{
    static _Thread_local State s;
    int slides[MOST_UNKNOWNS], n = 0;
    for (int i = 0; i < p->n; i++)
        if (p->slides[i]) slides[n++] = i;
    memcpy(s.q, q, sizeof(double) * p->nq);
    for (int k = 0; k < SLIDING; k++) {
        Row H[MOST_UNKNOWNS], A[MOST_UNKNOWNS]; /* A: of the slides alone */
        double d[MOST_UNKNOWNS];
        evaluate(p, target, &s);
        normal_equations(p, p->n, &s, H);
        for (int a = 0; a < n; a++) {
            for (int b = 0; b < n; b++) AT(A, a, b) = AT(H, slides[a], slides[b]);
            AT(A, a, a) += ALONG, AT(A, a, n) = AT(H, slides[a], p->n);
        }
        if (!solve_symmetric(n, A, d)) break;
        for (int a = 0; a < n; a++) s.q[p->unknown[slides[a]]] += d[a];
        into_box(p, s.q);
    }
    memcpy(q, s.q, sizeof(double) * p->nq);
}

/* By how much [m] the target of tip k lies outside the sphere that it, on the base where the seed (nq) has it, cannot leave;
 * below 0: inside. Compiled once: rounded in two ways, two callers could be of two minds. */
static __attribute__((noinline)) double outside(const Problem *p, const double *target, const double *seed, int k)
{
    const double *c = p->reach + 4 * k, *T = target + 12 * k;
    double d[3] = {T[3] - c[0], T[7] - c[1], T[11] - c[2]};
    if (p->floating) { /* c + 2 w (u x c) + 2 u x (u x c), the quaternion being (u, w) */
        const double *u = seed + 3, w = seed[6];
        double v[3];
        for (int i = 0; i < 3; i++) v[i] = 2.0 * (u[(i + 1) % 3] * c[(i + 2) % 3] - u[(i + 2) % 3] * c[(i + 1) % 3]);
        for (int i = 0; i < 3; i++)
            d[i] -= seed[i] + w * v[i] + u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    }
    return hypot(hypot(d[0], d[1]), d[2]) - c[3]; /* squares of far places would be infinite */
}

/* Whether some target lies further outside than the tolerance allows. */
static int beyond(const Problem *p, const double *target, const double *seed)
{
    for (int k = 0; k < p->tips; k++)
        if (outside(p, target, seed, k) > p->tolerance_position) return 1;
    return 0;
}

/* Puts s where the seed is, inside the box. */
static void put_inside(const Problem *p, const double *target, const double *seed, State *s)
{
    memcpy(s->q, seed, sizeof(double) * p->nq);
    into_box(p, s->q);
    evaluate(p, target, s);
}

/* How far each known start is from the target, up to a constant: |w (p - pt)|^2 + |w (R - Rt)|^2 / 2 multiplied out, so
 * that it is linear in the target: factors holds, for one block of starts after the other, what does not depend on
 * the target, then the factors of its numbers. */
INLINE void rate_starts(const Problem *p, const double *target, float *far)
{
    const float *factor = p->factors; /* read from end to end: memory comes ahead of its use */
    for (int k = 0; k < MOST_KNOWN; k += BLOCK) {
        eight sum[4];
        for (int v = 0; v < 4; v++) sum[v] = *(const eight_anywhere *)(factor + 8 * v);
        factor += BLOCK;
        for (int i = 0; i < 12 * p->tips; i++, factor += BLOCK)
            for (int v = 0; v < 4; v++) sum[v] += (float)target[i] * *(const eight_anywhere *)(factor + 8 * v);
        for (int v = 0; v < 4; v++) *(eight_anywhere *)(far + k + 8 * v) = sum[v];
    }
}

/* The first starts of the sequence and their poses into known (n_known, n + 12 tips); rest (nq): the other coordinates. */
static void learn_starts(const Problem *p, const double *rest, State *s, double *known)
{
    for (int k = 0; k < p->n_known; k++, known += p->n + 12 * p->tips) {
        const double *in[1] = {s->q};
        double *out[2] = {s->pose, s->J};
        memcpy(s->q, rest, sizeof(double) * p->nq);
        start(p, rest, k, s->q);
        into_box(p, s->q);
        for (int i = 0; i < p->n; i++) known[i] = s->q[p->unknown[i]];
        p->kinematics(in, out);
        memcpy(known + p->n, s->pose, sizeof(double) * 12 * p->tips);
    }
}

/* The factors for `rate_starts` under the weights. */
static void weigh_starts(const Problem *p)
{
    const double *pose = p->known + p->n;
    for (int k = 0; k < p->n_known; k++, pose += p->n + 12 * p->tips) {
        float *factor = p->factors + (k / BLOCK * (12 * p->tips + 1)) * BLOCK + k % BLOCK;
        double sum = 0.0;
        for (int i = 0; i < 12 * p->tips; i++) {
            const double *w = p->weight + 6 * (i / 12) + (i % 4 == 3 ? 0 : 3);
            double w2 = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) / 3.0, x = pose[i];
            factor[(1 + i) * BLOCK] = (float)(i % 4 == 3 ? -2.0 * w2 * x : -w2 * x);
            if (i % 4 == 3) sum += w2 * x * x;
        }
        factor[0] = (float)sum;
    }
}

/* Puts the known start nearest to the target into q and strikes it off the list; 0 when none is left. */
INLINE int nearest_known(const Problem *p, float *far, double *q)
{
    float least[BLOCK], best = INFINITY;
    for (int v = 0; v < BLOCK; v++) least[v] = far[v];
    for (int k = BLOCK; k < MOST_KNOWN; k += BLOCK)
        for (int v = 0; v < BLOCK; v++) least[v] = far[k + v] < least[v] ? far[k + v] : least[v];
    for (int v = 0; v < BLOCK; v++) best = least[v] < best ? least[v] : best;
    if (best == INFINITY) return 0;
    int column = 0, k;
    while (least[column] != best) column++;
    for (k = column; far[k] != best;) k += BLOCK;
    far[k] = INFINITY;
    for (int i = 0; i < p->n; i++) q[p->unknown[i]] = p->known[k * (p->n + 12 * p->tips) + i];
    return 1;
}
