/* The whole search: start after start until one reaches the target. */
#pragma once
#include "_posture.h"
#include "_starts.h"

/* One search under way. Starts in turn: the seed, the known starts from the nearest on, the rest of the sequence. With
 * first > 0 only the sequence from there on; with first < 0 the seed has no say. */
typedef struct {
    const double *target, *seed; /* (tips, 3, 4), (nq) */
    int64_t first, start;        /* start: how many were given up */
    double begin, deadline;      /* [s] */
    int known, rated;            /* whether known starts are left, and rated */
    float far[MOST_KNOWN];
    Outcome outcome;
    Answer answer; /* the solution, or the best miss so far */
} Search;

/* Begins a search whose time counts from `begin` on; 0 when it has ended at once, because the target is out of reach. */
INLINE int begin_search(const Problem *p, Search *x, const double *target, const double *seed, int64_t first, double begin,
                        double timeout, State *s)
{
    x->target = target, x->seed = seed, x->first = first, x->start = 0;
    x->begin = begin, x->deadline = fmax(begin + timeout, seconds_now() + LEAST);
    x->rated = 0, x->known = first <= 0 && p->n_known;
    x->outcome = (Outcome){EXHAUSTED, 0, 0, 0.0};
    x->answer.E = INFINITY, x->answer.branch = x->answer.sharp = 0;
    if (!beyond(p, target, seed)) return 1;
    put_inside(p, target, seed, s);
    memcpy(x->answer.q, s->q, sizeof(double) * p->nq);
    x->answer.position = s->position, x->answer.rotation = s->rotation;
    x->outcome.status = BEYOND;
    return 0;
}

/* Puts the start that is next in turn into q (nq). */
INLINE void next_start(const Problem *p, Search *x, double *q)
{
    memcpy(q, x->seed, sizeof(double) * p->nq);
    if (x->start || x->first) {
        if (x->known && !x->rated) rate_starts(p, x->target, x->far), x->rated = 1;
        if (!(x->known = x->known && nearest_known(p, x->far, q)))
            start(p, x->seed, x->first > 0 ? x->first + x->start : x->start, q);
        if (p->n_slides) into_box(p, q), slide(p, x->target, q);
    }
    into_box(p, q);
}

/* Takes the end of a descent, which may be changed, as `spare`; whether the search has ended with it. */
INLINE int take_end(const Problem *p, int n, Search *x, State *end, State *spare)
{
    int found = good(p, end);
    if (found) {
        if (p->has_posture) end = towards_posture(p, x->target, end, spare, x->deadline);
        x->outcome.status = singular(p, n, end) ? AT_SINGULARITY : CONVERGED;
    }
    x->outcome.restarts = x->start;
    if (found || x->start == 0 || end->E < x->answer.E) { /* E may be infinite */
        memcpy(x->answer.q, end->q, sizeof(double) * p->nq);
        x->answer.E = end->E, x->answer.position = end->position, x->answer.rotation = end->rotation;
    }
    if (!found && seconds_now() > x->deadline) x->outcome.status = TIMEOUT;
    if (x->outcome.status == EXHAUSTED && x->start++ < p->most_restarts) return 0;
    nearest_turns(p, x->seed, x->answer.q);
    onto_walls(p, x->answer.q);
    x->outcome.seconds = seconds_now() - x->begin;
    return 1;
}

/* Solves for `target`; the solution, or the best miss, is left in x->answer. */
INLINE void solve_n(const Problem *p, int n, const double *target, const double *seed, int64_t first, double begin,
                    double timeout, Search *x)
{
    static _Thread_local State one, two;
    State *end;
    if (!begin_search(p, x, target, seed, first, begin, timeout, &one)) return;
    do {
        next_start(p, x, one.q);
        end = descend_n(p, n, target, &one, &two, x->deadline, &x->outcome);
    } while (!take_end(p, n, x, end, end == &one ? &two : &one));
}

USUAL_CPU static void solve_usual(const Problem *p, const double *target, const double *seed, int64_t first, double begin,
                                  double timeout, Search *x)
{
    BY_SIZE(solve_n, p, target, seed, first, begin, timeout, x);
}

/* The same by the CPU at hand. */
static void solve(const Problem *p, const double *target, const double *seed, int64_t first, double begin, double timeout,
                  Search *x)
{
    if (on_usual_cpu())
        solve_usual(p, target, seed, first, begin, timeout, x);
    else
        solve_n(p, p->n, target, seed, first, begin, timeout, x);
}
