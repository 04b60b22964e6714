/* Newton's steps onto a target where a direction is nearly lost: J itself is eliminated, J'J would square what is left. */
#pragma once
#include "_linear.h"

#define EXACT 2e-11 /* [m], [rad] residual that a refined solution keeps under unless the tolerance is smaller, */
#define POLISH 40   /* steps that it may take to there, */
#define SHARP 1e-10 /* [m], [rad] the most that may be left of it */

#define MOST_SQUARE 6  /* unknowns of a task with as many rows */
#define STEPS 20       /* from a start, */
#define IDLE 3         /* of them slow ones in a row */
#define LONGEST 0.5    /* [rad, m] of a step */
#define HALVINGS 4     /* of a step that leads away */
#define CAUTION 1e-2   /* times the cost: damping, so that steps go onto a family first, then along it */
#define NOTHING 1e-14  /* a pivot so small is lost altogether */

/* (J | e) of a square task, eliminated with the largest pivots first. */
typedef struct {
    double A[MOST_SQUARE][MOST_SQUARE + 1];
    int column[MOST_SQUARE]; /* which unknown is where */
} Eliminated;

/* Whether s needs no refinement. */
INLINE int exact(const Problem *p, const State *s)
{
    double most = p->finest < EXACT ? p->finest : EXACT;
    return s->position <= most && s->rotation <= most;
}

/* Whether s is on the target, as far as rounding lets it. */
INLINE int sharp(const State *s, const double *target)
{
    double rounded = SPACING * (fabs(target[3]) + fabs(target[7]) + fabs(target[11]));
    return s->position <= SHARP + rounded && s->rotation <= SHARP;
}

static void eliminate(const Problem *p, const State *s, Eliminated *x)
{
    int rows[MOST_ROWS], n = counting_rows(p, rows);
    for (int i = 0; i < n; i++) {
        double w = p->weight[rows[i]];
        for (int j = 0; j < n; j++) x->A[i][j] = w * s->J[rows[i] * n + j];
        x->A[i][n] = w * s->e[rows[i]], x->column[i] = i;
    }
    for (int k = 0; k < n; k++) {
        int row = k, column = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabs(x->A[i][j]) > fabs(x->A[row][column])) row = i, column = j;
        for (int j = 0; j <= n; j++) swap(&x->A[k][j], &x->A[row][j]);
        for (int i = 0; i < n; i++) swap(&x->A[i][k], &x->A[i][column]);
        int unknown = x->column[k];
        x->column[k] = x->column[column], x->column[column] = unknown;
        for (int i = k + 1; i < n && x->A[k][k] != 0.0; i++) {
            double f = x->A[i][k] / x->A[k][k];
            for (int j = k; j <= n; j++) x->A[i][j] -= f * x->A[k][j];
        }
    }
}

/* Unknowns d of the first `count` columns for the right side times `right`, those of the other columns given; less of them
 * where a pivot is small beside `damping`. */
static void substitute(const Eliminated *x, int n, int count, double right, double damping, double *d)
{
    for (int k = count - 1; k >= 0; k--) {
        double y = right * x->A[k][n], pivot = x->A[k][k], size = pivot * pivot + damping;
        for (int j = k + 1; j < n; j++) y -= x->A[k][j] * d[x->column[j]];
        d[x->column[k]] = size > 0.0 ? y * pivot / size : 0.0;
    }
}

static double largest(int n, const double *d)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(d[i]));
    return most;
}

/* b: a with its unknowns moved by f d. */
static void move(const Problem *p, const double *target, const State *a, double f, const double *d, State *b)
{
    memcpy(b->q, a->q, sizeof(double) * p->nq);
    for (int i = 0; i < p->n; i++) b->q[p->unknown[i]] += f * d[i];
    evaluate(p, target, b);
}

/* Steps from a, which may go a long way along a family of solutions, so they are bounded, and halved where they lead away;
 * the better state is returned. */
static State *sharpened(const Problem *p, const double *target, State *a, State *b)
{
    int slow = 0;
    for (int k = 0; k < STEPS && slow < IDLE && !exact(p, a); k++) {
        Eliminated x;
        double d[MOST_SQUARE];
        eliminate(p, a, &x);
        substitute(&x, p->n, p->n, 1.0, CAUTION * a->E + NOTHING * NOTHING, d);
        double f = fmin(1.0, LONGEST / largest(p->n, d));
        for (int h = 0; h < HALVINGS; h++, f *= 0.5) {
            move(p, target, a, f, d, b);
            if (b->E < a->E) break;
        }
        if (!(b->E < a->E)) break;
        slow = b->E > PROGRESS * a->E ? slow + 1 : 0;
        State *other = a;
        a = b, b = other;
    }
    return a;
}

/* The direction (n) in which s moves the tip least, its largest part 1. */
static void slowest(const Problem *p, const State *s, double *along)
{
    Eliminated x;
    eliminate(p, s, &x);
    along[x.column[p->n - 1]] = 1.0;
    substitute(&x, p->n, p->n - 1, 0.0, 0.0, along);
    double most = largest(p->n, along);
    for (int i = 0; i < p->n; i++) along[i] /= most;
}
