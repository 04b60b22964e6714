/* Many searches at once, each in a lane of the vector registers: the descent of _levenberg_marquardt.h in step.
 *
 * A lane whose descent has ended goes on with the next start of its search, or with the next search, while the others
 * descend. No lane sees another: an answer does not depend on what is asked beside it.
 */
#pragma once
#include "_lanes.h"
#include "_search.h"

typedef struct {
    States here, there; /* where the descents are, and where the step leads */
    lanes target[12 * MOST_TIPS], mu, nu;
    marks idle, fresh, slow, steps; /* fresh: `there` holds a start; slow, steps: of this descent, counted */
    Search search[LANES];
    double rows[LANES][12 * MOST_TIPS]; /* the target of each search, */
    int64_t row[LANES];                 /* and its place among them */
} Herd;

/* What is asked and answered: targets (n, tips, 4, 4) and seeds (n, nq); status, iterations, restarts, branch and sharp
 * (n, 5), q (n, nq), residuals [m], [rad] and time [s] (n, 3). */
typedef struct {
    const double *T, *seed;
    int64_t n, next, first; /* next: the first that no lane has taken yet */
    double timeout;         /* [s] of each */
    int64_t *count;
    double *q, *figure;
} Rows;

typedef lanes LaneRow[MOST_UNKNOWNS + 1]; /* coefficients on and above the diagonal, the right side in column n */

/* normal_equations in every lane. */
INLINE void normal_lanes(const Problem *p, int n, const States *s, LaneRow *H)
{
    UNROLL for (int i = 0; i < n; i++)
        UNROLL for (int j = i; j <= n; j++) H[i][j] = all(0.0);
    for (int r = 0; r < 6 * p->tips; r++) {
        double w2 = p->weight[r] * p->weight[r];
        const lanes *J = s->J + r * n;
        if (w2 == 0.0) continue;
        UNROLL for (int i = 0; i < n; i++) {
            lanes x = w2 * J[i];
            UNROLL for (int j = i; j < n; j++) H[i][j] += x * J[j];
            H[i][n] += x * s->e[r];
        }
    }
}

/* solve_symmetric in every lane; marks those whose A is not positive definite. */
INLINE marks solve_lanes(int n, LaneRow *A, lanes *x)
{
    lanes inverse[MOST_UNKNOWNS];
    marks bad = {0};
    UNROLL for (int k = 0; k < n; k++) {
        bad |= ~(A[k][k] > NO_PIVOT);
        inverse[k] = 1.0 / A[k][k];
        UNROLL for (int i = k + 1; i < n; i++) {
            lanes f = A[k][i] * inverse[k];
            UNROLL for (int j = i; j <= n; j++) A[i][j] -= f * A[k][j];
        }
    }
    UNROLL for (int k = n - 1; k >= 0; k--) {
        lanes y = A[k][n];
        UNROLL for (int j = k + 1; j < n; j++) y -= A[k][j] * x[j];
        x[k] = y * inverse[k];
    }
    return bad;
}

/* Takes coordinate k, where it is fixed at d, out of the equations of the others. */
INLINE void take_out(int n, LaneRow *A, int k, marks fixed, lanes d)
{
    for (int i = 0; i < n; i++) {
        lanes *a = i < k ? &A[i][k] : &A[k][i];
        if (i == k) continue;
        A[i][n] = pick(fixed, A[i][n] - *a * d, A[i][n]);
        *a = pick(fixed, all(0.0), *a);
    }
}

