/* What is to be solved, and how far a configuration is from it. */
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define MOST_UNKNOWNS 64
#define MOST_TIPS 8
#define MOST_ROWS (6 * MOST_TIPS) /* below MOST_UNKNOWNS: row systems use the same storage */
#define MOST_COORDINATES 256
#define TURN 6.283185307179586
#define MOST_KNOWN 256      /* starts whose poses are known beforehand */
#define BLOCK 32            /* of them rated at a time, in four registers */
#define DAMPING 0.1         /* first mu */
#define LEAST_DAMPING 1e-12 /* of a search, of J'J whose largest elements are about 1: a lost direction divides by no 0; */
#define REFINING 1e-14      /* of steps from where little is missing, */
#define CORRECTING 1e-10    /* of steps back onto the target, */
#define ALONG 1e-9          /* of steps along solutions and rails, whose lost directions matter least */
#define NO_PIVOT 1e-300     /* less cannot be divided by */
#define NO_SINE 1e-9        /* of an angle: below, x / sin x is 1 */
#define HALF_TURN_COSINE (-0.999) /* below, the sine tells no direction */
#define SLIDING 2           /* rounds in which the slides of a start are put right */
#define PROGRESS 0.75       /* an iteration is slow when E stays above PROGRESS times E before */
#define ROUNDING 1e-11      /* outside a limit by less is inside */
#define SINGULAR 1e-5       /* ratio of speeds that counts as a lost direction */
#define REGULAR 1e-6        /* of pivots: far above SINGULAR^2, and above what rounding makes of a lost direction */
#define SPACING 1e-14       /* of numbers beside their size, with something to spare */
#define MOST_BRANCHES 64
#define MOST_INDICES 4    /* that tell branches apart */
#define LEAST 1e-5        /* [s] that a search gets when its time is spent */

#define INLINE static inline __attribute__((always_inline))

/* What a usual CPU runs is compiled for it, with the number n of unknowns known to the compiler where it is usual; of f(p, n,
 * ...) other CPUs run one version for all n. */
#if defined(__x86_64__)
#define USUAL_CPU __attribute__((target("avx2,fma")))
#define on_usual_cpu() (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#else
#define USUAL_CPU
#define on_usual_cpu() 1
#endif
#define BY_SIZE(f, p, ...)             \
    do {                               \
        if ((p)->n == 6)               \
            f(p, 6, __VA_ARGS__);      \
        else if ((p)->n == 7)          \
            f(p, 7, __VA_ARGS__);      \
        else                           \
            f(p, (p)->n, __VA_ARGS__); \
    } while (0)

typedef int64_t (*kinematics_code)(const double **in, double **out);
typedef int64_t (*rows_code)(const double **in, double **out, int64_t rows);
enum { CONVERGED, AT_SINGULARITY, EXHAUSTED, TIMEOUT, BEYOND, STATUSES }; /* the first two are successes */

typedef struct {
    kinematics_code kinematics; /* q (nq) -> pose (tips, 3, 4), J (tips, 6, n), base axes */
    kinematics_code block;      /* the same of LANES states in lanes; like the formula NULL without a closed form */
    kinematics_code arm_angle;  /* q (nq) -> arm angle; NULL where an arm has none */
    rows_code formula;          /* rows of target (3, 4), arm angle, seed's angles (n), indices -> angles (n) of a branch */
    int nq, n, tips, rows;      /* rows: those that count */
    int n_slides, rank;         /* rank: how many directions the rows usually have */
    int64_t unknown[MOST_UNKNOWNS];   /* coordinate of q */
    unsigned char turns[MOST_UNKNOWNS], slides[MOST_UNKNOWNS];
    double lower[MOST_UNKNOWNS], upper[MOST_UNKNOWNS];
    double spans[MOST_UNKNOWNS];      /* in which, to both sides, starts lie where there is no limit */
    double weight[MOST_ROWS];         /* 0: the row does not count; with an axis rows 3 and 4 are across it, 5 is not used */
    double axis[3 * MOST_TIPS];       /* axis to point, in the tip's frame; 0 0 0: the whole orientation counts */
    double reach[4 * MOST_TIPS];      /* per tip a place in the base and the most its distance can be [m] */
    double tolerance_position, tolerance_rotation, finest; /* [m], [rad], the smaller of the two */
    int64_t most_restarts;
    int patience, most_iterations;    /* slow iterations in a row until a start is given up; all of a start */
    double phi;                       /* of the sequence of starts */
    double posture[MOST_COORDINATES], pull[MOST_UNKNOWNS]; /* where free motion should go, and how strongly; pull 0: not */
    int has_posture;
    int floating;                     /* q begins with a position and a unit quaternion */
    int n_branches, exact_form;       /* of the closed form; whether the arm is of its class but for rounding */
    unsigned char wanted[MOST_BRANCHES], all_wanted;
    double signs[MOST_BRANCHES * MOST_INDICES]; /* indices of the branches, (n_branches, as many as there are) */
    int n_known;                      /* starts whose poses are known, so that the nearest can be tried first */
    const double *known;              /* (n_known, n + 12 tips): unknowns and poses */
    float *factors;                   /* (n_known / BLOCK, 1 + 12 tips, BLOCK): see rate_starts; the first nan: not yet weighed */
} Problem;

