// csrc/world/geometry_api.c - the edge of standalone geometry: checks all input, answers with a status. No world is needed.
#include "world/query.h"

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

static b2d_vec2 turned(const b2d_pose* pose, b2d_vec2 v) { return b2d_rotate((b2d_rot){pose->c, pose->s}, v); }

b2d_status b2d_geometry_mass_data(const b2d_geometry* geometry, double density, double out[4]) {
    b2d_geometry checked;
    B2D_TRY(check_geometry(geometry, &checked));
    B2D_TRY(b2d_check_range(density, 0.0, b2d_limit_number, B2D_ARG_DENSITY));
    const uint32_t saved = b2d_float_enter();
    const b2d_mass_data mass = b2d_geometry_mass(&checked, (float)density);
    b2d_float_leave(saved);
    out[0] = mass.mass, out[1] = mass.inertia, out[2] = mass.center.x, out[3] = mass.center.y;
    return B2D_OK;
}

b2d_status b2d_geometry_box(const b2d_geometry* geometry, double x, double y, double angle, double out[4]) {
    b2d_geometry checked;
    const double given[3] = {x, y, angle};
    B2D_TRY(check_geometry(geometry, &checked));
    B2D_TRY(check_pose(given));
    const uint32_t saved = b2d_float_enter();
    _Alignas(64) b2d_shape_hot hot = {0};
    b2d_hull4 second;
    const b2d_pose pose = make_pose(given);
    b2d_shape_hot_make(&checked, &hot, &second);
    const b2d_box box = b2d_shape_box(&hot, &second, &pose);
    b2d_float_leave(saved);
    out[0] = box.min_x, out[1] = box.min_y, out[2] = box.max_x, out[3] = box.max_y;
    return B2D_OK;
}

b2d_status b2d_geometry_contains(const b2d_geometry* geometry, int32_t n, const double* points, bool* out) {
    b2d_geometry checked;
    B2D_TRY(check_geometry(geometry, &checked));
    for (int32_t k = 0; k < n; k++) B2D_TRY(b2d_check_vec(points + 2 * (size_t)k, b2d_limit_position, n == 1 ? B2D_ARG_POINT : B2D_ARG_POINTS));
    const uint32_t saved = b2d_float_enter();
    for (int32_t k = 0; k < n; k++) out[k] = b2d_shape_contains(&checked, b2d_v((float)points[2 * (size_t)k], (float)points[2 * (size_t)k + 1]));
    b2d_float_leave(saved);
    return B2D_OK;
}

static const b2d_query_hit no_hit = {.shape = B2D_NONE, .body = B2D_NONE};

b2d_status b2d_geometry_ray_casts(const b2d_geometry* geometry, int32_t n, const double* origins, const double* translations, b2d_query_hit* out) {
    b2d_geometry checked;
    B2D_TRY(check_geometry(geometry, &checked));
    for (int32_t k = 0; k < n; k++) {
        B2D_TRY(b2d_check_vec(origins + 2 * (size_t)k, b2d_limit_position, n == 1 ? B2D_ARG_ORIGIN : B2D_ARG_ORIGINS));
        B2D_TRY(b2d_check_vec(translations + 2 * (size_t)k, b2d_limit_position, n == 1 ? B2D_ARG_TRANSLATION : B2D_ARG_TRANSLATIONS));
    }
    const uint32_t saved = b2d_float_enter();
    _Alignas(64) b2d_shape_hot hot = {0};
    b2d_hull4 second;
    b2d_shape_hot_make(&checked, &hot, &second);
    for (int32_t k = 0; k < n; k++) {
        const double *o = origins + 2 * (size_t)k, *d = translations + 2 * (size_t)k, squared = d[0] * d[0] + d[1] * d[1];
        double fraction;
        b2d_vec2 normal;
        out[k] = no_hit;
        if (!(squared > 1.0e-200)) continue; // as in worlds: too short to be a way
        double t = (((double)hot.center_x - o[0]) * d[0] + ((double)hot.center_y - o[1]) * d[1]) / squared;
        t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
        const b2d_point64 near = {o[0] + t * d[0], o[1] + t * d[1]};
        if (!b2d_row_ray(&hot, &second, near, (b2d_point64){d[0], d[1]}, -t, 1.0 - t, &fraction, &normal)) continue;
        fraction += t;
        out[k] = (b2d_query_hit){.px = o[0] + fraction * d[0], .py = o[1] + fraction * d[1], .fraction = fraction, .nx = normal.x + 0.0f, .ny = normal.y + 0.0f, .body = B2D_NONE};
    }
    b2d_float_leave(saved);
    return B2D_OK;
}

