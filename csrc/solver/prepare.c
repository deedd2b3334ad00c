// csrc/solver/prepare.c - what a step needs before its first substep: body steps, joint lanes, scaled impulses, approach speeds.
//
// Resting contacts need nothing here: the narrow phase has refreshed their lanes in place.
#include "solver/prepare.h"

#define PI 3.14159265358979323846f

b2d_softness b2d_make_softness(float hertz, float damping_ratio, float h) {
    if (hertz == 0.0f) return (b2d_softness){0.0f, 0.0f, 0.0f}; // no spring at all; callers treat rigid rows apart
    float omega = 2.0f * PI * hertz;
    float a1 = 2.0f * damping_ratio + h * omega;
    float a2 = h * omega * a1;
    float a3 = 1.0f / (1.0f + a2);
    return (b2d_softness){omega / a1, a2 * a3, a3};
}

void b2d_prepare_bodies(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const b2d_solver* solver = context;
    float h = solver->h;
    for (int32_t k = begin; k < end; k++) {
        int32_t id = solver->awake[k];
        const b2d_body* body = &solver->graph->bodies[id];
        const b2d_body_mass* mass = &solver->masses[id];
        const b2d_body_state* state = &solver->states[id];
        b2d_body_step* step = &solver->steps[id];
        if (body->type != B2D_DYNAMIC) {
            *step = (b2d_body_step){.damp = {1.0f, 1.0f, 1.0f, 1.0f}, .max_w = 3.0e38f};
            continue;
        }
        float g = state->inverse_mass > 0.0f ? mass->gravity_scale : 0.0f;
        step->dv[0] = h * (g * solver->gravity_x + state->inverse_mass * mass->force_x);
        step->dv[1] = h * (g * solver->gravity_y + state->inverse_mass * mass->force_y);
        step->dv[2] = h * (state->inverse_inertia * mass->torque);
        step->dv[3] = 0.0f;
        step->damp[0] = step->damp[1] = 1.0f / (1.0f + h * mass->linear_damping);
        step->damp[2] = 1.0f / (1.0f + h * mass->angular_damping);
        step->damp[3] = 1.0f;
        step->max_w = body->flags & B2D_BODY_FLAG_FAST_ROTATION ? 3.0e38f : solver->max_rotation;
        step->locks = body->flags & B2D_BODY_FLAG_LOCKS;
    }
}

float b2d_joint_angle(const b2d_joint* joint, const b2d_pose* poses, const b2d_body* bodies) {
    const b2d_pose* a = &poses[joint->body[0]];
    const b2d_pose* b = &poses[joint->body[1]];
    b2d_rot relative = b2d_rot_relative((b2d_rot){a->c, a->s}, (b2d_rot){b->c, b->s});
    float offset = joint->frame_angle[1] - joint->frame_angle[0];
    // The precise part comes from the relative rotation, the number of turns from the unwrapped angles of both bodies.
    float fine = b2d_atan2(relative.s, relative.c);
    float coarse = (b2d_atan2(b->s, b->c) - b2d_atan2(a->s, a->c)) + 2.0f * PI * (float)(bodies[joint->body[1]].turns - bodies[joint->body[0]].turns);
    float turns = (coarse - fine) / (2.0f * PI);
    int32_t whole = (int32_t)(turns < 0.0f ? turns - 0.5f : turns + 0.5f);
    return fine + 2.0f * PI * (float)whole + offset;
}

