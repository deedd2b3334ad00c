// csrc/api/geometry.c - the API of standalone geometry, which needs no world: checks all input and returns a status.
#include "api/entry.h"
#include "api/query.h"
#include "geometry/convex_hull.h"

#include <string.h>

static b2d_status check_geometry(const b2d_geometry* geometry, b2d_geometry* checked) {
    *checked = *geometry;
    return b2d_geometry_check(checked);
}

static b2d_status check_pose(const double pose[3]) {
    B2D_TRY(b2d_check_vec(pose, b2d_limit_position, B2D_ARG_POSITION));
    return b2d_check_range(pose[2], -b2d_limit_angle, b2d_limit_angle, B2D_ARG_ANGLE);
}

static b2d_pose make_pose(const double pose[3]) {
    const b2d_rot q = b2d_make_rot(pose[2]);
    return (b2d_pose){.x = pose[0], .y = pose[1], .c = q.c, .s = q.s};
}

static void to_world(const b2d_pose* pose, b2d_vec2 v, double* x, double* y) {
    *x = pose->x + ((double)pose->c * v.x - (double)pose->s * v.y);
    *y = pose->y + ((double)pose->s * v.x + (double)pose->c * v.y);
}

static b2d_vec2 rotate(const b2d_pose* pose, b2d_vec2 v) { return b2d_rotate((b2d_rot){pose->c, pose->s}, v); }

b2d_status b2d_geometry_mass_data(const b2d_geometry* geometries, int32_t n, const double* densities, double* out) {
    for (int32_t k = 0; k < n; k++, out += 4) {
        b2d_geometry checked;
        B2D_TRY(check_geometry(&geometries[k], &checked));
        B2D_TRY(b2d_check_range(densities[k], 0.0, b2d_limit_number, B2D_ARG_DENSITY));
        const uint32_t saved = b2d_float_enter();
        const b2d_mass_data mass = b2d_geometry_mass(&checked, (float)densities[k]);
        b2d_float_leave(saved);
        out[0] = mass.mass, out[1] = mass.inertia, out[2] = mass.center.x, out[3] = mass.center.y;
    }
    return B2D_OK;
}

b2d_status b2d_geometry_boxes(const b2d_geometry* geometry, int32_t n, const double* poses, double* out) {
    b2d_geometry checked;
    B2D_TRY(check_geometry(geometry, &checked));
    for (int32_t k = 0; k < n; k++) {
        B2D_TRY(
            b2d_check_vec(poses + 3 * (size_t)k, b2d_limit_position, n == 1 ? B2D_ARG_POSITION : B2D_ARG_POSITIONS));
        B2D_TRY(b2d_check_range(poses[3 * (size_t)k + 2], -b2d_limit_angle, b2d_limit_angle,
                                n == 1 ? B2D_ARG_ANGLE : B2D_ARG_ANGLES));
    }
    const uint32_t saved = b2d_float_enter();
    _Alignas(64) b2d_shape_hot hot = {0};
    b2d_hull4 second;
    b2d_shape_hot_make(&checked, &hot, &second);
    for (int32_t k = 0; k < n; k++, out += 4) {
        const b2d_pose pose = make_pose(poses + 3 * (size_t)k);
        const b2d_box box = b2d_shape_box(&hot, &second, &pose);
        out[0] = box.min_x, out[1] = box.min_y, out[2] = box.max_x, out[3] = box.max_y;
    }
    b2d_float_leave(saved);
    return B2D_OK;
}

b2d_status b2d_geometry_contains(const b2d_geometry* geometry, int32_t n, const double* points, bool* out) {
    b2d_geometry checked;
    B2D_TRY(check_geometry(geometry, &checked));
    B2D_TRY(b2d_check_values(B2D_ARG_POINT_QUERY_POINT, n, points));
    const uint32_t saved = b2d_float_enter();
    for (int32_t k = 0; k < n; k++)
        out[k] = b2d_shape_contains(&checked, b2d_v((float)points[2 * (size_t)k], (float)points[2 * (size_t)k + 1]));
    b2d_float_leave(saved);
    return B2D_OK;
}

b2d_status b2d_convex_hull(int32_t n, double* points, double* out, int32_t* count) {
    const double tiny = 1.0e-100; // smaller coordinates become zero, and -0 too
    for (int32_t k = 0; k < n; k++) B2D_TRY(b2d_check_vec(points + 2 * (size_t)k, b2d_limit_position, B2D_ARG_POINTS));
    for (size_t i = 0; i < 2 * (size_t)n; i++) points[i] = fabs(points[i]) < tiny ? 0.0 : points[i];
    const uint32_t saved = b2d_float_enter();
    *count = b2d_hull_of((b2d_point64*)points, n, (b2d_point64*)out);
    b2d_float_leave(saved);
    return B2D_OK;
}

