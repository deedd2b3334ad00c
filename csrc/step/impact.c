// csrc/step/impact.c - the time of impact of a swept shape with another shape, for the continuous stage.
//
// Resting and sliding contacts must not stop a body: a sweep that starts within the target distance uses a small core
// about the centroid of the shape instead, which cannot rest on anything. Cheap tests in the frame of the other shape
// find most sliding bodies without computing a time of impact.
#include "step/impact.h"

#include "objects/contact.h"
#include "objects/one_way.h"

void b2d_traveller_make(const b2d_world* world, int32_t shape, const b2d_sweep* sweep, b2d_transform begin,
                        b2d_transform end, b2d_traveller* t) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    t->sweep = sweep, t->begin = begin, t->end = end, t->shape = shape, t->pressed = false;
    t->core = b2d_shape_proxy(hot, b2d_world_second(world, hot));
    t->center = b2d_v(hot->center_x, hot->center_y);
    t->center_from = b2d_transform_point(begin, t->center);
    for (int32_t k = 0; k < t->core.count; k++) {
        t->from[k] = b2d_transform_point(begin, t->core.points[k]);
        t->to[k] = b2d_transform_point(end, t->core.points[k]);
    }
    b2d_proxy middle = {.points = {t->center}, .count = 1};
    b2d_point64 place[8];
    b2d_gjk_place(&t->core, begin, t->points);
    b2d_gjk_place(&middle, begin, place), t->first = place[0];
    b2d_gjk_place(&middle, end, place), t->last = place[0];
    // The sagitta of an arc with this angle
    t->bend = 0.125f * sweep->angle * sweep->angle * b2d_length(b2d_sub(t->center, sweep->local_center));
}

// A chain segment does not stop a shape that starts behind it, nor a shape that ends in front of it or less deep than
// contacts resolve.
static bool lets_pass(const b2d_shape_hot* segment, const b2d_way* way, const b2d_traveller* fast, float slop) {
    b2d_vec2 normal = {segment->hull.nx[0], segment->hull.ny[0]};
    float front = segment->hull.offset[0];
    if (b2d_dot(normal, b2d_transform_invert(way->begin, fast->center_from)) < front) return true;
    for (int32_t k = 0; k < fast->core.count; k++)
        if (b2d_dot(normal, b2d_transform_invert(way->end, fast->to[k])) - fast->core.radius < front - 2.0f * slop)
            return false;
    return true;
}

static double squared_gap(b2d_point64 p, b2d_point64 a, b2d_point64 b) { // of a point from a segment of positive length
    double ex = b.x - a.x, ey = b.y - a.y, x = p.x - a.x, y = p.y - a.y, along = x * ex + y * ey,
           squared = ex * ex + ey * ey;
    double part = along <= 0.0 ? 0.0 : along >= squared ? 1.0 : along / squared, gx = x - part * ex, gy = y - part * ey;
    return gx * gx + gy * gy;
}

static bool side_of(b2d_point64 p, b2d_point64 a, b2d_point64 b) {
    return (p.x - a.x) * (b.y - a.y) > (p.y - a.y) * (b.x - a.x);
}

// Returns true only if the shape is nearer than `near` to the segment. It may return false for a shape that is near.
static bool starts_near(const b2d_point64 ends[2], const b2d_traveller* fast, double near) {
    int32_t count = fast->core.count;
    for (int32_t k = 0; k < count; k++)
        if (squared_gap(fast->points[k], ends[0], ends[1]) <= near * near) return true;
    for (int32_t k = 0; k < count && count > 1; k++) {
        b2d_point64 p = fast->points[k], q = fast->points[k + 1 == count ? 0 : k + 1];
        if (squared_gap(ends[0], p, q) <= near * near || squared_gap(ends[1], p, q) <= near * near) return true;
        // They cross
        if (side_of(p, ends[0], ends[1]) != side_of(q, ends[0], ends[1]) &&
            side_of(ends[0], p, q) != side_of(ends[1], p, q))
            return true;
    }
    return false;
}

