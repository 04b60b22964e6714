/* Small symmetric systems, row by row in vector registers. */
#pragma once
#include "_task.h"

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
