/* Branches ranked: at one arm angle those inside the limits first, at several all that are inside. */
#pragma once
#include "_branches.h"
#include <stddef.h>
#include <stdlib.h>

#define MOST_ANGLES 16
#define MOST_SOME (MOST_ANGLES * MOST_BRANCHES)

/* Branches, best first. */
typedef struct {
    const Branch *branch[MOST_SOME];
    const double *q[MOST_SOME];
    int count;
} Some;

/* Branches of a target at one arm angle. */
typedef struct {
    Some best, lost;     /* inside the limits or, when none is, all; singular and outside: others of a family may be inside */
    const Branch *first; /* the best or, when there is none, the seed inside the limits, its excess infinite */
    int beyond;          /* whether the target is surely out of reach */
} Ranking;

static void append(Some *some, const Branch *branch)
{
    some->branch[some->count] = branch, some->q[some->count++] = branch->q;
}

/* The seed inside the limits, in place of a branch where there is none. */
static const Branch *no_branch(const Problem *p, const double *target, double psi, const double *seed)
{
    static _Thread_local Branch none;
    static _Thread_local State s;
    put_inside(p, target, seed, &s);
    memcpy(none.q, s.q, sizeof(double) * p->nq);
    none.position = s.position, none.rotation = s.rotation, none.excess = INFINITY, none.psi = psi, none.vague = 1;
    return &none;
}

/* Ranks the branches of a target (3, 4) at an arm angle, until the next ranking in this thread; beside: and the solution next
 * to the seed, at any. */
static void rank(const Problem *p, const double *target, double psi, const double *seed, int beside, Ranking *x)
{
    static _Thread_local Found found;
    int inside = 0;
    x->best.count = x->lost.count = found.count = 0;
    x->beyond = beyond(p, target, seed);
    if (!x->beyond) branches(p, target, psi, seed, beside, &found);
    while (inside < found.count && found.branch[found.order[inside]].excess == 0.0) inside++;
    for (int k = 0; k < found.count; k++) {
        Branch *branch = found.branch + found.order[k];
        branch->psi = psi;
        if (!inside || k < inside) append(&x->best, branch);
        if (branch->singular && branch->excess > 0.0) append(&x->lost, branch);
    }
    x->first = found.count ? x->best.branch[0] : no_branch(p, target, psi, seed);
}

/* The arm angle of a branch: its own or, where that is the one asked for, whole turns aside, that one in [-pi, pi). */
static double arm_angle_of(const Problem *p, const Branch *x)
{
    double own = arm_angle(p, x->q);
    return fabs(remainder(own - x->psi, TURN)) < APART ? x->psi - TURN * floor(x->psi / TURN + 0.5) : own;
}

/* Branches at arm angles all round that are inside the limits, next to the seed first. */
typedef struct {
    Some inside;
    int done;    /* angles */
    void *store; /* of the branches, to be freed */
} Round;

/* Puts a copy of a branch among those inside. */
static void keep(const Problem *p, const Branch *branch, Round *x)
{
    size_t size = offsetof(Branch, q) + sizeof(double) * p->nq;
    Some *some = &x->inside;
    Branch *copy = (Branch *)((char *)x->store + size * some->count);
    memcpy(copy, branch, size);
    int k = some->count++;
    for (; k > 0 && copy->distance < some->branch[k - 1]->distance; k--) some->branch[k] = some->branch[k - 1];
    some->branch[k] = copy;
}

/* Leaves out what only comes near the target unless it is the first. */
static void finish(Some *some)
{
    int kept = 0;
    for (int k = 0; k < some->count; k++)
        if (!k || !some->branch[k]->vague) some->branch[kept++] = some->branch[k];
    some->count = kept;
    for (int k = 0; k < kept; k++) some->q[k] = some->branch[k]->q;
}

/* Goes round the arm: the angle of the seed, then alternating ever further from it, until there are so many or time is up.
 * `at`: the ranking at the seed's when none is inside at any. 0 when there is no memory. */
static int go_round(const Problem *p, const double *target, const double *seed, int angles, double deadline, Ranking *at,
                    Round *x)
{
    double psi = arm_angle(p, seed);
    x->inside.count = x->done = 0;
    if (!(x->store = malloc((offsetof(Branch, q) + sizeof(double) * p->nq) * MOST_SOME))) return 0;
    do {
        int k = x->done++;
        rank(p, target, psi + (k % 2 ? -1.0 : 1.0) * ((k + 1) / 2) * TURN / angles, seed, !k, at);
        for (int j = 0; at->first->excess == 0.0 && (!k || !at->first->vague) && j < at->best.count; j++)
            keep(p, at->best.branch[j], x);
    } while (!at->beyond && x->done < angles && seconds_now() < deadline);
    finish(&x->inside);
    if (!x->inside.count && x->done > 1) rank(p, target, psi, seed, 1, at);
    return 1;
}
