/* Levenberg-Marquardt inside a box, restarted from a low-discrepancy sequence.
 *
 * Minimises E = 1/2 |w e(q)|^2, e = (position error [m], rotation vector [rad]) of every tip, lower <= q <= upper.
 * A step solves (H + mu E 1) d = g on the free coordinates, H = J'W^2 J, g = J'W^2 e; coordinates that would leave the
 * box stop at its wall and the others are solved again. mu follows the gain ratio (Nielsen 1999).
 * The twin in Python is levenberg_marquardt.py: same steps, same restarts.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define MOST_UNKNOWNS 64
#define MOST_TIPS 8
#define MOST_ROWS (6 * MOST_TIPS) /* below MOST_UNKNOWNS: row systems use the same storage */
#define MOST_COORDINATES 256
#define TURN 6.283185307179586
#define MOST_KNOWN 64      /* starts whose poses are known beforehand */
#define DAMPING 0.1         /* first mu */
#define PROGRESS 0.75       /* an iteration is slow when E stays above PROGRESS times E before */
#define ROUNDING 1e-11 /* outside a limit by less is inside */
#define SINGULAR 1e-5 /* ratio of speeds that counts as a lost direction */

#define INLINE static inline __attribute__((always_inline))

typedef int64_t (*kinematics_code)(const double **in, double **out);
enum { CONVERGED, EXHAUSTED, TIMEOUT, BEYOND };

typedef struct {
    kinematics_code kinematics; /* q (nq) -> pose (tips, 3, 4), J (tips, 6, n), base axes */
    int nq, n, tips;
    int64_t unknown[MOST_UNKNOWNS];   /* coordinate of q */
    unsigned char turns[MOST_UNKNOWNS];
    double lower[MOST_UNKNOWNS], upper[MOST_UNKNOWNS];
    double weight[MOST_ROWS];
    double axis[3 * MOST_TIPS];       /* axis to point, in the tip's frame; 0 0 0: the whole orientation counts */
    double reach[4 * MOST_TIPS];      /* per tip a centre and the most its distance can be [m] */
    double tolerance_position, tolerance_rotation; /* [m], [rad] */
    double timeout;                   /* [s] */
    int64_t most_restarts;
    int patience, most_iterations;    /* slow iterations in a row until a start is given up; all of a start */
    double phi;                       /* of the sequence of starts */
    double posture[MOST_UNKNOWNS], pull[MOST_UNKNOWNS]; /* where free motion should go, and how strongly; pull 0: not */
    int has_posture;
    int n_known;                      /* starts whose poses are known, so that the nearest can be tried first */
    double *known_q;                  /* (n_known, n) */
    double *known_pose;               /* (tips, 3, 4, n_known), then (n_known): see rate_starts */
} Problem;

typedef struct {
    double q[MOST_COORDINATES];
    double pose[12 * MOST_TIPS], J[MOST_ROWS * MOST_UNKNOWNS], e[MOST_ROWS];
    double E, position, rotation; /* cost; largest residuals over the tips */
} State;

typedef struct {
    double q[MOST_COORDINATES], E, position, rotation;
    int singular;
} Answer;

