/* All branches of a closed form: put on the nearest turn, refined on the true model, sorted. */
#pragma once
#include "_lanes.h"
#include "_levenberg_marquardt.h"
#include "_starts.h"

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

/* Whether s needs no refinement. */
INLINE int exact(const Problem *p, const State *s)
{
    double most = p->finest < EXACT ? p->finest : EXACT;
    return s->position <= most && s->rotation <= most;
}

/* By how much the worst joint is outside the box. */
static double excess(const Problem *p, const double *q)
{
    double worst = 0.0;
    for (int i = 0; i < p->n; i++) {
        double x = q[p->unknown[i]], below = p->lower[i] - x, above = x - p->upper[i];
        worst = below > worst ? below : worst;
        worst = above > worst ? above : worst;
    }
    return worst;
}

/* Newton steps from a, limits aside; the better state is returned. */
INLINE State *polish(const Problem *p, const double *target, State *a, State *b)
{
    for (int k = 0; k < POLISH && !exact(p, a); k++) {
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
    double worst = excess(p, s->q);
    if (worst == 0.0 || worst > BESIDE * fmax(p->tolerance_position, p->tolerance_rotation)) return s;
    memcpy(a->q, s->q, sizeof(double) * p->nq);
    into_box(p, a->q);
    evaluate(p, target, a);
    for (int k = 0; k < POLISH && !exact(p, a); k++) {
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

/* Angles (n_branches, n) of all branches for a target (3, 4), an arm angle and a seed; free ones stay next to the seed
 * inside the box. */
static void all_angles(const Problem *p, const double *target, double psi, const double *seed, double *angles)
{
    double targets[12 * MOST_BRANCHES], again[MOST_BRANCHES], near[MOST_UNKNOWNS * MOST_BRANCHES], *out[1] = {angles};
    const double *in[4] = {targets, again, near, p->signs};
    for (int i = 0; i < p->n; i++) {
        double x = seed[p->unknown[i]];
        x = x > p->lower[i] ? x : p->lower[i];
        near[i] = x < p->upper[i] ? x : p->upper[i];
    }
    for (int b = 0; b < p->n_branches; b++) {
        memcpy(targets + 12 * b, target, 12 * sizeof(double)), again[b] = psi;
        if (b) memcpy(near + p->n * b, near, p->n * sizeof(double));
    }
    p->formula(in, out, p->n_branches);
}

/* Adds branch b, which is in lane l, to those found unless its pose is not the target's or it is one of them. regular:
 * whether it is surely not singular; miss: residuals of the nearest that is no solution. Returns how many are found. */
INLINE int take_branch(const Problem *p, const double *target, const double *seed, const States *at, int l, int regular,
                       int b, Branch *found, int n_found, int *order, double miss[2])
{
    static _Thread_local State one, two, three;
    State *s = &one;
    place_of_lane(p, at, l, s);
    regular &= exact(p, s);
    if (!regular) out_of_lane(p, at, l, s);
    if (s->position < 1e-3 && s->rotation < 1e-3) s = polish(p, target, s, &two);
    if (!good(p, s)) {
        if (s->position + s->rotation < miss[0] + miss[1]) miss[0] = s->position, miss[1] = s->rotation;
        return n_found;
    }
    nearest_turns(p, seed, s->q);
    onto_walls(p, s->q);
    State *inside = within_walls(p, target, s, s == &one ? &two : &one, &three);
    regular &= inside == s, s = inside;
    Branch *new = found + n_found;
    new->position = s->position, new->rotation = s->rotation, new->branch = b, new->distance = 0.0;
    new->excess = excess(p, s->q);
    memcpy(new->q, s->q, sizeof(double) * p->nq);
    for (int j = 0; j < n_found; j++)
        if (same(p, found[j].q, new->q)) return n_found;
    for (int i = 0; i < p->n; i++) {
        double d = new->q[p->unknown[i]] - seed[p->unknown[i]];
        new->distance += d * d;
    }
    new->singular = !regular && singular(p, s);
    int k = n_found;
    for (; k > 0 && before(new, found + order[k - 1]); k--) order[k] = order[k - 1];
    order[k] = n_found;
    return n_found + 1;
}

/* Fills `found` with those of the wanted branches, given as angles (n_branches, n), whose pose is the target's, and
 * `order` with their ranks, best first; returns their number. miss: residuals of the nearest of the others. */
INLINE int branches_n(const Problem *p, int n, const double *angles, const double *target, const double *seed, Branch *found,
                      int *order, double miss[2])
{
    static _Thread_local States at;
    lanes T[12];
    int n_found = 0, rows[MOST_ROWS], six = counting_rows(p, rows) == 6;
    miss[0] = miss[1] = INFINITY;
    for (int i = 0; i < 12; i++) T[i] = all(target[i]);
    for (int i = 0; i < p->nq; i++) at.q[i] = all(seed[i]);
    for (int first = 0; first < p->n_branches; first += LANES) {
        marks reached = {0};
        for (int l = 0; l < LANES && first + l < p->n_branches; l++) {
            const double *x = angles + (first + l) * n;
            double sum = 0.0;
            for (int i = 0; i < n; i++) sum += x[i];
            reached[l] = -(p->wanted[first + l] && isfinite(sum));
            for (int i = 0; i < n; i++) at.q[p->unknown[i]][l] = reached[l] ? x[i] : seed[p->unknown[i]];
        }
        if (!any(reached)) continue;
        evaluate_lanes(p, p->block, n, T, &at);
        marks regular = six && (n == 6 || n == 7) ? regular_lanes(&at, n) : (marks){0};
        for (int l = 0; l < LANES; l++)
            if (reached[l])
                n_found = take_branch(p, target, seed, &at, l, regular[l] != 0, first + l, found, n_found, order, miss);
    }
    return n_found;
}

/* The same with the number of unknowns known to the compiler where it is usual. */
INLINE int branches_any(const Problem *p, const double *angles, const double *target, const double *seed, Branch *found,
                        int *order, double miss[2])
{
    if (p->n == 6) return branches_n(p, 6, angles, target, seed, found, order, miss);
    if (p->n == 7) return branches_n(p, 7, angles, target, seed, found, order, miss);
    return branches_n(p, p->n, angles, target, seed, found, order, miss);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static int branches_avx2(const Problem *p, const double *angles, const double *target,
                                                             const double *seed, Branch *found, int *order, double miss[2])
{
    return branches_any(p, angles, target, seed, found, order, miss);
}
#endif

/* The same for a target (3, 4) and an arm angle, by the CPU at hand. */
static int branches(const Problem *p, const double *target, double psi, const double *seed, Branch *found, int *order,
                    double miss[2])
{
    double angles[MOST_BRANCHES * MOST_UNKNOWNS];
    all_angles(p, target, psi, seed, angles);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return branches_avx2(p, angles, target, seed, found, order, miss);
#endif
    return branches_any(p, angles, target, seed, found, order, miss);
}

/* The best of the branches; exhausted, at the seed, when none is inside the limits. */
static Outcome best_branch(const Problem *p, const double *target, double psi, const double *seed, Answer *answer)
{
    static _Thread_local Branch found[MOST_BRANCHES];
    int order[MOST_BRANCHES] = {0};
    double miss[2];
    Outcome outcome = {EXHAUSTED, 0, 0, 0.0};
    int count = branches(p, target, psi, seed, found, order, miss);
    const Branch *best = found + order[0];
    if (!count || best->excess > 0.0) {
        memcpy(answer->q, seed, sizeof(double) * p->nq);
        answer->position = miss[0], answer->rotation = miss[1], answer->branch = 0;
        return outcome;
    }
    memcpy(answer->q, best->q, sizeof(double) * p->nq);
    answer->position = best->position, answer->rotation = best->rotation, answer->branch = best->branch;
    outcome.status = best->singular ? AT_SINGULARITY : CONVERGED;
    return outcome;
}
