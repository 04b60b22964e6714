/* All branches of a closed form: computed, put on the nearest turn, refined on the true model, sorted. */
typedef struct {
    double q[MOST_COORDINATES];
    double position, rotation; /* residuals [m], [rad] */
    double excess;             /* by how much the worst joint is outside its limits; 0 inside */
    double distance;           /* to the seed */
    int branch, singular;
} Branch;

#define MOST_BRANCHES 64

/* Residual that a refined solution keeps under, and the steps it may take. */
#define EXACT 1e-11
#define POLISH 4

static void polish(const Problem *p, const double *target, State *s)
{
    double H[MOST_UNKNOWNS][STRIDE], d[MOST_UNKNOWNS];
    Problem open = *p;
    for (int i = 0; i < p->n; i++) open.lower[i] = -INFINITY, open.upper[i] = INFINITY;
    for (int k = 0; k < POLISH && (s->position > EXACT || s->rotation > EXACT); k++) {
        normal_equations(p, p->n, s, H);
        if (!box_step(&open, p->n, s, H, 1e-14, d)) return;
        double before = s->E;
        State trial = *s;
        for (int i = 0; i < p->n; i++) trial.q[p->unknown[i]] += d[i];
        evaluate(p, target, &trial);
        if (!(trial.E < before)) return;
        *s = trial;
    }
}

static int same(const Problem *p, const double *a, const double *b)
{
    for (int i = 0; i < p->n; i++) {
        double x = a[p->unknown[i]] - b[p->unknown[i]];
        if (p->turns[i]) x -= TURN * round(x / TURN);
        if (fabs(x) > 1e-6) return 0;
    }
    return 1;
}

/* Whether branch a ranks before b: inside the limits first, then by distance to the seed. */
static int before(const Branch *a, const Branch *b)
{
    if ((a->excess > 0.0) != (b->excess > 0.0)) return b->excess > 0.0;
    return a->distance < b->distance;
}

/* Fills `found` with the branches whose pose is the target's, best first; returns their number. *miss gets the
 * residuals of the nearest of the others. */
static int branches(const Problem *p, kinematics_code formula, int count, const double *target, const double *psi,
                    const double *seed, Branch *found, double miss[2])
{
    static _Thread_local State s;
    double angles[MOST_BRANCHES * MOST_UNKNOWNS];
    const double *in[2] = {target, psi};
    double *out[1] = {angles};
    int n_found = 0;
    formula(in, out);
    miss[0] = miss[1] = INFINITY;
    for (int b = 0; b < count; b++) {
        const double *x = angles + b * p->n;
        int possible = 1;
        for (int i = 0; i < p->n; i++) possible &= isfinite(x[i]) != 0;
        if (!possible) continue;
        memcpy(s.q, seed, sizeof(double) * p->nq);
        for (int i = 0; i < p->n; i++) s.q[p->unknown[i]] = x[i];
        evaluate(p, target, &s);
        if (s.position < 1e-3 && s.rotation < 1e-3) polish(p, target, &s);
        if (!good(p, &s)) {
            if (s.position + s.rotation < miss[0] + miss[1]) miss[0] = s.position, miss[1] = s.rotation;
            continue;
        }
        Branch new = {.position = s.position, .rotation = s.rotation, .branch = b, .singular = singular(p, &s)};
        nearest_turns(p, seed, s.q);
        onto_walls(p, s.q);
        memcpy(new.q, s.q, sizeof(double) * p->nq);
        for (int i = 0; i < p->n; i++) {
            double q = new.q[p->unknown[i]], d = q - seed[p->unknown[i]];
            new.excess = fmax(new.excess, fmax(p->lower[i] - q, q - p->upper[i]));
            new.distance += d * d;
        }
        int k = 0, known = 0;
        for (int j = 0; j < n_found; j++) known |= same(p, found[j].q, new.q);
        if (known) continue;
        for (k = n_found++; k > 0 && before(&new, found + k - 1); k--) found[k] = found[k - 1];
        found[k] = new;
    }
    return n_found;
}