typedef struct {
    int status;
    int64_t iterations, restarts;
    double seconds;
} Outcome;

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Rotation vector of Rt Rc' in base axes; T: rows of (R | p). */
static void rotation_error(const double *Tt, const double *Tc, double *e)
{
    double M[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            M[i][j] = Tt[4 * i] * Tc[4 * j] + Tt[4 * i + 1] * Tc[4 * j + 1] + Tt[4 * i + 2] * Tc[4 * j + 2];
    double x = 0.5 * (M[2][1] - M[1][2]), y = 0.5 * (M[0][2] - M[2][0]), z = 0.5 * (M[1][0] - M[0][1]);
    double s = sqrt(x * x + y * y + z * z), c = 0.5 * (M[0][0] + M[1][1] + M[2][2] - 1.0);
    if (c > -0.999) {
        double f = s > 1e-9 ? atan2(s, c) / s : 1.0;
        e[0] = f * x, e[1] = f * y, e[2] = f * z;
        return;
    }
    int k = M[0][0] > M[1][1] ? (M[0][0] > M[2][2] ? 0 : 2) : (M[1][1] > M[2][2] ? 1 : 2);
    double a[3] = {M[0][k] + M[k][0], M[1][k] + M[k][1], M[2][k] + M[k][2]}; /* 2 (1 - c) a a_k but for the diagonal */
    a[k] -= 2.0 * c;
    double size = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    double f = atan2(s, c) / (a[0] * x + a[1] * y + a[2] * z < 0.0 ? -size : size);
    e[0] = f * a[0], e[1] = f * a[1], e[2] = f * a[2];
}

/* Shortest rotation vector that turns the axis of the tip onto that of the target; its direction in `along`. */
static void pointing_error(const double *Tt, const double *Tc, const double *axis, double *e, double *along)
{
    double t[3];
    for (int i = 0; i < 3; i++) {
        t[i] = Tt[4 * i] * axis[0] + Tt[4 * i + 1] * axis[1] + Tt[4 * i + 2] * axis[2];
        along[i] = Tc[4 * i] * axis[0] + Tc[4 * i + 1] * axis[1] + Tc[4 * i + 2] * axis[2];
    }
    for (int i = 0; i < 3; i++) e[i] = along[(i + 1) % 3] * t[(i + 2) % 3] - along[(i + 2) % 3] * t[(i + 1) % 3];
    double s = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]), c = along[0] * t[0] + along[1] * t[1] + along[2] * t[2];
    if (s < 1e-9 && c < 0.0) { /* opposite: any axis across */
        int k = fabs(along[0]) < 0.6 ? 0 : 1;
        double u[3] = {k == 0, k == 1, 0.0};
        for (int i = 0; i < 3; i++) e[i] = along[(i + 1) % 3] * u[(i + 2) % 3] - along[(i + 2) % 3] * u[(i + 1) % 3];
        s = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    }
    double f = s > 1e-9 ? atan2(c < 0.0 && s > 1.0 ? 1.0 : s, c) / s : 1.0;
    for (int i = 0; i < 3; i++) e[i] *= f;
}

/* Kinematics, errors and cost at s->q. */
static void evaluate(const Problem *p, const double *target, State *s)
{
    const double *in[1] = {s->q};
    double *out[2] = {s->pose, s->J};
    p->kinematics(in, out);
    s->E = s->position = s->rotation = 0.0;
    for (int k = 0; k < p->tips; k++) {
        const double *Tt = target + 12 * k, *Tc = s->pose + 12 * k, *w = p->weight + 6 * k, *axis = p->axis + 3 * k;
        double *e = s->e + 6 * k, size[2] = {0.0, 0.0};
        for (int i = 0; i < 3; i++) e[i] = Tt[4 * i + 3] - Tc[4 * i + 3];
        if (axis[0] != 0.0 || axis[1] != 0.0 || axis[2] != 0.0) {
            double along[3], *J = s->J + (6 * k + 3) * p->n;
            pointing_error(Tt, Tc, axis, e + 3, along);
            for (int j = 0; j < p->n; j++) { /* turning about the axis itself is free */
                double a = along[0] * J[j] + along[1] * J[p->n + j] + along[2] * J[2 * p->n + j];
                for (int i = 0; i < 3; i++) J[i * p->n + j] -= a * along[i];
            }
        } else if (w[3] != 0.0 || w[4] != 0.0 || w[5] != 0.0)
            rotation_error(Tt, Tc, e + 3);
        else
            e[3] = e[4] = e[5] = 0.0;
        for (int i = 0; i < 6; i++) {
            s->E += 0.5 * w[i] * w[i] * e[i] * e[i];
            if (w[i] != 0.0) size[i / 3] += e[i] * e[i];
        }
        s->position = fmax(s->position, sqrt(size[0]));
        s->rotation = fmax(s->rotation, sqrt(size[1]));
    }
}

