/* One branch of a closed form: put on the nearest turn, refined on the true model, inside the limits if it can be. */
#pragma once
#include "_lanes.h"
#include "_levenberg_marquardt.h"
#include "_newton.h"
#include "_starts.h"

typedef struct {
    double position, rotation; /* residuals [m], [rad] */
    double excess;             /* by how much the worst joint is outside its limits; 0 inside */
    double distance;           /* to the seed, squared */
    double psi;                /* the arm angle asked for */
    int branch, singular;
    int vague;                 /* whether it only comes near the target, within the tolerance */
    double q[MOST_COORDINATES];
} Branch;

/* Solutions of a target, in no order, and their ranks, best first. */
typedef struct {
    Branch branch[MOST_BRANCHES];
    int order[MOST_BRANCHES], count;
} Found;

#define APART 1e-6     /* [rad, m] two solutions are at least so far apart */
#define BESIDE 100.0   /* times the tolerance: joints so little outside their limits are tried on them */
#define REFINED 1e-3   /* [m, rad] a branch that misses by less is refined */
#define OFF_CLASS 1e-5 /* [m, rad] an arm misses its class by less */
#define MEMBERS 8      /* of a family from which steps begin */
#define BENT 1e-2      /* [rad, m] by which a configuration is bent to see on which branch it is */

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

/* q on the turns next to the seed, and not outside the box by rounding. */
INLINE void into_place(const Problem *p, const double *seed, double *q)
{
    nearest_turns(p, seed, q);
    onto_walls(p, q);
}

/* Newton steps from a, limits aside; the better state is returned. */
INLINE State *polish(const Problem *p, int n, const double *target, State *a, State *b)
{
    for (int k = 0; k < POLISH && !exact(p, a); k++) {
        Row H[MOST_UNKNOWNS];
        double d[MOST_UNKNOWNS];
        normal_equations(p, n, a, H);
        for (int i = 0; i < n; i++) AT(H, i, i) += REFINING;
        if (!solve_symmetric(n, H, d)) break;
        move(p, target, a, 1.0, d, b);
        if (!(b->E < a->E)) break;
        State *other = a;
        a = b, b = other;
    }
    return a;
}

/* s with the joints that are a little outside the box on its walls and the others making up for it by steps inside the box,
 * until the next call in this thread; s itself when none is, or when the target would be missed. No steps where they would
 * change the arm angle. */
static State *within_walls(const Problem *p, const double *target, State *s)
{
    static _Thread_local State one, two;
    State *a = &one, *b = &two;
    double worst = excess(p, s->q);
    if (worst == 0.0 || worst > BESIDE * fmax(p->tolerance_position, p->tolerance_rotation)) return s;
    memcpy(a->q, s->q, sizeof(double) * p->nq);
    into_box(p, a->q);
    evaluate(p, target, a);
    for (int k = 0; k < POLISH && p->n <= p->rows && !exact(p, a); k++) {
        Row H[MOST_UNKNOWNS];
        double d[MOST_UNKNOWNS];
        normal_equations(p, p->n, a, H);
        if (!box_step(p, p->n, a, H, REFINING, INFINITY, d)) break;
        memcpy(b->q, a->q, sizeof(double) * p->nq);
        for (int i = 0; i < p->n; i++) b->q[p->unknown[i]] += d[i];
        into_box(p, b->q);
        evaluate(p, target, b);
        if (!(b->E < a->E)) break;
        State *other = a;
        a = b, b = other;
    }
    return good(p, a) ? a : s;
}

/* s, whose joints are inside the box, with those on its walls that would be a little outside on the turn of the seed; NULL when
 * there are none, or when the target would be missed. Rounding, more of it next to a singularity, must not cost a turn. */