b2d_status b2d_geometry_distances(const b2d_geometry* a, const double pose_a[3], const b2d_geometry* b, int32_t n, const double* poses_b, b2d_distance_data* out) {
    b2d_geometry checked_a, checked_b;
    B2D_TRY(check_geometry(a, &checked_a));
    B2D_TRY(check_geometry(b, &checked_b));
    B2D_TRY(check_pose(pose_a));
    for (int32_t k = 0; k < n; k++) B2D_TRY(check_pose(poses_b + 3 * (size_t)k));
    const uint32_t saved = b2d_float_enter();
    const b2d_proxy proxy_a = b2d_geometry_proxy(&checked_a), proxy_b = b2d_geometry_proxy(&checked_b);
    const double ra = proxy_a.radius, rb = proxy_b.radius;
    b2d_point64 points_a[8], points_b[8]; // about the position of a, world axes
    b2d_place_points(&proxy_a, 0.0, 0.0, b2d_make_rot(pose_a[2]), points_a);
    for (int32_t k = 0; k < n; k++) {
        const double* pose = poses_b + 3 * (size_t)k;
        b2d_place_points(&proxy_b, pose[0] - pose_a[0], pose[1] - pose_a[1], b2d_make_rot(pose[2]), points_b);
        const b2d_gjk g = b2d_gjk_solve(points_a, proxy_a.count, points_b, proxy_b.count);
        out[k] = (b2d_distance_data){
            .ax = pose_a[0] + (g.a.x + ra * g.normal.x), .ay = pose_a[1] + (g.a.y + ra * g.normal.y),
            .bx = pose_a[0] + (g.b.x - rb * g.normal.x), .by = pose_a[1] + (g.b.y - rb * g.normal.y),
            .distance = g.distance - ra - rb, .nx = (float)g.normal.x + 0.0f, .ny = (float)g.normal.y + 0.0f};
    }
    b2d_float_leave(saved);
    return B2D_OK;
}

b2d_status b2d_geometry_collide(const b2d_geometry* a, const double pose_a[3], const b2d_geometry* b, const double pose_b[3], double speculative_distance, b2d_manifold_data* out) {
    b2d_geometry checked_a, checked_b;
    B2D_TRY(check_geometry(a, &checked_a));
    B2D_TRY(check_geometry(b, &checked_b));
    B2D_TRY(check_pose(pose_a));
    B2D_TRY(check_pose(pose_b));
    B2D_TRY(b2d_check_range(speculative_distance, 0.0, b2d_limit_number, B2D_ARG_SPECULATIVE_DISTANCE));
    const uint32_t saved = b2d_float_enter();
    const b2d_pose pa = make_pose(pose_a), pb = make_pose(pose_b);
    b2d_manifold m = {0};
    b2d_collide_shapes(&checked_a, &checked_b, b2d_pose_relative(&pa, &pb), (float)speculative_distance, &m);
    *out = (b2d_manifold_data){.count = m.count};
    if (m.count > 0) {
        const b2d_vec2 normal = turned(&pa, m.normal);
        out->nx = normal.x + 0.0f, out->ny = normal.y + 0.0f;
    }
    for (int32_t k = 0; k < m.count; k++) {
        to_world(&pa, m.point[k], &out->px[k], &out->py[k]);
        out->separation[k] = m.separation[k];
        out->feature[k] = m.feature[k];
    }
    b2d_float_leave(saved);
    return B2D_OK;
}

