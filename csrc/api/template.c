// csrc/api/template.c - places copies of bodies with their shapes and joints.
//
// The calls are those that a user would make for one copy after the other, and a log holds them as such: each body, its
// shapes, and the joints to the bodies before it. If one fails, all bodies of all copies are destroyed again.
#include "api/body.h"
#include "api/joint.h"
#include "api/shape.h"
#include "objects/body.h"
#include "objects/shape.h"

typedef struct placement {
    b2d_world* world;
    const b2d_template* template_;
    const double* position;
    double angle, cosine, sine;
    const int32_t* group; // NULL: filters stay as they are
    b2d_handle *bodies, *joints;
    int32_t placed;       // bodies
    int32_t shape, joint; // the next ones
} placement;

static b2d_status place_body(placement* to, int32_t k) {
    b2d_body_def def = to->template_->bodies[k];
    const double *origin = to->template_->origin, x = def.x - origin[0], y = def.y - origin[1];
    const double vx = def.vx, vy = def.vy;
    def.x = to->position[0] + to->cosine * x - to->sine * y;
    def.y = to->position[1] + to->sine * x + to->cosine * y;
    def.angle += to->angle;
    def.vx = to->cosine * vx - to->sine * vy;
    def.vy = to->sine * vx + to->cosine * vy;
    B2D_TRY(b2d_world_create_body(to->world, &def, &to->bodies[k]));
    to->placed = k + 1;
    return B2D_OK;
}

static b2d_status place_shapes(placement* to, int32_t k) {
    const b2d_template* t = to->template_;
    for (; to->shape < t->shape_count && t->shape_bodies[to->shape] == k; to->shape++) {
        b2d_handle shape;
        b2d_shape_def def = t->shapes[to->shape];
        if (to->group != NULL && def.group != 0) def.group = *to->group;
        def.update_mass = to->shape + 1 == t->shape_count || t->shape_bodies[to->shape + 1] != k;
        const b2d_handle* body = &to->bodies[k];
        B2D_TRY(
            b2d_world_create_shape(to->world, body->index, body->generation, &t->geometries[to->shape], &def, &shape));
    }
    return B2D_OK;
}

static b2d_status place_mass(const placement* to, int32_t k) {
    static const int32_t properties[] = {B2D_BODY_MASS, B2D_BODY_INERTIA, B2D_BODY_LOCAL_CENTER};
    const b2d_handle* body = &to->bodies[k];
    for (int32_t p = 0; p < 3; p++) {
        const double* value = to->template_->masses + 4 * (size_t)k + p;
        if (value[0] != value[0]) continue;
        B2D_TRY(b2d_world_check_body_property(to->world, body->index, properties[p], value));
        const bool written = b2d_world_write_body_property(to->world, body->index, properties[p], value);
        B2D_LOG(to->world, B2D_OK, B2D_LOGGED_BODY_SET, body->index, body->generation, properties[p], value);
        if (!written) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    }
    return B2D_OK;
}

static b2d_status place_joints(placement* to, int32_t k) {
    const b2d_template* t = to->template_;
    for (; to->joint < t->joint_count; to->joint++) {
        const int32_t *bodies = t->joint_bodies + 2 * (size_t)to->joint, *on = t->joint_joints + 2 * (size_t)to->joint;
        if (bodies[0] > k || bodies[1] > k) return B2D_OK;
        b2d_joint_def def = t->joints[to->joint];
        b2d_joint_def_move(&def, t->origin, to->position, to->cosine, to->sine);
        for (int32_t side = 0; side < 2 && on[side] >= 0; side++) def.joint[side] = to->joints[on[side]];
        const b2d_handle *a = &to->bodies[bodies[0]], *b = &to->bodies[bodies[1]];
        B2D_TRY(b2d_world_create_joint(to->world, a->index, a->generation, b->index, b->generation, &def,
                                       &to->joints[to->joint]));
    }
    return B2D_OK;
}

static b2d_status place_copy(placement* to) {
    to->placed = to->shape = to->joint = 0;
    for (int32_t k = 0; k < to->template_->body_count; k++) {
        B2D_TRY(place_body(to, k));
        B2D_TRY(place_shapes(to, k));
        B2D_TRY(place_mass(to, k));
        B2D_TRY(place_joints(to, k));
    }
    return B2D_OK;
}

static void remove_bodies(b2d_world* world, const b2d_handle* bodies, int32_t count) {
    while (count-- > 0) {
        b2d_world_drop_body(world, bodies[count].index);
        B2D_LOG(world, B2D_OK, B2D_LOGGED_BODY_DESTROY, bodies[count].index, bodies[count].generation);
    }
}

static b2d_status place(placement* to, int32_t n, const double* positions, const double* angles, const int32_t* groups,
                        b2d_handle* out) {
    const int32_t size = to->template_->body_count;
    for (int32_t k = 0; k < n; k++) {
        B2D_TRY(b2d_check_vec(positions + 2 * (size_t)k, b2d_limit_position, B2D_ARG_POSITIONS));
        if (angles != NULL) B2D_TRY(b2d_check_range(angles[k], -b2d_limit_angle, b2d_limit_angle, B2D_ARG_ANGLES));
    }
    for (int32_t k = 0; k < n; k++) {
        to->position = positions + 2 * (size_t)k;
        to->angle = angles == NULL ? 0.0 : angles[k];
        const b2d_rot rotation = b2d_make_rot(to->angle);
        to->cosine = rotation.c, to->sine = rotation.s;
        to->group = groups == NULL ? NULL : groups + k;
        to->bodies = out + (size_t)k * (size_t)size;
        const b2d_status status = place_copy(to);
        if (status == B2D_OK) continue;
        remove_bodies(to->world, out, k * size + to->placed);
        return status;
    }
    return B2D_OK;
}

b2d_status b2d_template_place(b2d_world* world, const b2d_template* template_, int32_t n, const double* positions,
                              const double* angles, const int32_t* groups, b2d_handle* out) {
    if (n < 0 || (int64_t)n * template_->body_count > 1 << 26) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    B2D_TRY(b2d_open_write(world));
    const size_t size = ((size_t)template_->joint_count + 1) * sizeof(b2d_handle);
    placement to = {.world = world, .template_ = template_, .joints = b2d_allocate(&world->memory, size)};
    const b2d_status status = to.joints == NULL ? b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE)
                                                : place(&to, n, positions, angles, groups, out);
    b2d_free(&world->memory, to.joints, size);
    return b2d_close_write(world, status);
}