static State *on_turns_of(const Problem *p, const double *target, const double *seed, const State *s)
{
    static _Thread_local State turned;
    double little = BESIDE * fmax(p->tolerance_position, p->tolerance_rotation);
    int some = 0;
    for (int i = 0; i < p->n; i++) {
        if (!p->turns[i]) continue;
        double x = s->q[p->unknown[i]], there = on_turn_of(p, i, seed, x);
        if (there == x || there < p->lower[i] - little || there > p->upper[i] + little) continue;
        if (!some++) memcpy(turned.q, s->q, sizeof(double) * p->nq);
        turned.q[p->unknown[i]] = there;
    }
    State *inside = some ? within_walls(p, target, &turned) : NULL;
    return inside != &turned ? inside : NULL;
}

/* Largest difference of a coordinate of a and b, whole turns aside. */
INLINE double apart(const Problem *p, const double *a, const double *b)
{
    double most = 0.0;
    for (int i = 0; i < p->n; i++) {
        double x = a[p->unknown[i]] - b[p->unknown[i]];
        if (p->turns[i] && fabs(x) > 0.5 * TURN) x -= TURN * round(x / TURN);
        most = fabs(x) > most ? fabs(x) : most;
    }
    return most;
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
    for (int i = 0; i < p->n; i++) near[i] = clamped(p, i, seed[p->unknown[i]]);
    for (int b = 0; b < p->n_branches; b++) {
        memcpy(targets + 12 * b, target, 12 * sizeof(double)), again[b] = psi;
        if (b) memcpy(near + p->n * b, near, p->n * sizeof(double));
    }
    p->formula(in, out, p->n_branches);
}

/* The arm angle of q; 0 where an arm has none. */
static double arm_angle(const Problem *p, const double *q)
{
    double psi = 0.0, *out[1] = {&psi};
    if (p->arm_angle) p->arm_angle(&q, out);
    return psi;
}

/* Whether a branch exists: impossible ones are NaN. */
INLINE int is_angles(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i];
    return isfinite(sum);
}

/* The branch that q is on: that of the formulas nearest to q, every joint bent by another bit since here they may not tell. */
static int branch_of(const Problem *p, const double *q)
{
    static _Thread_local State s;
    double angles[MOST_BRANCHES * MOST_UNKNOWNS], bent[MOST_COORDINATES], least = INFINITY;
    const double *in[1] = {bent};
    double *out[2] = {s.pose, s.J};
    int nearest = 0;
    memcpy(bent, q, sizeof(double) * p->nq);
    for (int i = 0; i < p->n; i++) bent[p->unknown[i]] += BENT * cos(i);
    p->kinematics(in, out);
    all_angles(p, s.pose, 0.0, bent, angles);
    memcpy(s.q, bent, sizeof(double) * p->nq);
    for (int b = 0; b < p->n_branches; b++) {
        for (int i = 0; i < p->n; i++) s.q[p->unknown[i]] = angles[b * p->n + i];
        double away = is_angles(p->n, angles + b * p->n) ? apart(p, s.q, bent) : INFINITY;
        if (away < least) least = away, nearest = b;
    }
    return nearest;
}

/* Puts s where q is. */
static void put(const Problem *p, const double *target, const double *q, State *s)
{
    memcpy(s->q, q, sizeof(double) * p->nq);
    evaluate(p, target, s);
}

/* Puts s, which only comes near the target, on the member next to the seed of the family that it belongs to, inside the
 * box if there is one; it stays where none reaches the target, or only further outside. Of a family of solutions, as those
 * of an aligned wrist, little is left in an arm that fits its class only nearly: members that reach the target, and others
 * that miss it by what the arm misses its class. Formulas end on any of them. Whether it was put. */
