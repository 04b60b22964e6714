/* All branches of a closed form, sorted. */
#pragma once
#include "_beside.h"

#define STRAY 0.1  /* [rad] a branch that is further from the target is not led back */
#define MOVED 1e-4 /* times what a radian counts: by so much targets are moved to find branches that are lost */

/* Fills `found` with those of the wanted branches, given as angles (n_branches, n), whose pose is the target's. */
INLINE void branches_n(const Problem *p, int n, const double *angles, const double *target, const double *seed, Found *found)
{
    static _Thread_local States at;
    lanes T[12];
    found->count = 0;
    for (int i = 0; i < 12; i++) T[i] = all(target[i]);
    for (int i = 0; i < p->nq; i++) at.q[i] = all(seed[i]);
    for (int first = 0; first < p->n_branches; first += LANES) {
        marks reached = {0};
        for (int l = 0; l < LANES && first + l < p->n_branches; l++) {
            const double *x = angles + (first + l) * n;
            reached[l] = -(p->wanted[first + l] && is_angles(n, x));
            for (int i = 0; i < n; i++) at.q[p->unknown[i]][l] = reached[l] ? x[i] : seed[p->unknown[i]];
        }
        if (!any(reached)) continue;
        evaluate_lanes(p, n, p->block, T, &at);
        marks regular = p->rows == 6 && (n == 6 || n == 7) ? regular_lanes(p, n, &at) : (marks){0};
        for (int l = 0; l < LANES; l++)
            if (reached[l]) take_branch(p, n, target, seed, &at, l, regular[l] != 0, first + l, found);
    }
}

USUAL_CPU static void branches_usual(const Problem *p, const double *angles, const double *target, const double *seed,
                                     Found *found)
{
    BY_SIZE(branches_n, p, angles, target, seed, found);
}

/* Adds branches that the formulas lose where two of them nearly meet, on an arm that misses its class by more than what is
 * left between them: formulas for targets beside this one have them, and steps lead back. */
static void take_lost(const Problem *p, const double *angles, const double *target, const double *seed, Found *found)
{
    static _Thread_local State one, two;
    double moved[12], others[MOST_BRANCHES * MOST_UNKNOWNS], by = MOVED * p->weight[3] / p->weight[0];
    unsigned char lost[MOST_BRANCHES];
    int some = 0;
    memcpy(lost, p->wanted, p->n_branches);
    for (int j = 0; j < found->count; j++) lost[found->branch[j].branch] = 0;
    for (int b = 0; b < p->n_branches; b++) some |= lost[b];
    memcpy(others, angles, sizeof(double) * p->n_branches * p->n);
    for (int k = 0; k <= 6 && some; k++) {
        memcpy(moved, target, sizeof moved);
        if (k) {
            moved[4 * ((k - 1) / 2) + 3] += k % 2 ? -by : by;
            all_angles(p, moved, 0.0, seed, others);
        }
        for (int b = 0; b < p->n_branches; b++) {
            const double *x = others + b * p->n;
            if (!lost[b] || !is_angles(p->n, x) || found->count == MOST_BRANCHES) continue;
            memcpy(one.q, seed, sizeof(double) * p->nq);
            for (int i = 0; i < p->n; i++) one.q[p->unknown[i]] = x[i];
            evaluate(p, target, &one);
            if (error(p, &one) > STRAY) continue;
            State *s = sharpened(p, target, &one, &two);
            if (!good(p, s) || !sharp(s, target)) continue;
            add(p, p->n, target, seed, s, 0, b, found);
            lost[b] = 0;
        }
    }
}

/* Leaves out what is vague unless it is the best: no arm should go elsewhere for some digits. An arm with too few axes to
 * reach any pose keeps all where the best is vague. */
static void keep_sharp(const Problem *p, Found *found)
{
    int kept = 0;
    if (p->n < p->rows && found->count && found->branch[found->order[0]].vague) return;
    for (int k = 0; k < found->count; k++)
        if (!k || !found->branch[found->order[k]].vague) found->order[kept++] = found->order[k];
    found->count = kept;
}

/* Solutions for a target (3, 4) and an arm angle, by the CPU at hand; beside: and the one next to the seed, at any. */
static void branches(const Problem *p, const double *target, double psi, const double *seed, int beside, Found *found)
{
    double angles[MOST_BRANCHES * MOST_UNKNOWNS];
    all_angles(p, target, psi, seed, angles);
    if (on_usual_cpu())
        branches_usual(p, angles, target, seed, found);
    else
        branches_n(p, p->n, angles, target, seed, found);
    if (!p->exact_form && p->n == 6 && p->rows == 6) take_lost(p, angles, target, seed, found);
    if (beside) take_seed(p, target, seed, found);
    keep_sharp(p, found);
}

/* The best of the branches; exhausted, at the seed, when none is inside the limits. */
static Outcome best_branch(const Problem *p, const double *target, double psi, const double *seed, int beside, Answer *answer)
{
    static _Thread_local Found found;
    static _Thread_local State s;
    Outcome outcome = {EXHAUSTED, 0, 0, 0.0};
    branches(p, target, psi, seed, beside, &found);
    const Branch *best = found.branch + found.order[0];
    if (!found.count || best->excess > 0.0) {
        put_inside(p, target, seed, &s);
        memcpy(answer->q, s.q, sizeof(double) * p->nq);
        answer->position = s.position, answer->rotation = s.rotation, answer->branch = answer->sharp = 0;
        return outcome;
    }
    memcpy(answer->q, best->q, sizeof(double) * p->nq);
    answer->position = best->position, answer->rotation = best->rotation;
    answer->branch = best->branch, answer->sharp = !best->vague;
    outcome.status = best->singular ? AT_SINGULARITY : CONVERGED;
    return outcome;
}