/* box_step in the lanes of `open`; marks those where it fails. */
INLINE marks box_step_lanes(const Problem *p, int n, const States *s, LaneRow *H, lanes damping, marks open, lanes *d)
{
    LaneRow A[MOST_UNKNOWNS];
    lanes down[MOST_UNKNOWNS], up[MOST_UNKNOWNS], b[MOST_UNKNOWNS];
    marks fixed[MOST_UNKNOWNS], some = {0}, failed = {0};
    UNROLL for (int i = 0; i < n; i++) {
        lanes q = s->q[p->unknown[i]];
        down[i] = p->lower[i] - q, up[i] = p->upper[i] - q;
        fixed[i] = ((down[i] >= 0.0) & (H[i][n] < 0.0)) | ((up[i] <= 0.0) & (H[i][n] > 0.0));
        some |= fixed[i];
        d[i] = all(0.0);
    }
    for (int round = 0; round <= n && any(open); round++) {
        marks more = {0};
        UNROLL for (int i = 0; i < n; i++) {
            UNROLL for (int j = i; j <= n; j++) A[i][j] = H[i][j];
            A[i][i] += damping;
        }
        if (any(some)) {
            for (int k = 0; k < n; k++) take_out(n, A, k, fixed[k], d[k]);
            for (int k = 0; k < n; k++) {
                A[k][k] = pick(fixed[k], all(1.0), A[k][k]);
                A[k][n] = pick(fixed[k], d[k], A[k][n]);
            }
        }
        failed |= solve_lanes(n, A, b) & open;
        UNROLL for (int i = 0; i < n; i++) {
            lanes inside = pick(b[i] < down[i], down[i], pick(b[i] > up[i], up[i], b[i]));
            marks stopped = open & (inside != b[i]);
            d[i] = pick(open, inside, d[i]);
            fixed[i] |= stopped, more |= stopped;
        }
        some |= more, open &= more & ~failed;
    }
    return failed;
}

/* One step of all lanes that descend, which leads `there`; marks those that cannot take one. */
INLINE marks step_lanes(const Problem *p, int n, Herd *herd, lanes *expected)
{
    LaneRow H[MOST_UNKNOWNS];
    lanes d[MOST_UNKNOWNS];
    marks open = ~(herd->idle | herd->fresh);
    normal_lanes(p, n, &herd->here, H);
    marks failed = box_step_lanes(p, n, &herd->here, H, herd->mu * herd->here.E + LEAST_DAMPING, open, d);
    *expected = all(0.0);
    UNROLL for (int i = 0; i < n; i++) {
        lanes Hd = 0.5 * H[i][i] * d[i], q = herd->here.q[p->unknown[i]], *to = herd->there.q + p->unknown[i];
        UNROLL for (int j = 0; j < i; j++) Hd += H[j][i] * d[j];
        *expected += d[i] * (H[i][n] - Hd);
        lanes reached = pick(d[i] == p->lower[i] - q, all(p->lower[i]), q + d[i]);
        *to = pick(open, pick(d[i] == p->upper[i] - q, all(p->upper[i]), reached), *to);
    }
    return failed;
}

/* Goes `there` where that is better, or a start; mu follows as in descend_n. */
INLINE void go_lanes(const Problem *p, int n, Herd *herd, lanes expected)
{
    States *a = &herd->here, *b = &herd->there;
    marks fresh = herd->fresh, better = b->E < a->E, go = fresh | better;
    lanes gain = 2.0 * (a->E - b->E) / expected - 1.0, factor = 1.0 - gain * gain * gain;
    factor = pick(factor > 1.0 / 3.0, factor, all(1.0 / 3.0));
    herd->mu = pick(fresh, all(DAMPING), herd->mu * pick(better, factor, herd->nu));
    herd->nu = pick(go, all(2.0), 2.0 * herd->nu);
    herd->slow = (herd->slow + 1) & ~(fresh | (better & (b->E <= PROGRESS * a->E)));
    herd->steps = (herd->steps + 1) & ~fresh;
    for (int i = 0; i < n; i++) a->q[p->unknown[i]] = pick(go, b->q[p->unknown[i]], a->q[p->unknown[i]]);
    for (int i = 0; i < 6 * p->tips * n; i++) a->J[i] = pick(go, b->J[i], a->J[i]);
    for (int i = 0; i < 6 * p->tips; i++) a->e[i] = pick(go, b->e[i], a->e[i]);
    a->E = pick(go, b->E, a->E), a->position = pick(go, b->position, a->position);
    a->rotation = pick(go, b->rotation, a->rotation);
    herd->fresh = (marks){0};
}

/* The next start of the search in lane l. */
INLINE void start_lane(const Problem *p, Herd *herd, int l)
{
    double q[MOST_COORDINATES];
    next_start(p, &herd->search[l], q);
    for (int i = 0; i < p->nq; i++) herd->there.q[i][l] = q[i];
    herd->fresh[l] = -1;
}