static int onto_member(const Problem *p, const double *target, const double *seed, State *s)
{
    static _Thread_local State a, b;
    double along[MOST_SQUARE], kept[MOST_COORDINATES], angle = 0.0, size = 0.0, least = INFINITY;
    int branch = p->all_wanted ? 0 : branch_of(p, s->q);
    into_place(p, seed, s->q);
    double outside = excess(p, s->q);
    slowest(p, s, along);
    for (int i = 0; i < p->n; i++) {
        double away = seed[p->unknown[i]] - s->q[p->unknown[i]];
        if (p->turns[i]) away -= TURN * round(away / TURN);
        angle += along[i] * away, size += along[i] * along[i];
    }
    for (int k = 0; k <= MEMBERS && least > 0.0; k++) {
        double far = (k % 2 ? -1.0 : 1.0) * ((k + 1) / 2) * TURN / MEMBERS;
        move(p, target, s, k < MEMBERS ? angle / size + far : 0.0, along, &a);
        State *end = sharpened(p, target, &a, &b);
        if (!sharp(end, target) || !good(p, end) || (!p->all_wanted && branch_of(p, end->q) != branch)) continue;
        into_place(p, seed, end->q);
        double out = excess(p, end->q);
        if (out >= least || out > outside) continue;
        least = out;
        memcpy(kept, end->q, sizeof(double) * p->nq);
    }
    if (least < INFINITY) put(p, target, kept, s);
    return least < INFINITY;
}

/* Puts s, on branch b, in its place among those found unless it is one of them, whole turns aside, but for `twin`, if that is
 * none: -1. regular: whether it is surely not singular. */
INLINE void insert(const Problem *p, int n, const double *target, const double *seed, const State *s, int regular, int b,
                   int twin, Found *found)
{
    Branch *new = found->branch + found->count;
    if (found->count == MOST_BRANCHES) return;
    new->vague = !sharp(s, target);
    new->position = s->position, new->rotation = s->rotation, new->branch = b, new->distance = 0.0;
    new->excess = excess(p, s->q);
    memcpy(new->q, s->q, sizeof(double) * p->nq);
    for (int j = 0; j < found->count; j++)
        if (j != twin && apart(p, found->branch[j].q, new->q) <= APART) return;
    for (int i = 0; i < p->n; i++) {
        double d = new->q[p->unknown[i]] - seed[p->unknown[i]];
        new->distance += d * d;
    }
    new->singular = !regular && singular(p, n, s);
    int k = found->count, *order = found->order;
    for (; k > 0 && before(new, found->branch + order[k - 1]); k--) order[k] = order[k - 1];
    order[k] = found->count++;
}

/* Adds s, on branch b, to those found unless it is one of them: on the turns of the seed or, when so it only comes near the
 * target, both there and on others. */
INLINE void add(const Problem *p, int n, const double *target, const double *seed, State *s, int regular, int b, Found *found)
{
    into_place(p, seed, s->q);
    State *there = on_turns_of(p, target, seed, s);
    int next = found->count;
    if (there) insert(p, n, target, seed, there, 0, b, -1, found);
    if (there && sharp(there, target)) return;
    State *inside = within_walls(p, target, s);
    insert(p, n, target, seed, inside, regular && inside == s, b, there ? next : -1, found);
}

/* Adds branch b, which is in lane l, to those found unless its pose is not the target's or it is one of them. regular:
 * whether it is surely not singular. */
INLINE void take_branch(const Problem *p, int n, const double *target, const double *seed, const States *at, int l, int regular,
                        int b, Found *found)
{
    static _Thread_local State one, two;
    State *s = &one;
    place_of_lane(p, at, l, s);
    regular &= exact(p, s);
    if (!regular) out_of_lane(p, at, l, s);
    if (s->position < REFINED && s->rotation < REFINED) s = polish(p, n, target, s, &two);
    if (p->n == p->rows && s->position < OFF_CLASS && s->rotation < OFF_CLASS && !(sharp(s, target) && good(p, s))) {
        int moved = onto_member(p, target, seed, s);
        if (moved && p->all_wanted) b = branch_of(p, s->q);
    }
    if (good(p, s)) add(p, n, target, seed, s, regular, b, found);
}