static int good(const Problem *p, const State *s)
{
    return s->position <= p->tolerance_position && s->rotation <= p->tolerance_rotation;
}

/* Rows of n coefficients and the right side, as vectors of four: the compiler maps them to the registers there are. */
typedef double four __attribute__((vector_size(32)));
#define VECTORS(n) (((n) + 4) / 4)
#define MOST_VECTORS VECTORS(MOST_UNKNOWNS)
typedef union {
    four v[MOST_VECTORS];
    double x[4 * MOST_VECTORS];
} Row;

/* Solves A x = b by elimination, b in column n; 0 when A is not positive definite. */
INLINE int solve_symmetric(int n, Row *A, double *x)
{
    double inverse[MOST_UNKNOWNS];
    for (int k = 0; k < n; k++) {
        if (!(A[k].x[k] > 1e-300)) return 0;
        inverse[k] = 1.0 / A[k].x[k];
        for (int i = k + 1; i < n; i++) {
            double f = A[k].x[i] * inverse[k]; /* = A[i].x[k], by symmetry */
            for (int v = k / 4; v < VECTORS(n); v++) A[i].v[v] -= f * A[k].v[v];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        x[k] = A[k].x[n];
        for (int j = k + 1; j < n; j++) x[k] -= A[k].x[j] * x[j];
        x[k] *= inverse[k];
    }
    return 1;
}

/* (H | g) = J'W^2 (J | e). */
INLINE void normal_equations(const Problem *p, int n, const State *s, Row *H)
{
    for (int i = 0; i < n; i++)
        for (int v = 0; v < VECTORS(n); v++) H[i].v[v] = (four){0.0, 0.0, 0.0, 0.0};
    for (int r = 0; r < 6 * p->tips; r++) {
        double w2 = p->weight[r] * p->weight[r];
        if (w2 == 0.0) continue;
        Row row;
        row.v[VECTORS(n) - 1] = (four){0.0, 0.0, 0.0, 0.0};
        memcpy(row.x, s->J + r * n, sizeof(double) * n);
        row.x[n] = s->e[r];
        for (int i = 0; i < n; i++) {
            double x = w2 * row.x[i];
            for (int v = 0; v < VECTORS(n); v++) H[i].v[v] += x * row.v[v];
        }
    }
}

/* Step d inside the box: (H + damping 1) d = g on the free coordinates, the others stop at the wall. Fixed ones keep
 * their row with 1 on the diagonal, so the system always has n unknowns. */
INLINE int box_step(const Problem *p, int n, const State *s, const Row *H, double damping, double *d)
{
    Row A[MOST_UNKNOWNS];
    double down[MOST_UNKNOWNS], up[MOST_UNKNOWNS], b[MOST_UNKNOWNS];
    int fixed[MOST_UNKNOWNS], n_fixed = 0;
    for (int i = 0; i < n; i++) {
        double q = s->q[p->unknown[i]], g = H[i].x[n];
        down[i] = p->lower[i] - q, up[i] = p->upper[i] - q;
        fixed[i] = (down[i] >= 0.0 && g < 0.0) || (up[i] <= 0.0 && g > 0.0);
        n_fixed += fixed[i];
        d[i] = 0.0;
    }
    for (int round = 0; round <= n; round++) {
        int before = n_fixed;
        for (int i = 0; i < n; i++) {
            for (int v = 0; v < VECTORS(n); v++) A[i].v[v] = H[i].v[v];
            A[i].x[i] += damping;
        }
        for (int k = 0; n_fixed && k < n; k++) {
            if (!fixed[k]) continue;
            for (int i = 0; i < n; i++) A[i].x[n] -= A[i].x[k] * d[k], A[i].x[k] = 0.0;
            for (int j = 0; j < n; j++) A[k].x[j] = 0.0;
            A[k].x[k] = 1.0;
        }
        for (int k = 0; n_fixed && k < n; k++)
            if (fixed[k]) A[k].x[n] = d[k];
        if (!solve_symmetric(n, A, b)) return 0;
        for (int i = 0; i < n; i++) {
            d[i] = b[i] < down[i] ? down[i] : b[i] > up[i] ? up[i] : b[i];
            if (d[i] != b[i]) fixed[i] = 1, n_fixed++;
        }
        if (n_fixed == before) break;
    }
    return 1;
}

/* Descends from a->q; the end lies in the returned state (a or b). Stops when good, stuck, or after the deadline. */
INLINE State *descend_n(const Problem *p, int n, const double *target, State *a, State *b, double deadline,
                        Outcome *outcome)
{
    Row H[MOST_UNKNOWNS];
    double d[MOST_UNKNOWNS], mu = DAMPING, nu = 2.0;
    int slow = 0, fresh = 1;
    evaluate(p, target, a);
    for (int k = 0; k < p->most_iterations && !good(p, a) && slow < p->patience; k++) {
        outcome->iterations++;
        if (k % 4 == 0 && seconds_now() > deadline) break; /* four iterations take some 2 µs */
        if (fresh) normal_equations(p, n, a, H);
        double damping = mu * a->E + 1e-12;
        if (!box_step(p, n, a, H, damping, d)) break;
        memcpy(b->q, a->q, sizeof(double) * p->nq);
        double expected = 0.0; /* what the quadratic model promises, g'd - d'Hd / 2 */
        for (int i = 0; i < n; i++) {
            double Hd = 0.5 * H[i].x[i] * d[i];
            for (int j = 0; j < i; j++) Hd += H[i].x[j] * d[j];
            expected += d[i] * (H[i].x[n] - Hd);
            b->q[p->unknown[i]] += d[i];
            if (d[i] == p->lower[i] - a->q[p->unknown[i]]) b->q[p->unknown[i]] = p->lower[i];
            if (d[i] == p->upper[i] - a->q[p->unknown[i]]) b->q[p->unknown[i]] = p->upper[i];
        }
        evaluate(p, target, b);
        fresh = b->E < a->E;
        if (!fresh) {
            mu *= nu, nu *= 2.0, slow++;
            continue;
        }
        double gain = 2.0 * (a->E - b->E) / expected - 1.0;
        mu *= fmax(1.0 / 3.0, 1.0 - gain * gain * gain), nu = 2.0;
        slow = b->E > PROGRESS * a->E ? slow + 1 : 0;
        State *swap = a;
        a = b, b = swap;
    }
    return a;
}

/* The same with the number of unknowns known to the compiler where it is usual. */
INLINE State *descend(const Problem *p, const double *target, State *a, State *b, double deadline, Outcome *outcome)
{
    if (p->n == 6) return descend_n(p, 6, target, a, b, deadline, outcome);
    if (p->n == 7) return descend_n(p, 7, target, a, b, deadline, outcome);
    return descend_n(p, p->n, target, a, b, deadline, outcome);
}

/* Start r of the sequence: x_i = frac(1/2 + r / phi^i), phi^(n+1) = phi + 1 (Roberts' additive recurrence). */
static void start(const Problem *p, const double *seed, int64_t r, double *q)
{
    double power = 1.0;
    for (int i = 0; i < p->n; i++) {
        double x = 0.5 + (double)r / (power *= p->phi), *at = q + p->unknown[i], low = p->lower[i], high = p->upper[i];
        double half = p->turns[i] ? 0.5 * TURN : 1.0;
        if (!isfinite(low)) low = isfinite(high) ? high - 2.0 * half : seed[p->unknown[i]] - half;
        if (!isfinite(high)) high = low + 2.0 * half;
        *at = low + (x - floor(x)) * (high - low);
    }
}

/* Every turning joint by whole turns next to the seed, inside the box or as little outside as turns allow. */
static void nearest_turns(const Problem *p, const double *seed, double *q)
{
    for (int i = 0; i < p->n; i++) {
        if (!p->turns[i]) continue;
        double *at = q + p->unknown[i], x = *at, away = seed[p->unknown[i]] - x;
        if (fabs(away) > 0.5 * TURN) x += TURN * round(away / TURN);
        if (x < p->lower[i] - ROUNDING) x += TURN * ceil((p->lower[i] - ROUNDING - x) / TURN);
        if (x > p->upper[i] + ROUNDING) x -= TURN * ceil((x - p->upper[i] - ROUNDING) / TURN);
        if (x < p->lower[i] && p->lower[i] - x > x + TURN - p->upper[i]) x += TURN;
        *at = x;
    }
}

/* Joints that rounding left outside the box go to its wall. */
static void onto_walls(const Problem *p, double *q)
{
    for (int i = 0; i < p->n; i++) {
        double *at = q + p->unknown[i];
        if (*at < p->lower[i] && *at > p->lower[i] - ROUNDING) *at = p->lower[i];
        if (*at > p->upper[i] && *at < p->upper[i] + ROUNDING) *at = p->upper[i];
    }
}

static void into_box(const Problem *p, double *q)
{
    for (int i = 0; i < p->n; i++) q[p->unknown[i]] = fmin(fmax(q[p->unknown[i]], p->lower[i]), p->upper[i]);
}

/* Whether the task Jacobian at s has lost a direction: smallest against largest pivot of J'J or JJ', the smaller one. */
INLINE int singular_n(const State *s, int n, int m, const int *rows)
{
    Row A[MOST_UNKNOWNS];
    double smallest = INFINITY, largest = 0.0;
    int size = m < n ? m : n;
    for (int a = 0; a < size; a++)
        for (int v = 0; v < VECTORS(size); v++) A[a].v[v] = (four){0.0, 0.0, 0.0, 0.0};
    for (int a = 0; m < n && a < m; a++)
        for (int b = 0; b < m; b++)
            for (int j = 0; j < n; j++) A[a].x[b] += s->J[rows[a] * n + j] * s->J[rows[b] * n + j];
    for (int r = 0; m >= n && r < m; r++) {
        Row row;
        row.v[VECTORS(n) - 1] = (four){0.0, 0.0, 0.0, 0.0};
        memcpy(row.x, s->J + rows[r] * n, sizeof(double) * n);
        for (int a = 0; a < n; a++)
            for (int v = 0; v < VECTORS(n); v++) A[a].v[v] += row.x[a] * row.v[v];
    }
    for (int k = 0; k < size; k++) {
        double pivot = A[k].x[k];
        if (!(pivot > 0.0)) return 1;
        smallest = pivot < smallest ? pivot : smallest, largest = pivot > largest ? pivot : largest;
        for (int i = k + 1; i < size; i++) {
            double f = A[k].x[i] / pivot;
            for (int v = 0; v < VECTORS(size); v++) A[i].v[v] -= f * A[k].v[v];
        }
    }
    return smallest < SINGULAR * SINGULAR * largest;
}

INLINE int singular(const Problem *p, const State *s)
{
    int rows[MOST_ROWS], m = 0;
    for (int r = 0; r < 6 * p->tips; r++)
        if (p->weight[r] != 0.0) rows[m++] = r;
    if (m == 6 && p->n == 6) return singular_n(s, 6, 6, rows);
    if (m == 6 && p->n == 7) return singular_n(s, 7, 6, rows);
    return singular_n(s, p->n, m, rows);
}

/* Slides from the good state a along the solutions towards the posture: d = pull (posture - q) made square to the task,
 * plus the correction J'(JJ')^-1 e, as long as the result stays good. Returns the last good state. */
static State *towards_posture(const Problem *p, const double *target, State *a, State *b, double deadline)
{
    double stretch = 1.0;
    for (int k = 0; k < 200 && stretch > 1e-3 && seconds_now() < deadline; k++) {
        Row A[MOST_ROWS];
        double y[MOST_ROWS], d[MOST_UNKNOWNS], moved = 0.0;
        int n = p->n, rows[MOST_ROWS], m = 0;
        for (int i = 0; i < n; i++) d[i] = stretch * p->pull[i] * (p->posture[i] - a->q[p->unknown[i]]);
        for (int r = 0; r < 6 * p->tips; r++)
            if (p->weight[r] != 0.0) rows[m++] = r;
        for (int r = 0; r < m; r++) {
            const double *J = a->J + rows[r] * n;
            for (int v = 0; v < VECTORS(m); v++) A[r].v[v] = (four){0.0, 0.0, 0.0, 0.0};
            for (int c = 0; c < m; c++)
                for (int j = 0; j < n; j++) A[r].x[c] += J[j] * a->J[rows[c] * n + j];
            A[r].x[r] += 1e-9;
            A[r].x[m] = a->e[rows[r]];
            for (int j = 0; j < n; j++) A[r].x[m] -= J[j] * d[j];
        }
        if (!solve_symmetric(m, A, y)) break;
        for (int r = 0; r < m; r++)
            for (int j = 0; j < n; j++) d[j] += a->J[rows[r] * n + j] * y[r];
        memcpy(b->q, a->q, sizeof(double) * p->nq);
        for (int i = 0; i < n; i++) {
            double *q = b->q + p->unknown[i], before = *q;
            *q = fmin(fmax(*q + d[i], p->lower[i]), p->upper[i]);
            moved = fmax(moved, fabs(*q - before));
        }
        evaluate(p, target, b);
        for (int k2 = 0; k2 < 3 && !good(p, b); k2++) { /* back onto the solutions */
            Row H[MOST_UNKNOWNS];
            double step[MOST_UNKNOWNS];
            normal_equations(p, n, b, H);
            if (!box_step(p, n, b, H, 1e-10, step)) break;
            for (int i = 0; i < n; i++) b->q[p->unknown[i]] += step[i];
            evaluate(p, target, b);
        }
        double gain = 0.0;
        for (int i = 0; i < n; i++) {
            double old = a->q[p->unknown[i]] - p->posture[i], new = b->q[p->unknown[i]] - p->posture[i];
            gain += p->pull[i] * (old * old - new * new);
        }
        if (!good(p, b) || gain <= 0.0) {
            stretch *= 0.5;
            continue;
        }
        State *swap = a;
        a = b, b = swap;
        if (gain < 1e-12 || moved < 1e-9) break;
    }
    return a;
}

/* Whether some target lies outside the sphere that its tip cannot leave. */
static int beyond(const Problem *p, const double *target)
{
    for (int k = 0; k < p->tips; k++) {
        const double *c = p->reach + 4 * k, *T = target + 12 * k;
        double x = T[3] - c[0], y = T[7] - c[1], z = T[11] - c[2];
        if (sqrt(x * x + y * y + z * z) > c[3] + p->tolerance_position) return 1;
    }
    return 0;
}

/* How far each known start is from the target, up to a constant: |w (p - pt)|^2 + |w (R - Rt)|^2 / 2 multiplied out, so
 * that it is linear in the target: the factors of its numbers are known_pose, the rest comes last there. */
INLINE void rate_starts(const Problem *p, const double *target, double *far)
{
    typedef double four_anywhere __attribute__((vector_size(32), aligned(8)));
    const double *constant = p->known_pose + 12 * p->tips * MOST_KNOWN;
    for (int k = 0; k < MOST_KNOWN; k += 16) { /* four registers at a time */
        four sum[4];
        for (int v = 0; v < 4; v++) sum[v] = *(const four_anywhere *)(constant + k + 4 * v);
        for (int i = 0; i < 12 * p->tips; i++)
            for (int v = 0; v < 4; v++)
                sum[v] += target[i] * *(const four_anywhere *)(p->known_pose + i * MOST_KNOWN + k + 4 * v);
        for (int v = 0; v < 4; v++) *(four_anywhere *)(far + k + 4 * v) = sum[v];
    }
}

/* The first starts of the sequence and their poses, for `rate_starts`; rest (nq): the other coordinates. */
static void learn_starts(Problem *p, const double *rest, State *s)
{
    double *constant = p->known_pose + 12 * p->tips * MOST_KNOWN;
    for (int k = 0; k < p->n_known; k++) {
        const double *in[1] = {s->q};
        double *out[2] = {s->pose, s->J};
        memcpy(s->q, rest, sizeof(double) * p->nq);
        start(p, rest, k, s->q);
        into_box(p, s->q);
        for (int i = 0; i < p->n; i++) p->known_q[k * p->n + i] = s->q[p->unknown[i]];
        p->kinematics(in, out);
        constant[k] = 0.0;
        for (int i = 0; i < 12 * p->tips; i++) {
            const double *w = p->weight + 6 * (i / 12) + (i % 4 == 3 ? 0 : 3);
            double w2 = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) / 3.0, x = s->pose[i];
            p->known_pose[i * MOST_KNOWN + k] = i % 4 == 3 ? -2.0 * w2 * x : -w2 * x;
            if (i % 4 == 3) constant[k] += w2 * x * x;
        }
    }
}

