/* All branches of a closed form: put on the nearest turn, refined on the true model, sorted. */
#pragma once
#include "_starts.h"
#include "_levenberg_marquardt.h"

typedef struct {
    double q[MOST_COORDINATES];
    double position, rotation; /* residuals [m], [rad] */
    double excess;             /* by how much the worst joint is outside its limits; 0 inside */
    double distance;           /* to the seed */
    int branch, singular;
} Branch;

/* Residual that a refined solution keeps under unless the tolerance is smaller, the steps it may take, and how far apart
 * two solutions are at least; times the tolerance: joints so little outside their limits are tried on them. */
#define EXACT 2e-11
#define POLISH 8
#define APART 1e-6
#define BESIDE 100.0

/* By how much the worst joint is outside the box. */
static double excess(const Problem *p, const double *q)
{
    double worst = 0.0;
    for (int i = 0; i < p->n; i++) {
        double x = q[p->unknown[i]];
        worst = fmax(worst, fmax(p->lower[i] - x, x - p->upper[i]));
    }
    return worst;
}

/* Newton steps from a, limits aside; the better state is returned. */
INLINE State *polish(const Problem *p, const double *target, State *a, State *b)
{
    double exact = fmin(EXACT, fmin(p->tolerance_position, p->tolerance_rotation));
    for (int k = 0; k < POLISH && (a->position > exact || a->rotation > exact); k++) {
        Row H[MOST_UNKNOWNS];
        double d[MOST_UNKNOWNS];
        normal_equations(p, p->n, a, H);
        for (int i = 0; i < p->n; i++) AT(H, i, i) += 1e-14;
        if (!solve_symmetric(p->n, H, d)) break;
        memcpy(b->q, a->q, sizeof(double) * p->nq);
        for (int i = 0; i < p->n; i++) b->q[p->unknown[i]] += d[i];
        evaluate(p, target, b);
        if (!(b->E < a->E)) break;
        State *swap = a;
        a = b, b = swap;
    }
    return a;
}

/* s with the joints that are a little outside the box on its walls and the others making up for it, by steps inside the
 * box, in a or b; s itself when none is, or when the target would be missed. */
INLINE State *within_walls(const Problem *p, const double *target, State *s, State *a, State *b)
{
    double exact = fmin(EXACT, fmin(p->tolerance_position, p->tolerance_rotation));
    double worst = excess(p, s->q);
    if (worst == 0.0 || worst > BESIDE * fmax(p->tolerance_position, p->tolerance_rotation)) return s;
    memcpy(a->q, s->q, sizeof(double) * p->nq);
    into_box(p, a->q);
    evaluate(p, target, a);
    for (int k = 0; k < POLISH && (a->position > exact || a->rotation > exact); k++) {
        Row H[MOST_UNKNOWNS];
        double d[MOST_UNKNOWNS];
        normal_equations(p, p->n, a, H);
        if (!box_step(p, p->n, a, H, 1e-14, INFINITY, d)) break;
        memcpy(b->q, a->q, sizeof(double) * p->nq);
        for (int i = 0; i < p->n; i++) b->q[p->unknown[i]] += d[i];
        into_box(p, b->q);
        evaluate(p, target, b);
        if (!(b->E < a->E)) break;
        State *swap = a;
        a = b, b = swap;
    }
    return good(p, a) ? a : s;
}

INLINE int same(const Problem *p, const double *a, const double *b)
{
    for (int i = 0; i < p->n; i++) {
        double x = a[p->unknown[i]] - b[p->unknown[i]];
        if (p->turns[i] && fabs(x) > 0.5 * TURN) x -= TURN * round(x / TURN);
        if (fabs(x) > APART) return 0;
    }
    return 1;
}

/* Whether branch a ranks before b: by how far it leaves the limits, then by distance to the seed. */
static int before(const Branch *a, const Branch *b)
{
    return a->excess != b->excess ? a->excess < b->excess : a->distance < b->distance;
}

/* Fills `found` with those of the wanted branches, given as angles (n_branches, n), whose pose is the target's, and
 * `order` with their ranks, best first; returns their number. miss: residuals of the nearest of the others. */
INLINE int branches_any(const Problem *p, const double *angles, const double *target, const double *seed, Branch *found,
                        int *order, double miss[2])
{
    static _Thread_local State one, two, three;
    int n_found = 0;
    miss[0] = miss[1] = INFINITY;
    for (int b = 0; b < p->n_branches; b++) {
        const double *x = angles + b * p->n;
        double sum = 0.0;
        for (int i = 0; i < p->n; i++) sum += x[i];
        if (!p->wanted[b] || !isfinite(sum)) continue;
        memcpy(one.q, seed, sizeof(double) * p->nq);
        for (int i = 0; i < p->n; i++) one.q[p->unknown[i]] = x[i];
        evaluate(p, target, &one);
        State *s = one.position < 1e-3 && one.rotation < 1e-3 ? polish(p, target, &one, &two) : &one;
        if (!good(p, s)) {
            if (s->position + s->rotation < miss[0] + miss[1]) miss[0] = s->position, miss[1] = s->rotation;
            continue;
        }
        Branch *new = found + n_found;
        nearest_turns(p, seed, s->q);
        onto_walls(p, s->q);
        s = within_walls(p, target, s, s == &one ? &two : &one, &three);
        new->position = s->position, new->rotation = s->rotation, new->branch = b, new->distance = 0.0;
        new->excess = excess(p, s->q);
        memcpy(new->q, s->q, sizeof(double) * p->nq);
        int known = 0;
        for (int j = 0; j < n_found && !known; j++) known = same(p, found[j].q, new->q);
        if (known) continue;
        for (int i = 0; i < p->n; i++) {
            double d = new->q[p->unknown[i]] - seed[p->unknown[i]];
            new->distance += d * d;
        }
        new->singular = singular(p, s);
        int k = n_found++;
        for (; k > 0 && before(new, found + order[k - 1]); k--) order[k] = order[k - 1];
        order[k] = n_found - 1;
    }
    return n_found;
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static int branches_avx2(const Problem *p, const double *angles, const double *target,
                                                             const double *seed, Branch *found, int *order, double miss[2])
{
    return branches_any(p, angles, target, seed, found, order, miss);
}
#endif

static int branches(const Problem *p, const double *angles, const double *target, const double *seed, Branch *found,
                    int *order, double miss[2])
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return branches_avx2(p, angles, target, seed, found, order, miss);
#endif
    return branches_any(p, angles, target, seed, found, order, miss);
}

/* The best of the branches; exhausted when none is inside the limits. */
static Outcome best_branch(const Problem *p, const double *angles, const double *target, const double *seed, Answer *answer)
{
    static _Thread_local Branch found[MOST_BRANCHES];
    int order[MOST_BRANCHES] = {0};
    double miss[2];
    Outcome outcome = {EXHAUSTED, 0, 0, 0.0};
    int count = branches(p, angles, target, seed, found, order, miss);
    const Branch *best = found + order[0];
    if (!count || best->excess > 0.0) return outcome;
    memcpy(answer->q, best->q, sizeof(double) * p->nq);
    answer->position = best->position, answer->rotation = best->rotation, answer->branch = best->branch;
    outcome.status = best->singular ? AT_SINGULARITY : CONVERGED;
    return outcome;
}
