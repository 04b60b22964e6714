/* Small symmetric systems, row by row in vector registers. */
#pragma once
#include "_task.h"

/* Rows of n coefficients and the right side, as vectors of four: the compiler maps them to the registers there are. */
typedef double four __attribute__((vector_size(32)));
typedef double four_anywhere __attribute__((vector_size(32), aligned(8)));
typedef float eight __attribute__((vector_size(32)));
typedef float eight_anywhere __attribute__((vector_size(32), aligned(4)));
#define VECTORS(n) (((n) + 4) / 4)
#define MOST_VECTORS VECTORS(MOST_UNKNOWNS)
#define ZERO ((four){0.0, 0.0, 0.0, 0.0})
#define AT(A, i, j) A[i].v[(j) / 4][(j) % 4] /* an element without a detour through memory */
#define UNROLL _Pragma("GCC unroll 8")
typedef struct {
    four v[MOST_VECTORS];
} Row;

/* Solves A x = b by elimination, b in column n; 0 when A is not positive definite. */
INLINE int solve_symmetric(int n, Row *A, double *x)
{
    double inverse[MOST_UNKNOWNS];
    UNROLL for (int k = 0; k < n; k++) {
        if (!(AT(A, k, k) > NO_PIVOT)) return 0;
        inverse[k] = 1.0 / AT(A, k, k);
        UNROLL for (int i = k + 1; i < n; i++) {
            double f = AT(A, k, i) * inverse[k]; /* = A[i][k], by symmetry */
            UNROLL for (int v = k / 4; v < VECTORS(n); v++) A[i].v[v] -= f * A[k].v[v];
        }
    }
    UNROLL for (int k = n - 1; k >= 0; k--) {
        double y = AT(A, k, n);
        UNROLL for (int j = k + 1; j < n; j++) y -= AT(A, k, j) * x[j];
        x[k] = y * inverse[k];
    }
    return 1;
}

/* (H | g) = J'W^2 (J | e). Vectors run over the end of a row of J: what they bring to columns n and on is replaced. */
INLINE void normal_equations(const Problem *p, int n, const State *s, Row *H)
{
    four g[MOST_VECTORS];
    UNROLL for (int v = 0; v < VECTORS(n); v++) g[v] = ZERO;
    UNROLL for (int i = 0; i < n; i++)
        UNROLL for (int v = 0; v < VECTORS(n); v++) H[i].v[v] = ZERO;
    for (int r = 0; r < 6 * p->tips; r++) {
        double w2 = p->weight[r] * p->weight[r];
        const double *J = s->J + r * n;
        if (w2 == 0.0) continue;
        UNROLL for (int v = 0; v < VECTORS(n); v++) {
            four row = w2 * *(const four_anywhere *)(J + 4 * v);
            g[v] += s->e[r] * row;
            UNROLL for (int i = 0; i < n; i++) H[i].v[v] += J[i] * row;
        }
    }
    UNROLL for (int i = 0; i < n; i++) AT(H, i, n) = g[i / 4][i % 4];
}

static void swap(double *a, double *b)
{
    double c = *a;
    *a = *b, *b = c;
}

/* Directions that the task Jacobian at s has, its m rows weighted as the task is: pivots of J'J or JJ', the smaller one, that
 * are not small beside the largest. The largest are taken first: in another order a lost direction can hide behind one that
 * is nearly so. */
static int directions(const Problem *p, int n, const State *s, int m, const int *rows)
{
    double J[MOST_ROWS][MOST_UNKNOWNS], A[MOST_UNKNOWNS][MOST_UNKNOWNS], largest = 0.0;
    int size = m < n ? m : n;
    for (int r = 0; r < m; r++)
        for (int j = 0; j < n; j++) J[r][j] = p->weight[rows[r]] * s->J[rows[r] * n + j];
    for (int a = 0; a < size; a++)
        for (int b = 0; b < size; b++) {
            A[a][b] = 0.0;
            for (int r = 0; m >= n && r < m; r++) A[a][b] += J[r][a] * J[r][b];
            for (int j = 0; m < n && j < n; j++) A[a][b] += J[a][j] * J[b][j];
        }
    for (int k = 0; k < size; k++) {
        int next = k;
        for (int i = k + 1; i < size; i++)
            if (A[i][i] > A[next][next]) next = i;
        for (int j = 0; j < size; j++) swap(&A[k][j], &A[next][j]);
        for (int i = 0; i < size; i++) swap(&A[i][k], &A[i][next]);
        largest = k ? largest : A[0][0];
        if (!(A[k][k] > SINGULAR * SINGULAR * largest)) return k;
        for (int i = k + 1; i < size; i++)
            for (int j = k + 1; j < size; j++) A[i][j] -= A[i][k] / A[k][k] * A[k][j];
    }
    return size;
}

/* Whether the task has lost a direction, of a whole pose by 6 or 7 unknowns: quicker where the pivots in their order tell
 * that none is lost. */
INLINE int singular_pose(const Problem *p, int n, const State *s, const int *rows)
{
    Row A[6];
    double smallest = INFINITY, largest = 0.0;
    UNROLL for (int a = 0; a < 6; a++)
        UNROLL for (int v = 0; v < VECTORS(6); v++) A[a].v[v] = ZERO;
    for (int r = 0; n == 6 && r < 6; r++) {
        const double *J = s->J + rows[r] * n, w = p->weight[rows[r]];
        UNROLL for (int v = 0; v < VECTORS(6); v++) {
            four row = w * w * *(const four_anywhere *)(J + 4 * v);
            UNROLL for (int a = 0; a < 6; a++) A[a].v[v] += J[a] * row;
        }
    }
    for (int j = 0; n > 6 && j < n; j++) {
        double column[6];
        UNROLL for (int a = 0; a < 6; a++) column[a] = p->weight[rows[a]] * s->J[rows[a] * n + j];
        UNROLL for (int a = 0; a < 6; a++)
            UNROLL for (int b = 0; b < 6; b++) AT(A, a, b) += column[a] * column[b];
    }
    UNROLL for (int k = 0; k < 6; k++) {
        double pivot = AT(A, k, k), inverse = 1.0 / pivot;
        if (!(pivot > 0.0)) return directions(p, n, s, 6, rows) < p->rank;
        smallest = pivot < smallest ? pivot : smallest, largest = pivot > largest ? pivot : largest;
        UNROLL for (int i = k + 1; i < 6; i++) {
            double f = AT(A, k, i) * inverse;
            UNROLL for (int v = k / 4; v < VECTORS(6); v++) A[i].v[v] -= f * A[k].v[v];
        }
    }
    return !(smallest > REGULAR * largest) && directions(p, n, s, 6, rows) < p->rank;
}

/* Rows of the Jacobian that count, and their number. */
INLINE int counting_rows(const Problem *p, int *rows)
{
    int m = 0;
    for (int r = 0; r < 6 * p->tips; r++)
        if (p->weight[r] != 0.0) rows[m++] = r;
    return m;
}

/* Whether the task has lost a direction that it usually has. */
INLINE int singular(const Problem *p, int n, const State *s)
{
    int rows[MOST_ROWS], m = counting_rows(p, rows);
    return m == 6 && (n == 6 || n == 7) ? singular_pose(p, n, s, rows) : directions(p, n, s, m, rows) < p->rank;
}