typedef struct {
    double q[MOST_COORDINATES];
    double pose[12 * MOST_TIPS], J[MOST_ROWS * MOST_UNKNOWNS + 8], e[MOST_ROWS];
    double E, position, rotation; /* cost; largest residuals over the tips */
} State;

typedef struct {
    double q[MOST_COORDINATES], E, position, rotation;
    int branch, sharp; /* of the closed form; whether it is on the target, not only within the tolerance */
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
    if (c > HALF_TURN_COSINE) {
        double f = s > NO_SINE ? atan2(s, c) / s : 1.0;
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

/* Shortest rotation vector that turns the axis of the tip onto that of the target, and the rows of J (3, n), both along
 * two directions u, v across the axis: turning about the axis itself is free. */
static void pointing_error(const double *Tt, const double *Tc, const double *axis, int n, double *e, double *J)
{
    double a[3], u[3], v[3], size = 0.0, tu = 0.0, tv = 0.0, c = 0.0;
    for (int i = 0; i < 3; i++) a[i] = Tc[4 * i] * axis[0] + Tc[4 * i + 1] * axis[1] + Tc[4 * i + 2] * axis[2];
    int k = fabs(a[0]) < 0.6 ? 0 : 1;
    for (int i = 0; i < 3; i++) u[i] = (k == (i + 2) % 3) * a[(i + 1) % 3] - (k == (i + 1) % 3) * a[(i + 2) % 3];
    for (int i = 0; i < 3; i++) size += u[i] * u[i];
    for (int i = 0; i < 3; i++) u[i] /= sqrt(size);
    for (int i = 0; i < 3; i++) v[i] = a[(i + 1) % 3] * u[(i + 2) % 3] - a[(i + 2) % 3] * u[(i + 1) % 3];
    for (int i = 0; i < 3; i++) {
        double t = Tt[4 * i] * axis[0] + Tt[4 * i + 1] * axis[1] + Tt[4 * i + 2] * axis[2];
        tu += t * u[i], tv += t * v[i], c += t * a[i];
    }
    double s = sqrt(tu * tu + tv * tv), f = s > NO_SINE ? atan2(s, c) / s : 1.0;
    e[0] = -f * tv, e[1] = f * tu, e[2] = 0.0; /* a x t */
    if (s < NO_SINE && c < 0.0) e[0] = 0.5 * TURN, e[1] = 0.0; /* opposite: about u as well as about any other */
    for (int j = 0; j < n; j++) {
        double *x = J + j, *y = x + n, *z = y + n, along_u = u[0] * *x + u[1] * *y + u[2] * *z;
        *y = v[0] * *x + v[1] * *y + v[2] * *z, *x = along_u;
    }
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
        if (w[3] == 0.0 && w[4] == 0.0 && w[5] == 0.0)
            e[3] = e[4] = e[5] = 0.0;
        else if (axis[0] != 0.0 || axis[1] != 0.0 || axis[2] != 0.0)
            pointing_error(Tt, Tc, axis, p->n, e + 3, s->J + (6 * k + 3) * p->n);
        else
            rotation_error(Tt, Tc, e + 3);
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