/* The upper rows (tips, 3, 4) of target i. */
static void read_row(const Problem *p, const Rows *rows, int64_t i, double *to)
{
    for (int k = 0; k < p->tips; k++) memcpy(to + 12 * k, rows->T + 16 * (i * p->tips + k), 12 * sizeof(double));
}

static void write_row(const Problem *p, Rows *rows, int64_t i, const Outcome *outcome, const Answer *answer)
{
    int64_t *count = rows->count + 5 * i;
    double *figure = rows->figure + 3 * i;
    count[0] = outcome->status, count[1] = outcome->iterations, count[2] = outcome->restarts;
    count[3] = answer->branch, count[4] = answer->sharp;
    memcpy(rows->q + i * p->nq, answer->q, sizeof(double) * p->nq);
    figure[0] = answer->position, figure[1] = answer->rotation, figure[2] = outcome->seconds;
}

/* The next search for lane l; without one it is idle. */
INLINE void load_lane(const Problem *p, Herd *herd, Rows *rows, int l, State *s)
{
    Search *x = &herd->search[l];
    while (rows->next < rows->n) {
        int64_t i = rows->next++;
        const double *seed = rows->seed + i * p->nq;
        double *T = herd->rows[l];
        read_row(p, rows, i, T);
        if (begin_search(p, x, T, seed, rows->first, seconds_now(), rows->timeout, s)) {
            for (int j = 0; j < 12 * p->tips; j++) herd->target[j][l] = T[j];
            for (int j = 0; j < p->nq; j++) herd->here.q[j][l] = seed[j];
            herd->row[l] = i;
            start_lane(p, herd, l);
            return;
        }
        write_row(p, rows, i, &x->outcome, &x->answer);
    }
    herd->idle[l] = -1;
}

/* Searches for all rows. */
INLINE void search_lanes(const Problem *p, int n, kinematics_code block, Rows *rows, Herd *herd)
{
    static _Thread_local State one, two;
    memset(herd, 0, sizeof *herd);
    for (int l = 0; l < LANES; l++) load_lane(p, herd, rows, l, &one);
    for (int64_t turn = 0; any(~herd->idle); turn++) {
        lanes expected;
        marks failed = step_lanes(p, n, herd, &expected);
        evaluate_lanes(p, n, block, herd->target, &herd->there);
        failed &= ~herd->fresh;
        for (int l = 0; l < LANES; l++)
            if (failed[l]) herd->there.E[l] = INFINITY; /* stays where it is */
        go_lanes(p, n, herd, expected);
        const States *a = &herd->here;
        marks ended = ((a->position <= p->tolerance_position) & (a->rotation <= p->tolerance_rotation)) | failed
                      | (herd->slow >= p->patience) | (herd->steps >= p->most_iterations);
        if (looks(n, turn)) {
            double now = seconds_now();
            for (int l = 0; l < LANES; l++) ended[l] |= -(now > herd->search[l].deadline);
        }
        ended &= ~herd->idle;
        for (int l = 0; any(ended) && l < LANES; l++) {
            Search *x = &herd->search[l];
            if (!ended[l]) continue;
            x->outcome.iterations += herd->steps[l];
            out_of_lane(p, a, l, &one);
            if (take_end(p, n, x, &one, &two)) {
                write_row(p, rows, herd->row[l], &x->outcome, &x->answer);
                load_lane(p, herd, rows, l, &one);
            } else
                start_lane(p, herd, l);
        }
    }
}

USUAL_CPU static void search_usual(const Problem *p, kinematics_code block, Rows *rows, Herd *herd)
{
    BY_SIZE(search_lanes, p, block, rows, herd);
}

/* The same by the CPU at hand: registers that hold no lanes are quicker with one row after the other. */
static void search_rows(const Problem *p, kinematics_code block, Rows *rows, Herd *herd)
{
    if (on_usual_cpu()) {
        search_usual(p, block, rows, herd);
        return;
    }
    for (int64_t i = 0; i < rows->n; i++) {
        read_row(p, rows, i, herd->rows[0]);
        solve(p, herd->rows[0], rows->seed + i * p->nq, rows->first, seconds_now(), rows->timeout, herd->search);
        write_row(p, rows, i, &herd->search->outcome, &herd->search->answer);
    }
}