b2d_status b2d_geometry_cast(const b2d_geometry* a, const double pose_a[3], const b2d_geometry* b, const double pose_b[3], double dx, double dy, b2d_query_hit* out) {
    b2d_geometry checked_a, checked_b;
    const double translation[2] = {dx, dy};
    B2D_TRY(check_geometry(a, &checked_a));
    B2D_TRY(check_geometry(b, &checked_b));
    B2D_TRY(check_pose(pose_a));
    B2D_TRY(check_pose(pose_b));
    B2D_TRY(b2d_check_vec(translation, b2d_limit_position, B2D_ARG_TRANSLATION));
    const uint32_t saved = b2d_float_enter();
    const b2d_pose pa = make_pose(pose_a), pb = make_pose(pose_b);
    const b2d_proxy proxy_a = b2d_geometry_proxy(&checked_a), proxy_b = b2d_geometry_proxy(&checked_b);
    const b2d_vec2 way = b2d_unrotate((b2d_rot){pa.c, pa.s}, b2d_v((float)dx, (float)dy));
    const b2d_cast_hit hit = b2d_shape_cast(&proxy_a, &proxy_b, b2d_pose_relative(&pa, &pb), way, 1.0f);
    *out = no_hit;
    if (hit.hit) {
        const b2d_vec2 normal = turned(&pa, hit.normal);
        *out = (b2d_query_hit){.fraction = hit.fraction, .nx = normal.x + 0.0f, .ny = normal.y + 0.0f, .body = B2D_NONE};
        to_world(&pa, hit.point, &out->px, &out->py);
    }
    b2d_float_leave(saved);
    return B2D_OK;
}

static b2d_status check_motion(const b2d_geometry_motion* motion) {
    const double pose[3] = {motion->x, motion->y, motion->angle}, way[2] = {motion->dx, motion->dy}, center[2] = {motion->cx, motion->cy};
    B2D_TRY(check_pose(pose));
    B2D_TRY(b2d_check_vec(way, b2d_limit_position, B2D_ARG_TRANSLATION));
    B2D_TRY(b2d_check_range(motion->turn, -b2d_limit_angle, b2d_limit_angle, B2D_ARG_ROTATION));
    return b2d_check_vec(center, b2d_limit_position, B2D_ARG_CENTER);
}

static b2d_sweep make_sweep(const b2d_geometry_motion* motion, double origin_x, double origin_y) {
    const b2d_rot q = b2d_make_rot(motion->angle);
    const double cx = (double)q.c * motion->cx - (double)q.s * motion->cy, cy = (double)q.s * motion->cx + (double)q.c * motion->cy;
    const double x = motion->x - origin_x + cx, y = motion->y - origin_y + cy;
    return (b2d_sweep){.local_center = {(float)motion->cx, (float)motion->cy}, .c1 = {(float)x, (float)y},
                       .c2 = {(float)(x + motion->dx), (float)(y + motion->dy)}, .q1 = q, .angle = (float)motion->turn};
}

b2d_status b2d_geometry_impact(const b2d_geometry* a, const b2d_geometry_motion* motion_a, const b2d_geometry* b, const b2d_geometry_motion* motion_b, b2d_impact_data* out) {
    b2d_geometry checked_a, checked_b;
    B2D_TRY(check_geometry(a, &checked_a));
    B2D_TRY(check_geometry(b, &checked_b));
    B2D_TRY(check_motion(motion_a));
    B2D_TRY(check_motion(motion_b));
    const float linear_slop = 0.005f; // m
    const uint32_t saved = b2d_float_enter();
    const b2d_proxy proxy_a = b2d_geometry_proxy(&checked_a), proxy_b = b2d_geometry_proxy(&checked_b);
    const b2d_sweep sweep_a = make_sweep(motion_a, motion_a->x, motion_a->y), sweep_b = make_sweep(motion_b, motion_a->x, motion_a->y);
    const b2d_toi toi = b2d_time_of_impact(&proxy_a, &sweep_a, &proxy_b, &sweep_b, 1.0f, linear_slop);
    *out = (b2d_impact_data){.fraction = toi.fraction, .px = motion_a->x + (double)toi.point.x, .py = motion_a->y + (double)toi.point.y,
                             .nx = toi.normal.x + 0.0f, .ny = toi.normal.y + 0.0f, .state = (int32_t)toi.state};
    b2d_float_leave(saved);
    return B2D_OK;
}