static void prepare_joint(const b2d_solver* solver, int32_t home) {
    b2d_graph* graph = solver->graph;
    const b2d_joint* joint = &graph->joints[graph->joint_block_joint[home]];
    b2d_joint_block* block = &graph->joint_blocks[home / B2D_LANES];
    int32_t lane = home % B2D_LANES;
    bool flip = (joint->flags & B2D_JOINT_FLIP) != 0;
    const b2d_pose* a = &solver->poses[joint->body[flip]];
    const b2d_pose* b = &solver->poses[joint->body[!flip]];
    b2d_rot qa = {a->c, a->s}, qb = {b->c, b->s};
    b2d_vec2 ra = b2d_rotate(qa, b2d_sub(joint->anchor[flip], b2d_v(a->cx, a->cy)));
    b2d_vec2 rb = b2d_rotate(qb, b2d_sub(joint->anchor[!flip], b2d_v(b->cx, b->cy)));
    b2d_vec2 ca = b2d_pose_center(a), cb = b2d_pose_center(b);
    block->ax[lane] = ra.x, block->ay[lane] = ra.y, block->bx[lane] = rb.x, block->by[lane] = rb.y;
    block->dx[lane] = (float)(b->x - a->x) + (cb.x - ca.x);
    block->dy[lane] = (float)(b->y - a->y) + (cb.y - ca.y);

    float hertz = joint->hertz < 0.0f ? solver->joint_hertz : joint->hertz;
    float damping = joint->damping_ratio < 0.0f ? solver->joint_damping_ratio : joint->damping_ratio;
    b2d_softness rigid = b2d_make_softness(b2d_min(hertz, 0.25f * solver->inverse_h), damping, solver->h);
    if (hertz == 0.0f) rigid = (b2d_softness){0.0f, 1.0f, 0.0f}; // velocity only
    block->bias_rate[lane] = rigid.bias_rate;
    block->mass_scale[lane] = rigid.mass_scale;
    block->impulse_scale[lane] = rigid.impulse_scale;
    float ratio = solver->warm_starting ? solver->impulse_ratio : 0.0f;
    block->impulse_x[lane] *= ratio;
    block->impulse_y[lane] *= ratio;

    b2d_joint_angle_block* rows = &graph->joint_angles[home / B2D_LANES];
    bool spring = (joint->flags & B2D_JOINT_SPRING) != 0, motor = (joint->flags & B2D_JOINT_MOTOR) != 0, limit = (joint->flags & B2D_JOINT_LIMIT) != 0;
    rows->spring_on[lane] = spring ? 1.0f : 0.0f;
    rows->motor_on[lane] = motor ? 1.0f : 0.0f;
    rows->limit_on[lane] = limit ? 1.0f : 0.0f;
    rows->spring_impulse[lane] = spring ? rows->spring_impulse[lane] * ratio : 0.0f;
    rows->motor_impulse[lane] = motor ? rows->motor_impulse[lane] * ratio : 0.0f;
    rows->lower_impulse[lane] = limit ? rows->lower_impulse[lane] * ratio : 0.0f;
    rows->upper_impulse[lane] = limit ? rows->upper_impulse[lane] * ratio : 0.0f;
    if (!(spring || motor || limit)) return;
    graph->joint_block_rows[home / B2D_LANES] = 1;
    if (spring || limit) {
        float angle = b2d_joint_angle(joint, solver->poses, graph->bodies);
        rows->angle[lane] = flip ? -angle : angle;
    }
    b2d_softness soft = b2d_make_softness(joint->spring_hertz, joint->spring_damping_ratio, solver->h);
    rows->spring_target[lane] = flip ? -joint->spring_target : joint->spring_target;
    rows->spring_bias_rate[lane] = soft.bias_rate;
    rows->spring_mass_scale[lane] = soft.mass_scale;
    rows->spring_impulse_scale[lane] = soft.impulse_scale;
    rows->motor_speed[lane] = flip ? -joint->motor_speed : joint->motor_speed;
    rows->motor_max[lane] = b2d_min(solver->h * joint->motor_max_torque, 3.0e38f);
    rows->lower[lane] = flip ? -joint->upper : joint->lower;
    rows->upper[lane] = flip ? -joint->lower : joint->upper;
}

void b2d_prepare_joints(const b2d_solver* solver, const b2d_color_list* list, int32_t begin, int32_t end) {
    for (int32_t k = begin; k < end; k++) {
        int32_t live = b2d_color_list_live(list, k);
        solver->graph->joint_block_rows[list->blocks[k]] = 0;
        for (int32_t lane = 0; lane < live; lane++) prepare_joint(solver, list->blocks[k] * B2D_LANES + lane);
    }
}

void b2d_prepare_contacts(const b2d_solver* solver, const b2d_color_list* list, int32_t begin, int32_t end) {
    float ratio = solver->warm_starting ? solver->impulse_ratio : 0.0f;
    for (int32_t k = begin; k < end; k++) {
        int32_t id = list->blocks[k];
        b2d_contact_block* block = &solver->graph->blocks[id];
        b2d_extra_block* extra = solver->graph->extras[id];
        if (ratio != 1.0f)
            for (int32_t lane = 0; lane < B2D_LANES; lane++) {
                for (int32_t j = 0; j < 2; j++) {
                    block->point[j].normal_impulse[lane] *= ratio;
                    block->point[j].tangent_impulse[lane] *= ratio;
                }
                if (extra != NULL) extra->rolling_impulse[lane] *= ratio;
            }
        if (extra == NULL) continue;
        for (int32_t lane = 0; lane < b2d_color_list_live(list, k); lane++) {
            const b2d_body_state* a = &solver->states[block->body_a[lane]];
            const b2d_body_state* b = &solver->states[block->body_b[lane]];
            float linear = block->nx[lane] * (b->vx - a->vx) + block->ny[lane] * (b->vy - a->vy);
            for (int32_t j = 0; j < 2; j++) {
                float rn = block->point[j].rn[lane];
                extra->approach[j][lane] = linear + (b->w * (rn + block->dn[lane]) - a->w * rn);
                extra->peak_impulse[j][lane] = 0.0f;
            }
        }
    }
}
