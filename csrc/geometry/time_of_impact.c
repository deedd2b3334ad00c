// csrc/geometry/time_of_impact.c - the first fraction of a step at which two moving cores come within a target
// distance.
//
// Idea: take the closest axis at the present fraction and keep it fixed in the world. The gap of a vertex of B over a
// vertex of A along it is a line (the centres) plus two sinusoids (the rotations), of which we know value and rate now
// and, for all time, the greatest amplitude (the vertex's distance from its centre of mass) and so the greatest
// curvature. Two lower bounds follow:
//   curve:  gap + rate t - curvature t^2 / 2    tight near contact, it converges like Newton's method;
//   circle: the line less both amplitudes       tight far away; a wheel spinning above the ground is clear at once.
// We advance to the fraction where the later of the two reaches the target, for the pair of vertices for which that is
// earliest. Each advance is proven free of contact, so ending anywhere is safe, even when the rounds are used up: the
// fraction of FAILED is still before the impact. A hit is reported from a quarter slop before the target; shapes that
// start that near hit at fraction 0, even when they separate.
#include "geometry/gjk.h"

#define MAX_ROUNDS 128

typedef struct mover {
    const b2d_proxy* proxy;
    const b2d_sweep* sweep;
    double reach[8];               // distance of each vertex from the centre of mass
    double vx, vy, angle;          // motion over the whole step
    b2d_point64 points[8], center; // at the present fraction
} mover;

static void mover_make(mover* m, const b2d_proxy* proxy, const b2d_sweep* sweep) {
    m->proxy = proxy, m->sweep = sweep, m->angle = sweep->angle;
    m->vx = (double)sweep->c2.x - sweep->c1.x;
    m->vy = (double)sweep->c2.y - sweep->c1.y;
}

static void mover_measure(mover* m) { // needed only from the first advance on
    for (int32_t i = 0; i < m->proxy->count; i++) {
        b2d_vec2 point = m->proxy->points[i], center = m->sweep->local_center;
        double x = (double)point.x - center.x, y = (double)point.y - center.y;
        m->reach[i] = sqrt(x * x + y * y);
    }
}

static void mover_go(mover* m, double fraction) {
    b2d_transform t = b2d_sweep_at(m->sweep, (float)fraction);
    b2d_gjk_place(m->proxy, t, m->points);
    b2d_vec2 center = m->sweep->local_center;
    m->center.x = t.p.x + ((double)t.q.c * center.x - (double)t.q.s * center.y);
    m->center.y = t.p.y + ((double)t.q.s * center.x + (double)t.q.c * center.y);
}

typedef struct along_axis {
    double height[8], rate[8], center, speed;
} along_axis; // of a mover's vertices

static along_axis project(const mover* m, b2d_point64 n) {
    along_axis p;
    p.center = n.x * m->center.x + n.y * m->center.y;
    p.speed = n.x * m->vx + n.y * m->vy;
    for (int32_t i = 0; i < m->proxy->count; i++) {
        double x = m->points[i].x - m->center.x, y = m->points[i].y - m->center.y;
        p.height[i] = n.x * x + n.y * y;
        p.rate[i] = m->angle * (n.y * x - n.x * y); // n . (angle cross r)
    }
    return p;
}

// How far the axis proves freedom from contact: the least `t` at which some pair of vertices may reach the target;
// `most` if none may.
static double proven_span(const mover* a, const mover* b, b2d_point64 n, double target, double most) {
    along_axis pa = project(a, n), pb = project(b, n);
    double wa = a->angle * a->angle, wb = b->angle * b->angle;
    double line = pb.center - pa.center - target, speed = pb.speed - pa.speed, span = most;
    for (int32_t i = 0; i < a->proxy->count; i++) {
        for (int32_t j = 0; j < b->proxy->count; j++) {
            double gap = line + pb.height[j] - pa.height[i], rate = speed + pb.rate[j] - pa.rate[i];
            double curvature = wa * a->reach[i] + wb * b->reach[j];
            if (gap + span * (rate - 0.5 * curvature * span) >= 0.0)
                continue;                                   // the curve is concave, hence positive in between as well
            double room = line - a->reach[i] - b->reach[j]; // the circle bound
            if (room + span * speed >= 0.0 && room >= 0.0) continue;
            double root = sqrt(rate * rate + 2.0 * curvature * gap);
            double curve = rate > 0.0 ? (rate + root) / curvature : 2.0 * gap / (root - rate);
            double circle = room > 0.0 ? room / -speed : 0.0;
            double t = curve > circle ? curve : circle;
            if (t < span) span = t;
        }
    }
    return span;
}

b2d_transform b2d_sweep_at(const b2d_sweep* sweep, float fraction) {
    double angle = (double)sweep->angle * fraction;
    b2d_rot turn = angle == 0.0 ? (b2d_rot){1.0f, 0.0f} : b2d_make_rot(angle);
    b2d_rot q = b2d_rot_normalize(b2d_rot_multiply(sweep->q1, turn));
    b2d_vec2 c = b2d_lerp(sweep->c1, sweep->c2, fraction);
    return (b2d_transform){b2d_sub(c, b2d_rotate(q, sweep->local_center)), q};
}

b2d_toi b2d_time_of_impact(const b2d_proxy* a, const b2d_sweep* sweep_a, const b2d_proxy* b, const b2d_sweep* sweep_b,
                           float max_fraction, float linear_slop) {
    double radii = (double)a->radius + b->radius, slop = linear_slop;
    double target = radii > slop ? radii - 0.5 * slop : 0.5 * slop, tolerance = 0.25 * slop;
    mover ma, mb;
    mover_make(&ma, a, sweep_a);
    mover_make(&mb, b, sweep_b);
    b2d_toi out = {.state = B2D_TOI_FAILED, .fraction = 0.0f};
    double fraction = 0.0;
    for (out.iterations = 1; out.iterations <= MAX_ROUNDS; out.iterations++) {
        mover_go(&ma, fraction);
        mover_go(&mb, fraction);
        b2d_gjk g = b2d_gjk_solve(ma.points, a->count, mb.points, b->count);
        out.fraction = (float)fraction;
        out.normal = b2d_v((float)g.normal.x, (float)g.normal.y);
        double middle = 0.5 * (g.distance + a->radius - b->radius); // between the surfaces, from a's core
        out.point = b2d_v((float)(g.a.x + middle * g.normal.x), (float)(g.a.y + middle * g.normal.y));
        if (g.distance <= target + tolerance) {
            out.state = g.distance > 0.0 ? B2D_TOI_HIT : B2D_TOI_OVERLAPPED;
            return out;
        }
        if (out.iterations == 1) mover_measure(&ma), mover_measure(&mb);
        double span = proven_span(&ma, &mb, g.normal, target, max_fraction - fraction);
        if (fraction + span >= max_fraction) {
            out.state = B2D_TOI_SEPARATED;
            out.fraction = max_fraction;
            return out;
        }
        fraction += span;
    }
    return out;
}