b2d_status b2d_geometry_ray_casts(const b2d_geometry* geometry, int32_t n, const double* origins,
                                  const double* translations, b2d_geometry_hit* out) {
    b2d_geometry checked;
    B2D_TRY(check_geometry(geometry, &checked));
    B2D_TRY(b2d_check_values(B2D_ARG_RAY_CAST_ORIGIN, n, origins));
    B2D_TRY(b2d_check_values(B2D_ARG_RAY_CAST_TRANSLATION, n, translations));
    const uint32_t saved = b2d_float_enter();
    _Alignas(64) b2d_shape_hot hot = {0};
    b2d_hull4 second;
    b2d_shape_hot_make(&checked, &hot, &second);
    for (int32_t k = 0; k < n; k++) {
        const double *o = origins + 2 * (size_t)k, *d = translations + 2 * (size_t)k,
                     squared = d[0] * d[0] + d[1] * d[1];
        double fraction;
        b2d_vec2 normal;
        out[k] = (b2d_geometry_hit){.hit = false};
        if (!(squared > 1.0e-200)) continue; // as for rays in a world, a shorter translation counts as none
        double t = (((double)hot.center_x - o[0]) * d[0] + ((double)hot.center_y - o[1]) * d[1]) / squared;
        t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
        const b2d_point64 near = {o[0] + t * d[0], o[1] + t * d[1]};
        if (!b2d_row_ray(&hot, &second, near, (b2d_point64){d[0], d[1]}, -t, 1.0 - t, &fraction, &normal)) continue;
        fraction += t;
        out[k] = (b2d_geometry_hit){.px = o[0] + fraction * d[0],
                                    .py = o[1] + fraction * d[1],
                                    .fraction = fraction,
                                    .nx = normal.x + 0.0f,
                                    .ny = normal.y + 0.0f,
                                    .hit = true};
    }
    b2d_float_leave(saved);
    return B2D_OK;
}

// Checks the geometries of one side of many pairs and normalizes them in place. All indices must be in range.
static b2d_status check_side(b2d_geometry* rows, int32_t count, const int32_t* which, int32_t n) {
    if (n > 0 && count < 1) return b2d_error(B2D_BAD_COUNT, B2D_ARG_GEOMETRY);
    for (int32_t i = 0; i < count; i++) {
        b2d_geometry checked;
        B2D_TRY(check_geometry(&rows[i], &checked));
        // Normalized geometries are not written, because threads may share them
        if (memcmp(&checked, &rows[i], sizeof checked) != 0) rows[i] = checked;
    }
    for (int32_t k = 0; which != NULL && k < n; k++)
        if (which[k] < 0 || which[k] >= count) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_GEOMETRY);
    return B2D_OK;
}

static const b2d_geometry* of_pair(const b2d_geometry* rows, const int32_t* which, int32_t k) {
    return which == NULL ? rows : &rows[which[k]];
}

static b2d_status check_pairs(b2d_geometry* a, int32_t count_a, const int32_t* which_a, b2d_geometry* b,
                              int32_t count_b, const int32_t* which_b, int32_t n, const double* poses) {
    B2D_TRY(check_side(a, count_a, which_a, n));
    B2D_TRY(check_side(b, count_b, which_b, n));
    for (int32_t k = 0; k < n && poses != NULL; k++) {
        B2D_TRY(check_pose(poses + 6 * (size_t)k));
        B2D_TRY(check_pose(poses + 6 * (size_t)k + 3));
    }
    return B2D_OK;
}

static b2d_distance_data find_distance(const b2d_geometry* a, const double pose_a[3], const b2d_geometry* b,
                                       const double pose_b[3]) {
    const b2d_proxy proxy_a = b2d_geometry_proxy(a), proxy_b = b2d_geometry_proxy(b);
    const double ra = proxy_a.radius, rb = proxy_b.radius;
    b2d_point64 points_a[8], points_b[8]; // relative to the position of a, in world axes
    b2d_place_points(&proxy_a, 0.0, 0.0, b2d_make_rot(pose_a[2]), points_a);
    b2d_place_points(&proxy_b, pose_b[0] - pose_a[0], pose_b[1] - pose_a[1], b2d_make_rot(pose_b[2]), points_b);
    const b2d_gjk g = b2d_gjk_solve(points_a, proxy_a.count, points_b, proxy_b.count);
    return (b2d_distance_data){.ax = pose_a[0] + (g.a.x + ra * g.normal.x),
                               .ay = pose_a[1] + (g.a.y + ra * g.normal.y),
                               .bx = pose_a[0] + (g.b.x - rb * g.normal.x),
                               .by = pose_a[1] + (g.b.y - rb * g.normal.y),
                               .distance = g.distance - ra - rb,
                               .nx = (float)g.normal.x + 0.0f,
                               .ny = (float)g.normal.y + 0.0f};
}

