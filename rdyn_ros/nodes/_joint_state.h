/* The measured state: arrays of rdyn_ros.nodes.joint_states.JointStates, and serialized messages taken into them. */
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>

#define HEAD 4          /* bytes before the fields; alignment counts from there */
#define MOST_JOINTS 128 /* of the robot, and names in a message */

typedef struct {
    const char *data;
    Py_ssize_t size, at;
} Wire;

typedef struct {
    const char *text;
    uint32_t length;
} Name;

typedef struct {
    Py_ssize_t n;
    double *q, *qd, *effort, *arrived;
    const double *fastest; /* most that an estimated velocity may be */
    const double *turn;    /* 2 pi of joints that turn without end, else 0 */
    int64_t *stamps, *clock; /* clock: version, odd while a message is written; stamp of the last */
    unsigned char *has_velocity;
    double timeout;
    double cutoff; /* [Hz] of the low-pass by which velocities that are missing are estimated; 0: they are not */
    Name name[MOST_JOINTS];
    Py_ssize_t known_size; /* names of the last message, as they lay on the wire, and the joints they mean */
    uint32_t known_count;
    char known[8192];
    int joint[MOST_JOINTS];
} State;

static int align(Wire *w, Py_ssize_t to)
{
    w->at = HEAD + (w->at - HEAD + to - 1) / to * to;
    return w->at <= w->size;
}

static int count(Wire *w, uint32_t *value)
{
    if (!align(w, 4) || w->size - w->at < 4) return 0;
    memcpy(value, w->data + w->at, 4);
    w->at += 4;
    return 1;
}

static int skip(Wire *w, Py_ssize_t bytes)
{
    if (bytes < 0 || w->size - w->at < bytes) return 0;
    w->at += bytes;
    return 1;
}

/* Sequence of doubles: its length and where it begins. */
static int doubles(Wire *w, uint32_t *n, const char **values)
{
    if (!count(w, n)) return 0;
    if (*n == 0) return 1;
    if (!align(w, 8)) return 0;
    *values = w->data + w->at;
    return *n <= MOST_JOINTS && skip(w, 8 * (Py_ssize_t)*n);
}

static double number(const char *values, uint32_t i)
{
    double x;
    memcpy(&x, values + 8 * i, 8);
    return x;
}

/* Reads the names and finds the joint of the robot behind each, -1 for others; a joint named twice is odd. */
static int read_names(State *s, Wire *w)
{
    Py_ssize_t start = w->at;
    if (s->known_size && w->size - start >= s->known_size && memcmp(w->data + start, s->known, s->known_size) == 0)
        return skip(w, s->known_size);
    uint32_t n, length;
    unsigned char seen[MOST_JOINTS] = {0};
    s->known_size = 0;
    if (!count(w, &n) || n > MOST_JOINTS) return 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!count(w, &length)) return 0;
        const char *text = w->data + w->at;
        if (length == 0 || !skip(w, length)) return 0;
        s->joint[i] = -1;
        for (int j = 0; j < s->n; j++)
            if (s->name[j].length == length - 1 && memcmp(s->name[j].text, text, length - 1) == 0) {
                if (seen[j]++) return 0;
                s->joint[i] = j;
            }
    }
    s->known_count = n;
    if (w->at - start <= (Py_ssize_t)sizeof s->known) {
        s->known_size = w->at - start;
        memcpy(s->known, w->data + start, s->known_size);
    }
    return 1;
}

/* Velocity of joint j, which is at q now, by low-pass filtered differences as JointStates tells it; whether it can. */
static int difference(const State *s, int j, double q, int64_t stamp, double now, double *qd)
{
    int timed = s->stamps[j] > 0 && stamp > 0;
    double dt = timed ? 1e-9 * (double)(stamp - s->stamps[j]) : now - s->arrived[j];
    int moved = dt > 0.0 && dt < s->timeout, known = s->has_velocity[j] && dt < s->timeout && !(timed && dt < 0.0);
    double way = q - s->q[j], turn = s->turn[j], fastest = s->fastest[j];
    int folded = moved && turn > 0.0 && fabs(way) > 0.5 * turn && (fabs(way) > fastest * dt || isinf(fastest));
    if (folded) way -= turn * rint(way / turn);
    double rate = moved ? way / dt : 0.0, before = known ? s->qd[j] : rate;
    *qd = moved ? before - expm1(-2.0 * M_PI * s->cutoff * dt) * (rate - before) : before;
    int told = (moved || known) && isfinite(*qd);
    *qd = !isfinite(*qd) ? 0.0 : fmax(-fastest, fmin(*qd, fastest));
    return told;
}

/* Takes a message that came at `now` into the state, and tells whether it lacks velocities that are not estimated; 0 when
 * anything about it is unusual. */
static int take(State *s, Wire *w, double now, int64_t *stamp, int *velocity_missing)
{
    int32_t seconds;
    uint32_t nanoseconds, length, n_q, n_qd, n_effort;
    const char *q = NULL, *qd = NULL, *effort = NULL;
    int any = 0, unmeasured = 0;

    if (w->size < HEAD + 8 || w->data[0] != 0 || w->data[1] != 1) return 0; /* little endian only */
    memcpy(&seconds, w->data + HEAD, 4);
    memcpy(&nanoseconds, w->data + HEAD + 4, 4);
    w->at = HEAD + 8;
    if (!count(w, &length) || !skip(w, length) || !align(w, 4) || !read_names(s, w)) return 0;
    if (!doubles(w, &n_q, &q) || !doubles(w, &n_qd, &qd) || !doubles(w, &n_effort, &effort)) return 0;
    *velocity_missing = n_qd == 0 && s->cutoff == 0.0;
    if (n_q != s->known_count || seconds < 0 || nanoseconds >= 1000000000) return 0;
    if ((n_qd != 0 && n_qd != n_q) || (n_effort != 0 && n_effort != n_q)) return 0;
    *stamp = (int64_t)seconds * 1000000000 + nanoseconds;
    for (uint32_t i = 0; i < n_q; i++) {
        int j = s->joint[i];
        if (j < 0) continue;
        any++;
        if (!isfinite(number(q, i)) || (n_qd && !isfinite(number(qd, i)))) return 0;
        if (n_effort && isinf(number(effort, i))) return 0;
        if (n_effort && isnan(number(effort, i))) unmeasured++;
        if (*stamp && *stamp < s->stamps[j] && now - s->arrived[j] < s->timeout) return 0;
    }
    if (!any || (unmeasured && unmeasured < any)) return 0; /* efforts that are nan throughout are usual */
    __atomic_store_n(&s->clock[0], s->clock[0] + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    s->clock[1] = *stamp;
    for (uint32_t i = 0; i < n_q; i++) {
        int j = s->joint[i];
        if (j < 0) continue;
        double told = n_qd ? number(qd, i) : 0.0;
        s->has_velocity[j] = n_qd || (s->cutoff > 0.0 && difference(s, j, number(q, i), *stamp, now, &told));
        s->q[j] = number(q, i);
        s->qd[j] = told;
        s->effort[j] = n_effort ? number(effort, i) : NAN;
        s->stamps[j] = *stamp;
        s->arrived[j] = now;
    }
    __atomic_store_n(&s->clock[0], s->clock[0] + 1, __ATOMIC_RELEASE);
    for (Py_ssize_t j = 0; j < s->n; j++)
        if (now - s->arrived[j] >= s->timeout) return 0;
    return 1;
}

/* Whether the velocities of all joints are known. */
static int all_velocities(const State *s)
{
    return memchr(s->has_velocity, 0, (size_t)s->n) == NULL;
}
