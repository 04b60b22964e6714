/* The solution next to the seed, where the formulas do not have it. */
#pragma once
#include "_branch.h"

#define NEAR 1e-2      /* [rad, m] a branch so near to a seed that is a solution is the same one */
#define CLOSE 0.3      /* [rad] the pose of a seed is so close to the target that a solution is sought from there */
#define SWING 5.0      /* times how close it is: when every branch is further away */
#define JUMP 0.2       /* [rad, m] further than this from a seed within the tolerance none takes its place */

/* How far a pose is from the target [rad]; where no orientation is asked for [m]. */
static double error(const Problem *p, const State *s)
{
    double far = p->weight[0] * s->position;
    return p->weight[3] == 0.0 ? far : fmax(s->rotation, far / p->weight[3]);
}

/* Makes s, the seed on the target, the best: instead of branch j, which is beside it. */
static void replace(const Problem *p, const State *s, int j, Found *found)
{
    Branch *x = found->branch + j;
    memcpy(x->q, s->q, sizeof(double) * p->nq);
    x->position = s->position, x->rotation = s->rotation, x->excess = x->distance = 0.0, x->vague = 0;
    x->singular = singular(p, p->n, s);
    int k = 0, *order = found->order;
    while (order[k] != j) k++;
    for (; k > 0; k--) order[k] = order[k - 1];
    order[0] = j;
}

/* The branch inside the limits nearest to the seed, and how far away it is; -1 when none is inside. */
static int nearest_inside(const Problem *p, const double *seed, const Found *found, double *away)
{
    int nearest = -1;
    *away = INFINITY;
    for (int k = 0; k < found->count; k++) {
        double x = apart(p, found->branch[k].q, seed);
        if (found->branch[k].excess == 0.0 && x < *away) *away = x, nearest = k;
    }
    return nearest;
}

/* Where steps from s, the seed, lead, spare being another state; NULL when that is outside the limits or further than
 * `away` from the seed. */
static State *led_on(const Problem *p, const double *target, const double *seed, double away, State *s, State *spare)
{
    int square = p->n == p->rows;
    s = square ? sharpened(p, target, s, spare) : polish(p, p->n, target, s, spare);
    if (square && good(p, s) && !sharp(s, target)) onto_member(p, target, seed, s);
    into_place(p, seed, s->q);
    return excess(p, s->q) == 0.0 && apart(p, s->q, seed) < away + APART ? s : NULL;
}

/* The solution for a seed s within the tolerance: steps lead to it, or it is the seed where all else is a jump. */
static State *at_seed(const Problem *p, const double *target, const double *seed, double away, State *s, State *spare)
{
    State *end = led_on(p, target, seed, away, s, spare);
    if (end && sharp(end, target)) return end;
    if (away < JUMP) return NULL;
    put(p, target, seed, s);
    return s;
}

/* The solution to which steps from a seed s lead that is close to the target, when every branch is far from it. */
static State *close_to_seed(const Problem *p, const double *target, const double *seed, double away, State *s, State *spare)
{
    double far = error(p, s);
    if (far > CLOSE || away < SWING * far) return NULL;
    State *end = led_on(p, target, seed, away, s, spare);
    return end && good(p, end) ? end : NULL;
}

/* Adds the solution next to the seed where the formulas do not have it: the seed is one, or nearly, and no branch is it. */
static void take_seed(const Problem *p, const double *target, const double *seed, Found *found)
{
    static _Thread_local State one, two;
    double away;
    if (p->n < p->rows || found->count == MOST_BRANCHES || excess(p, seed) > 0.0) return;
    int nearest = nearest_inside(p, seed, found, &away);
    if (away <= APART || (nearest >= 0 ? !p->all_wanted : p->n > p->rows)) return; /* it is there, or cannot be told */
    put(p, target, seed, &one);
    if (good(p, &one) && away <= NEAR) {
        if (sharp(&one, target)) replace(p, &one, nearest, found);
        return;
    }
    State *s = (good(p, &one) ? at_seed : close_to_seed)(p, target, seed, away, &one, &two);
    if (!s) return;
    int branch = p->n == p->rows ? branch_of(p, s->q) : found->branch[nearest].branch;
    if (p->wanted[branch]) add(p, p->n, target, seed, s, 0, branch, found);
}