b2d_status b2d_geometry_distances(b2d_geometry* a, int32_t count_a, const int32_t* which_a, b2d_geometry* b,
                                  int32_t count_b, const int32_t* which_b, int32_t n, const double* poses,
                                  b2d_distance_data* out) {
    B2D_TRY(check_pairs(a, count_a, which_a, b, count_b, which_b, n, poses));
    const uint32_t saved = b2d_float_enter();
    for (int32_t k = 0; k < n; k++, poses += 6)
        out[k] = find_distance(of_pair(a, which_a, k), poses, of_pair(b, which_b, k), poses + 3);
    b2d_float_leave(saved);
    return B2D_OK;
}

static b2d_manifold_data find_manifold(const b2d_geometry* a, const double pose_a[3], const b2d_geometry* b,
                                       const double pose_b[3], float speculative_distance) {
    const b2d_pose pa = make_pose(pose_a), pb = make_pose(pose_b);
    b2d_manifold m = {0};
    b2d_collide_shapes(a, b, b2d_pose_relative(&pa, &pb), speculative_distance, &m);
    b2d_manifold_data out = {.count = m.count};
    if (m.count > 0) {
        const b2d_vec2 normal = rotate(&pa, m.normal);
        out.nx = normal.x + 0.0f, out.ny = normal.y + 0.0f;
    }
    for (int32_t k = 0; k < m.count; k++) {
        to_world(&pa, m.point[k], &out.point[2 * k], &out.point[2 * k + 1]);
        out.separation[k] = m.separation[k];
        out.feature[k] = m.feature[k];
    }
    return out;
}

b2d_status b2d_geometry_manifolds(b2d_geometry* a, int32_t count_a, const int32_t* which_a, b2d_geometry* b,
                                  int32_t count_b, const int32_t* which_b, int32_t n, const double* poses,
                                  double speculative_distance, b2d_manifold_data* out) {
    B2D_TRY(check_pairs(a, count_a, which_a, b, count_b, which_b, n, poses));
    B2D_TRY(b2d_check_range(speculative_distance, 0.0, b2d_limit_number, B2D_ARG_SPECULATIVE_DISTANCE));
    const uint32_t saved = b2d_float_enter();
    for (int32_t k = 0; k < n; k++, poses += 6)
        out[k] = find_manifold(of_pair(a, which_a, k), poses, of_pair(b, which_b, k), poses + 3,
                               (float)speculative_distance);
    b2d_float_leave(saved);
    return B2D_OK;
}

static bool starts_behind(const b2d_geometry* a, const b2d_pose* pa, const b2d_geometry* b, const b2d_pose* pb) {
    if (a->type != B2D_CHAIN_SEGMENT) return false;
    _Alignas(64) b2d_shape_hot rows[2] = {0};
    b2d_hull4 second;
    b2d_shape_hot_make(a, &rows[0], &second);
    b2d_shape_hot_make(b, &rows[1], &second);
    const b2d_vec2 middle = rotate(pb, b2d_v(rows[1].center_x, rows[1].center_y));
    return b2d_starts_behind(&rows[0], pa, pb->x - pa->x + middle.x, pb->y - pa->y + middle.y);
}

static b2d_geometry_hit find_cast(const b2d_geometry* a, const double pose_a[3], const b2d_geometry* b,
                                  const double pose_b[3], const double translation[2]) {
    const b2d_pose pa = make_pose(pose_a), pb = make_pose(pose_b);
    const b2d_proxy proxy_a = b2d_geometry_proxy(a), proxy_b = b2d_geometry_proxy(b);
    const b2d_cast_rule rule = {.tolerance = 1.0e-5, .graze = 1.0e-5};
    const b2d_cast_hit hit = b2d_shape_cast(&proxy_a, (b2d_rot){pa.c, pa.s}, &proxy_b, (b2d_rot){pb.c, pb.s},
                                            (b2d_point64){pb.x - pa.x, pb.y - pa.y},
                                            (b2d_point64){translation[0], translation[1]}, &rule);
    if (!hit.hit || starts_behind(a, &pa, b, &pb)) return (b2d_geometry_hit){.hit = false};
    const b2d_geometry_hit out = {.fraction = hit.fraction,
                                  .px = pa.x + hit.point.x,
                                  .py = pa.y + hit.point.y,
                                  .nx = hit.normal.x + 0.0f,
                                  .ny = hit.normal.y + 0.0f,
                                  .hit = true};
    return out;
}

