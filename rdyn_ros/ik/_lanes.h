/* States side by side, each in a lane of the vector registers, and how far they are from what is to be solved. */
#pragma once
#include "_linear.h"

#pragma GCC diagnostic ignored "-Wpsabi" /* how vectors are handed over: all is inlined, none is */
#define LANES 4
typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t marks __attribute__((vector_size(8 * LANES))); /* -1: it holds in this lane, 0: it does not */

typedef struct {
    lanes q[MOST_COORDINATES], pose[12 * MOST_TIPS], J[MOST_ROWS * MOST_UNKNOWNS], e[MOST_ROWS], E, position, rotation;
} States;

INLINE lanes all(double x)
{
    return x - (lanes){0.0};
}

INLINE lanes pick(marks m, lanes yes, lanes no)
{
    return (lanes)((m & (marks)yes) | (~m & (marks)no));
}

INLINE int any(marks m)
{
    int64_t sum = 0;
    for (int l = 0; l < LANES; l++) sum |= m[l];
    return sum != 0;
}

INLINE lanes square_root(lanes x)
{
    for (int l = 0; l < LANES; l++) x[l] = sqrt(x[l]);
    return x;
}

/* rotation_error in every lane. */
INLINE void rotation_errors(const lanes *Tt, const lanes *Tc, lanes *e)
{
    lanes M[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            M[i][j] = Tt[4 * i] * Tc[4 * j] + Tt[4 * i + 1] * Tc[4 * j + 1] + Tt[4 * i + 2] * Tc[4 * j + 2];
    lanes x = 0.5 * (M[2][1] - M[1][2]), y = 0.5 * (M[0][2] - M[2][0]), z = 0.5 * (M[1][0] - M[0][1]);
    lanes s = square_root(x * x + y * y + z * z), c = 0.5 * (M[0][0] + M[1][1] + M[2][2] - 1.0), f;
    for (int l = 0; l < LANES; l++) f[l] = s[l] > NO_SINE ? atan2(s[l], c[l]) / s[l] : 1.0;
    e[0] = f * x, e[1] = f * y, e[2] = f * z;
    for (int l = 0; l < LANES; l++)
        if (!(c[l] > HALF_TURN_COSINE)) { /* near half a turn */
            double one[12], other[12], turn[3];
            for (int i = 0; i < 12; i++) one[i] = Tt[i][l], other[i] = Tc[i][l];
            rotation_error(one, other, turn);
            for (int i = 0; i < 3; i++) e[i][l] = turn[i];
        }
}

/* pointing_error lane by lane. */
INLINE void pointing_errors(const lanes *Tt, const lanes *Tc, const double *axis, int n, lanes *e, lanes *J)
{
    for (int l = 0; l < LANES; l++) {
        double one[12], other[12], turn[3], rows[3 * MOST_UNKNOWNS];
        for (int i = 0; i < 12; i++) one[i] = Tt[i][l], other[i] = Tc[i][l];
        for (int i = 0; i < 3 * n; i++) rows[i] = J[i][l];
        pointing_error(one, other, axis, n, turn, rows);
        for (int i = 0; i < 3; i++) e[i][l] = turn[i];
        for (int i = 0; i < 3 * n; i++) J[i][l] = rows[i];
    }
}

/* evaluate in every lane; block: kinematics of so many states. */
INLINE void evaluate_lanes(const Problem *p, int n, kinematics_code block, const lanes *target, States *s)
{
    const double *in[1] = {(const double *)s->q};
    double *out[2] = {(double *)s->pose, (double *)s->J};
    block(in, out);
    s->E = s->position = s->rotation = all(0.0);
    for (int k = 0; k < p->tips; k++) {
        const lanes *Tt = target + 12 * k, *Tc = s->pose + 12 * k;
        const double *w = p->weight + 6 * k, *axis = p->axis + 3 * k;
        lanes *e = s->e + 6 * k, size[2] = {all(0.0), all(0.0)};
        for (int i = 0; i < 3; i++) e[i] = Tt[4 * i + 3] - Tc[4 * i + 3];
        if (w[3] == 0.0 && w[4] == 0.0 && w[5] == 0.0)
            e[3] = e[4] = e[5] = all(0.0);
        else if (axis[0] != 0.0 || axis[1] != 0.0 || axis[2] != 0.0)
            pointing_errors(Tt, Tc, axis, n, e + 3, s->J + (6 * k + 3) * n);
        else
            rotation_errors(Tt, Tc, e + 3);
        for (int i = 0; i < 6; i++) {
            s->E += 0.5 * w[i] * w[i] * e[i] * e[i];
            if (w[i] != 0.0) size[i / 3] += e[i] * e[i];
        }
        for (int i = 0; i < 2; i++) size[i] = square_root(size[i]);
        s->position = pick(size[0] > s->position, size[0], s->position);
        s->rotation = pick(size[1] > s->rotation, size[1], s->rotation);
    }
}

/* Marks the lanes whose six-row Jacobian of n columns has surely lost no direction: the pivots of singular_pose are so
 * little apart that rounding does not count. */
INLINE marks regular_lanes(const Problem *p, int n, const States *s)
{
    const double *w = p->weight;
    lanes A[6][6], smallest = all(INFINITY), largest = all(0.0);
    UNROLL for (int a = 0; a < 6; a++)
        UNROLL for (int b = a; b < 6; b++) {
            A[a][b] = all(0.0);
            UNROLL for (int r = 0; r < n; r++)
                A[a][b] += n == 6 ? w[r] * w[r] * s->J[r * n + a] * s->J[r * n + b] : s->J[a * n + r] * s->J[b * n + r];
            if (n == 7) A[a][b] *= w[a] * w[b];
        }
    UNROLL for (int k = 0; k < 6; k++) {
        lanes pivot = A[k][k], inverse = 1.0 / pivot;
        smallest = pick(pivot < smallest, pivot, smallest), largest = pick(pivot > largest, pivot, largest);
        UNROLL for (int i = k + 1; i < 6; i++) {
            lanes f = A[k][i] * inverse;
            UNROLL for (int j = i; j < 6; j++) A[i][j] -= f * A[k][j];
        }
    }
    return smallest > REGULAR * largest;
}

/* Where lane l is, as a State but for errors and Jacobian, which are many numbers. */
INLINE void place_of_lane(const Problem *p, const States *from, int l, State *to)
{
    for (int i = 0; i < p->nq; i++) to->q[i] = from->q[i][l];
    to->E = from->E[l], to->position = from->position[l], to->rotation = from->rotation[l];
}

INLINE void out_of_lane(const Problem *p, const States *from, int l, State *to)
{
    place_of_lane(p, from, l, to);
    for (int i = 0; i < 6 * p->tips * p->n; i++) to->J[i] = from->J[i][l];
    for (int i = 0; i < 6 * p->tips; i++) to->e[i] = from->e[i][l];
}