// A shape that slides along a chain touches it at the start, and its centroid stays away from it, so it continues. This
// test detects it without computing a time of impact. Both conditions are conservative: a shape that starts near would
// be reported at fraction 0, and the small core at its centroid stays so far from the line of the segment that it would
// not be reported.
static bool slides_on(const b2d_proxy* segment, b2d_transform place, const b2d_traveller* fast, float slop) {
    b2d_point64 ends[8];
    b2d_gjk_place(segment, place, ends);
    double ex = ends[1].x - ends[0].x, ey = ends[1].y - ends[0].y;
    double rounding = 1.0e-6 * (b2d_abs(place.p.x) + b2d_abs(place.p.y) + b2d_abs(fast->sweep->c2.x) +
                                b2d_abs(fast->sweep->c2.y));
    double least = (4.0 * slop + segment->radius + fast->bend + rounding) * sqrt(ex * ex + ey * ey);
    if ((fast->first.x - ends[0].x) * ey - (fast->first.y - ends[0].y) * ex < least) return false;
    if ((fast->last.x - ends[0].x) * ey - (fast->last.y - ends[0].y) * ex < least) return false;
    double radii = (double)segment->radius + fast->core.radius;
    return starts_near(ends, fast, (radii > slop ? radii - 0.5 * slop : 0.5 * slop) + 0.24 * slop);
}

// A one-way shape stops only shapes that arrive from its solid side or already rest there.
static bool goes_through(const b2d_world* world, int32_t fixed_shape, int32_t fast_shape, const b2d_toi* toi) {
    if (!((world->shapes[fixed_shape].flags | world->shapes[fast_shape].flags) & B2D_SHAPE_FLAG_ONE_WAY)) return false;
    int32_t contact = b2d_pair_set_find(&world->graph.pair_set, b2d_pair_key(fixed_shape, fast_shape));
    if (contact != B2D_NONE && world->graph.pairs[contact].flags & B2D_PAIR_TOUCHING) return false;
    return toi->state == B2D_TOI_OVERLAPPED ||
           !b2d_world_one_way_faces(world, fixed_shape, fast_shape, toi->normal, B2D_ONE_WAY_FACING);
}

// The signed height of the lowest point of the core over an edge; negative behind the edge.
static float height_over(b2d_vec2 normal, float offset, b2d_transform place, const b2d_vec2* points,
                         const b2d_proxy* core) {
    float least = 3.0e38f;
    for (int32_t k = 0; k < core->count; k++)
        least = b2d_min(least, b2d_dot(normal, b2d_transform_invert(place, points[k])));
    return least - core->radius - offset;
}

// A shape that slides along a side of another, no deeper than contacts resolve, stays in front of it. The next shape of
// a floor must not stop it either, since the shape is no deeper under that one. Its centroid must be in front, too: a
// needle that is thinner than contacts resolve would fall along the sides of two tiles through the joint between them.
static bool slides_along(const b2d_world* world, const b2d_shape_hot* fixed, const b2d_way* way,
                         const b2d_traveller* fast, float slop) {
    if (fixed->form == B2D_FORM_POINT) return false;
    const b2d_hull4* second = b2d_world_second(world, fixed);
    const b2d_vec2 center_to = b2d_transform_point(fast->end, fast->center);
    for (int32_t k = 0; k < fixed->count; k++) {
        const b2d_hull4* hull = k < 4 ? &fixed->hull : second;
        b2d_vec2 normal = {hull->nx[k & 3], hull->ny[k & 3]};
        float offset = hull->offset[k & 3] + fixed->radius,
              before = height_over(normal, offset, way->begin, fast->from, &fast->core);
        if (before >= -2.0f * slop && b2d_dot(normal, b2d_transform_invert(way->begin, fast->center_from)) > offset &&
            b2d_dot(normal, b2d_transform_invert(way->end, center_to)) > offset &&
            height_over(normal, offset, way->end, fast->to, &fast->core) >= b2d_min(before, 0.0f) - 0.5f * slop)
            return true;
    }
    return false;
}

// Whether the shape moves straight ahead as seen from the other body, so that both ends tell what it passes. A path of
// which the second derivative is at most c leaves its chord by c / 8 at most; that of a path seen from a body that
// turns by w while it moves by d at a distance r is 2 w d + w^2 r.
static bool is_straight(const b2d_way* way, const b2d_traveller* fast, float slop) {
    const float turn = b2d_abs(way->sweep.angle);
    if (turn == 0.0f) return true;
    const b2d_vec2 from = b2d_sub(fast->center_from, way->sweep.c1),
                   to = b2d_sub(b2d_transform_point(fast->end, fast->center), way->sweep.c2);
    const float farthest = b2d_max(b2d_length(from), b2d_length(to));
    return turn * (2.0f * b2d_length(b2d_sub(to, from)) + turn * farthest) < 4.0f * slop;
}