b2d_status b2d_geometry_casts(b2d_geometry* a, int32_t count_a, const int32_t* which_a, b2d_geometry* b,
                              int32_t count_b, const int32_t* which_b, int32_t n, const double* poses,
                              const double* translations, b2d_geometry_hit* out) {
    B2D_TRY(check_pairs(a, count_a, which_a, b, count_b, which_b, n, poses));
    for (int32_t k = 0; k < n; k++)
        B2D_TRY(b2d_check_vec(translations + 2 * (size_t)k, b2d_limit_position, B2D_ARG_TRANSLATION));
    const uint32_t saved = b2d_float_enter();
    for (int32_t k = 0; k < n; k++, poses += 6, translations += 2)
        out[k] = find_cast(of_pair(a, which_a, k), poses, of_pair(b, which_b, k), poses + 3, translations);
    b2d_float_leave(saved);
    return B2D_OK;
}

static b2d_status check_motion(const b2d_geometry_motion* motion) {
    const double pose[3] = {motion->x, motion->y, motion->angle}, translation[2] = {motion->dx, motion->dy},
                 center[2] = {motion->cx, motion->cy};
    B2D_TRY(check_pose(pose));
    B2D_TRY(b2d_check_vec(translation, b2d_limit_position, B2D_ARG_TRANSLATION));
    B2D_TRY(b2d_check_range(motion->turn, -b2d_limit_angle, b2d_limit_angle, B2D_ARG_ROTATION));
    return b2d_check_vec(center, b2d_limit_position, B2D_ARG_CENTER);
}

static b2d_sweep make_sweep(const b2d_geometry_motion* motion, double origin_x, double origin_y) {
    const b2d_rot q = b2d_make_rot(motion->angle);
    const double cx = (double)q.c * motion->cx - (double)q.s * motion->cy,
                 cy = (double)q.s * motion->cx + (double)q.c * motion->cy;
    const double x = motion->x - origin_x + cx, y = motion->y - origin_y + cy;
    return (b2d_sweep){.local_center = {(float)motion->cx, (float)motion->cy},
                       .c1 = {(float)x, (float)y},
                       .c2 = {(float)(x + motion->dx), (float)(y + motion->dy)},
                       .q1 = q,
                       .angle = (float)motion->turn};
}

static b2d_impact_data find_impact(const b2d_geometry* a, const b2d_geometry_motion* motion_a, const b2d_geometry* b,
                                   const b2d_geometry_motion* motion_b) {
    const float linear_slop = 0.005f; // m
    const b2d_proxy proxy_a = b2d_geometry_proxy(a), proxy_b = b2d_geometry_proxy(b);
    const b2d_sweep sweep_a = make_sweep(motion_a, motion_a->x, motion_a->y),
                    sweep_b = make_sweep(motion_b, motion_a->x, motion_a->y);
    const b2d_toi toi = b2d_time_of_impact(&proxy_a, &sweep_a, &proxy_b, &sweep_b, 1.0f, linear_slop);
    return (b2d_impact_data){.fraction = toi.fraction,
                             .px = motion_a->x + (double)toi.point.x,
                             .py = motion_a->y + (double)toi.point.y,
                             .nx = toi.normal.x + 0.0f,
                             .ny = toi.normal.y + 0.0f,
                             .state = (int32_t)toi.state};
}

b2d_status b2d_geometry_impacts(b2d_geometry* a, int32_t count_a, const int32_t* which_a, b2d_geometry* b,
                                int32_t count_b, const int32_t* which_b, int32_t n, const b2d_geometry_motion* motions,
                                b2d_impact_data* out) {
    B2D_TRY(check_pairs(a, count_a, which_a, b, count_b, which_b, n, NULL));
    for (int64_t k = 0; k < 2 * (int64_t)n; k++) B2D_TRY(check_motion(motions + k));
    const uint32_t saved = b2d_float_enter();
    for (int32_t k = 0; k < n; k++, motions += 2)
        out[k] = find_impact(of_pair(a, which_a, k), motions, of_pair(b, which_b, k), motions + 1);
    b2d_float_leave(saved);
    return B2D_OK;
}