/* Puts the known start nearest to the target into q and strikes it off the list; 0 when none is left. */
INLINE int nearest_known(const Problem *p, double *far, double *q)
{
    double least[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    for (int k = 0; k < MOST_KNOWN; k += 4)
        for (int v = 0; v < 4; v++) least[v] = far[k + v] < least[v] ? far[k + v] : least[v];
    double best = fmin(fmin(least[0], least[1]), fmin(least[2], least[3]));
    if (best == INFINITY) return 0;
    int k = 0;
    while (far[k] != best) k++;
    far[k] = INFINITY;
    for (int i = 0; i < p->n; i++) q[p->unknown[i]] = p->known_q[k * p->n + i];
    return 1;
}

/* Solves for `target` (tips, 3, 4); the answer, or the best miss, is left in *answer. Starts in turn: the seed (nq), the
 * known starts from the nearest on, the rest of the sequence. With first > 0 only the sequence from there on; with
 * first < 0 the seed has no say. */
INLINE Outcome solve_any(const Problem *p, const double *target, const double *seed, int64_t first, Answer *answer)
{
    static _Thread_local State one, two;
    double begin = seconds_now(), deadline = begin + p->timeout, far[MOST_KNOWN];
    Outcome outcome = {EXHAUSTED, 0, 0, 0.0};
    answer->E = INFINITY;
    if (beyond(p, target)) {
        memcpy(answer->q, seed, sizeof(double) * p->nq);
        answer->position = answer->rotation = INFINITY;
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
        if (good(p, end)) {
            outcome.status = CONVERGED;
            if (p->has_posture) end = towards_posture(p, target, end, end == &one ? &two : &one, deadline);
            answer->singular = singular(p, end);
        }
        if (end->E < answer->E || outcome.status == CONVERGED) {
            memcpy(answer->q, end->q, sizeof(double) * p->nq);
            answer->E = end->E, answer->position = end->position, answer->rotation = end->rotation;
        }
        if (outcome.status == CONVERGED) break;
        if (seconds_now() > deadline) {
            outcome.status = TIMEOUT;
            break;
        }
    }
    if (!p->has_posture) nearest_turns(p, seed, answer->q);
    onto_walls(p, answer->q);
    outcome.seconds = seconds_now() - begin;
    return outcome;
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static Outcome solve_avx2(const Problem *p, const double *target, const double *seed,
                                                              int64_t first, Answer *answer)
{
    return solve_any(p, target, seed, first, answer);
}
#endif

/* The same for the CPU at hand. */
static Outcome solve(const Problem *p, const double *target, const double *seed, int64_t first, Answer *answer)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return solve_avx2(p, target, seed, first, answer);
#endif
    return solve_any(p, target, seed, first, answer);
}