b2d_way b2d_way_of_still(const b2d_pose* pose, const b2d_pose* origin) {
    b2d_vec2 at = {(float)(pose->x - origin->x), (float)(pose->y - origin->y)};
    b2d_transform place = {at, {pose->c, pose->s}};
    return (b2d_way){{.local_center = {0.0f, 0.0f}, .c1 = at, .c2 = at, .q1 = place.q, .angle = 0.0f}, place, place};
}

b2d_way b2d_way_of(const b2d_pose* pose, const b2d_pose* origin, float dx, float dy, float angle) {
    b2d_way way = b2d_way_of_still(pose, origin);
    way.sweep.local_center = b2d_v(pose->cx, pose->cy);
    way.sweep.c1 = b2d_add(way.begin.p, b2d_pose_center(pose));
    way.sweep.c2 = b2d_add(way.sweep.c1, b2d_v(dx, dy));
    way.sweep.angle = angle;
    way.begin = b2d_sweep_at(&way.sweep, 0.0f);
    way.end = b2d_sweep_at(&way.sweep, 1.0f);
    return way;
}

// The small core of a thin shape may itself begin within the target distance. Then the path of the centroid counts: it
// ends halfway to the surface, so that it stays outside. The state is B2D_TOI_OVERLAPPED.
static float center_enters(const b2d_world* world, const b2d_shape_hot* fixed, const b2d_way* way,
                           const b2d_traveller* fast, float limit, b2d_toi* found) {
    const b2d_vec2 from = b2d_transform_invert(way->begin, fast->center_from),
                   to = b2d_transform_invert(way->end, b2d_transform_point(fast->end, fast->center));
    const b2d_point64 origin = {from.x, from.y}, path = {(double)to.x - from.x, (double)to.y - from.y};
    double fraction;
    b2d_vec2 normal;
    if ((path.x == 0.0 && path.y == 0.0) ||
        !b2d_row_ray(fixed, b2d_world_second(world, fixed), origin, path, 0.0, (double)limit, &fraction, &normal))
        return limit;
    const float part = 0.5f * (float)fraction;
    const b2d_vec2 at = b2d_v(from.x + (float)fraction * (float)path.x, from.y + (float)fraction * (float)path.y);
    *found = (b2d_toi){.state = B2D_TOI_OVERLAPPED,
                       .fraction = part,
                       .point = b2d_transform_point(way->begin, at),
                       .normal = b2d_rotate(way->begin.q, normal)};
    return part;
}

float b2d_impact(b2d_world* world, const b2d_traveller* fast, int32_t other, const b2d_way* way, float limit,
                 b2d_toi* found) {
    const b2d_shape_hot* fixed = &world->shapes_hot[other];
    float slop = b2d_linear_slop(world);
    bool chain = fixed->form == B2D_FORM_CHAIN;
    if (is_straight(way, fast, slop) &&
        (chain ? lets_pass(fixed, way, fast, slop) : slides_along(world, fixed, way, fast, slop)))
        return limit;
    bool still = way->sweep.angle == 0.0f && way->sweep.c1.x == way->sweep.c2.x && way->sweep.c1.y == way->sweep.c2.y;
    b2d_proxy a = b2d_shape_proxy(fixed, b2d_world_second(world, fixed));
    if (chain && still && slides_on(&a, b2d_sweep_at(&way->sweep, 0.0f), fast, slop)) return limit;
    b2d_toi toi = b2d_time_of_impact(&a, &way->sweep, &fast->core, fast->sweep, limit, slop);
    if (toi.state == B2D_TOI_SEPARATED || goes_through(world, other, fast->shape, &toi)) return limit;
    *found = toi;
    if (toi.state != B2D_TOI_OVERLAPPED && toi.fraction > 0.0f)
        return toi.fraction; // also correct if the search did not converge
    const float half_width = world->graph.bodies[world->shapes_hot[fast->shape].body].min_extent;
    b2d_proxy core = {.points = {fast->center}, .count = 1, .radius = b2d_min(4.0f * slop, 0.5f * half_width)};
    if (fast->pressed) { // no deeper than it is now
        b2d_point64 place[8];
        b2d_gjk_place(&a, way->begin, place);
        const double gap = b2d_gjk_solve(place, a.count, &fast->first, 1).distance - a.radius;
        core.radius = b2d_max(core.radius, b2d_min((float)gap, half_width));
    }
    *found = toi = b2d_time_of_impact(&a, &way->sweep, &core, fast->sweep, limit, slop);
    if (toi.state == B2D_TOI_HIT && toi.fraction > 0.0f) return toi.fraction;
    return toi.state == B2D_TOI_SEPARATED ? limit : center_enters(world, fixed, way, fast, limit, found);
}
