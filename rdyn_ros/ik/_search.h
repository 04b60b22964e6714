/* The whole search: start after start until one reaches the target. */
#pragma once
#include "_posture.h"
#include "_starts.h"

/* Solves for `target` (tips, 3, 4); the answer, or the best miss, is left in *answer. Starts in turn: the seed (nq), the
 * known starts from the nearest on, the rest of the sequence. With first > 0 only the sequence from there on; with
 * first < 0 the seed has no say. */
INLINE Outcome solve_any(const Problem *p, const double *target, const double *seed, int64_t first, double timeout,
                         Answer *answer)
{
    static _Thread_local State one, two;
    double begin = seconds_now(), deadline = begin + timeout;
    float far[MOST_KNOWN];
    Outcome outcome = {EXHAUSTED, 0, 0, 0.0};
    answer->E = INFINITY;
    if (beyond(p, target)) {
        memcpy(one.q, seed, sizeof(double) * p->nq);
        into_box(p, one.q);
        evaluate(p, target, &one);
        memcpy(answer->q, one.q, sizeof(double) * p->nq);
        answer->position = one.position, answer->rotation = one.rotation;
        outcome.status = BEYOND;
        return outcome;
    }
    int rated = 0, known = first <= 0 && p->n_known;
    for (int64_t r = 0; r <= p->most_restarts; r++) {
        memcpy(one.q, seed, sizeof(double) * p->nq);
        if (r || first) {
            if (known && !rated) rate_starts(p, target, far), rated = 1;
            if (!(known = known && nearest_known(p, far, one.q))) start(p, seed, first > 0 ? first + r : r, one.q);
        }
        into_box(p, one.q);
        outcome.restarts = r;
        State *end = descend(p, target, &one, &two, deadline, &outcome);
        int found = good(p, end);
        if (found) {
            if (p->has_posture) {
                nearest_turns(p, seed, end->q);
                end = towards_posture(p, target, end, end == &one ? &two : &one, deadline);
            }
            outcome.status = singular(p, end) ? AT_SINGULARITY : CONVERGED;
        }
        if (found || r == 0 || end->E < answer->E) { /* E may be infinite */
            memcpy(answer->q, end->q, sizeof(double) * p->nq);
            answer->E = end->E, answer->position = end->position, answer->rotation = end->rotation;
        }
        if (found) break;
        if (seconds_now() > deadline) {
            outcome.status = TIMEOUT;
            break;
        }
    }
    nearest_turns(p, seed, answer->q);
    onto_walls(p, answer->q);
    outcome.seconds = seconds_now() - begin;
    return outcome;
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static Outcome solve_avx2(const Problem *p, const double *target, const double *seed,
                                                              int64_t first, double timeout, Answer *answer)
{
    return solve_any(p, target, seed, first, timeout, answer);
}
#endif

/* The same for the CPU at hand. */
static Outcome solve(const Problem *p, const double *target, const double *seed, int64_t first, double timeout,
                     Answer *answer)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return solve_avx2(p, target, seed, first, timeout, answer);
#endif
    return solve_any(p, target, seed, first, timeout, answer);
}
