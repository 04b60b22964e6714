/* The solution next to the seed, where the formulas do not have it. */
#pragma once
#include "_branch.h"

#define NEAR 1e-2      /* [rad, m] a branch so near to a seed that is a solution is the same one */
#define CLOSE 0.3      /* [rad] the pose of a seed is so close to the target that a solution is sought from there */
#define SWING 5.0      /* times how close it is: when every branch is further away */
#define JUMP 0.2       /* [rad, m] further than this from a seed within the tolerance none takes its place */

/* How far a pose is from the target [rad]. */
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

/* Adds the solution next to the seed where the formulas do not have it: the seed is one, or nearly, and no branch is it. */
static void take_seed(const Problem *p, const double *target, const double *seed, Found *found)
{
    static _Thread_local State one, two;
    double away = INFINITY;
    int nearest = 0;
    if (p->n < p->rows || found->count == MOST_BRANCHES || excess(p, seed) > 0.0) return;
    if (!p->all_wanted && found->count) return; /* it is there */
    for (int k = 0; k < found->count; k++) {
        double x = apart(p, found->branch[k].q, seed);
        if (found->branch[k].excess == 0.0 && x < away) away = x, nearest = k;
    }
    if (away <= APART || (p->n > p->rows && away == INFINITY)) return;
    put(p, target, seed, &one);
    int reached = good(p, &one);
    double far = error(p, &one);
    if (away <= NEAR && reached && sharp(&one, target)) {
        replace(p, &one, nearest, found);
        return;
    }
    if (reached ? away <= NEAR : far > CLOSE || away < SWING * far) return;
    State *s = p->n == p->rows ? sharpened(p, target, &one, &two) : polish(p, p->n, target, &one, &two);
    if (p->n == p->rows && good(p, s) && !sharp(s, target)) onto_member(p, target, seed, s);
    into_place(p, seed, s->q);
    int nearer = excess(p, s->q) == 0.0 && apart(p, s->q, seed) < away + APART;
    if (!nearer || !(reached ? sharp(s, target) : good(p, s))) {
        if (!reached || away < JUMP) return;
        put(p, target, seed, s);
    }
    int branch = p->n == p->rows ? branch_of(p, s->q) : found->branch[nearest].branch;
    if (p->wanted[branch]) add(p, p->n, target, seed, s, 0, branch, found);
}

