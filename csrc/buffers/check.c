// csrc/buffers/check.c - checks the rows of the caller's arrays.
//
// No value that passes leads outside of an array. Values are bounded, so that few results can become infinite; simulate
// looks for these at the end. Threads: serial, reads only.
#include "buffers/workspace.h"

#include <math.h>

#define MOST_SIZE     1.0e6f // m, of colliders
#define MOST_POSITION 1.0e9  // m
#define MOST_VALUE    1.0e9f // of speeds and coefficients
#define MOST_IMPULSE  1.0e30f

static bool within(float x, float lower, float upper) { return x >= lower && x <= upper; } // false for NaN

// The problem of a body, or NULL.
static const char* body_problem(const b2d_buffer_pose* pose, const b2d_buffer_mass* mass,
                                const b2d_buffer_velocity* velocity, int32_t* argument) {
    *argument = B2D_ARG_POSES;
    if (!(fabs(pose->x) <= MOST_POSITION && fabs(pose->y) <= MOST_POSITION))
        return "the position must be finite and within 1e9 m";
    const float length = pose->c * pose->c + pose->s * pose->s;
    if (!within(length, 0.999f, 1.001f)) return "the rotation must be a cosine and a sine";
    if (!within(pose->cx, -MOST_SIZE, MOST_SIZE) || !within(pose->cy, -MOST_SIZE, MOST_SIZE))
        return "the local centre must be finite and within 1e6 m";
    *argument = B2D_ARG_MASSES;
    if (mass->mass != 0.0f && !within(mass->mass, 1.0e-12f, 1.0e12f)) return "the mass must be 0 or 1e-12 to 1e12 kg";
    if (mass->inertia != 0.0f && !within(mass->inertia, 1.0e-15f, 1.0e18f))
        return "the inertia must be 0 or 1e-15 to 1e18 kg m^2";
    if (!within(mass->gravity_scale, -MOST_VALUE, MOST_VALUE)) return "the gravity scale must be finite";
    if (!within(mass->linear_damping, 0.0f, MOST_VALUE) || !within(mass->angular_damping, 0.0f, MOST_VALUE))
        return "dampings must be finite and not negative";
    *argument = B2D_ARG_VELOCITIES;
    if (!within(velocity->x, -MOST_VALUE, MOST_VALUE) || !within(velocity->y, -MOST_VALUE, MOST_VALUE) ||
        !within(velocity->w, -MOST_VALUE, MOST_VALUE))
        return "the velocity must be finite and within 1e9";
    return NULL;
}

b2d_status b2d_buffer_check_bodies(const b2d_buffer_bodies* bodies, b2d_buffer_fault* fault) {
    for (int32_t k = 0; k < bodies->count; k++) {
        int32_t argument;
        const char* problem = body_problem(&bodies->poses[k], &bodies->masses[k], &bodies->velocities[k], &argument);
        if (problem != NULL) return b2d_buffer_wrong(fault, argument, k, problem);
    }
    return B2D_OK;
}

// Whether point k lies at least half a millimetre on the left of the edge from i to j.
static bool lies_left(const b2d_buffer_collider* c, int32_t i, int32_t j, int32_t k) {
    const double ex = (double)c->x[j] - c->x[i], ey = (double)c->y[j] - c->y[i];
    const double height = ex * ((double)c->y[k] - c->y[i]) - ey * ((double)c->x[k] - c->x[i]);
    return height > 0.0 && height * height > 0.0005 * 0.0005 * (ex * ex + ey * ey);
}

static bool is_convex(const b2d_buffer_collider* c) {
    if (c->count == 2) {
        const double dx = (double)c->x[1] - c->x[0], dy = (double)c->y[1] - c->y[0];
        return dx * dx + dy * dy > 0.0005 * 0.0005;
    }
    for (int32_t i = 0; i < c->count && c->count > 2; i++) {
        const int32_t j = (i + 1) % c->count;
        // Of a triangle or a quadrangle the next vertex decides; a star of more could turn left everywhere
        for (int32_t step = 2; step < (c->count > 4 ? c->count : 3); step++)
            if (!lies_left(c, i, j, (i + step) % c->count)) return false;
    }
    return true;
}

static const char* collider_problem(const b2d_buffer_collider* c, int32_t bodies) {
    if (c->body < 0 || c->body >= bodies) return "there is no such body";
    if (c->count < 1 || c->count > 8) return "the count of vertices must be 1 to 8";
    if (!within(c->radius, 0.0f, MOST_SIZE)) return "the radius must be 0 to 1e6 m";
    if (c->count < 3 && !(c->radius > 0.0f)) return "circles and capsules need a radius";
    for (int32_t k = 0; k < c->count; k++)
        if (!within(c->x[k], -MOST_SIZE, MOST_SIZE) || !within(c->y[k], -MOST_SIZE, MOST_SIZE))
            return "vertices must be finite and within 1e6 m";
    if (!is_convex(c)) return "vertices must be convex, counter-clockwise and more than 0.5 mm thick and apart";
    if (!within(c->friction, 0.0f, MOST_VALUE)) return "the friction must be 0 to 1e9";
    if (!within(c->restitution, 0.0f, MOST_VALUE)) return "the restitution must be 0 to 1e9";
    if (!within(c->rolling_resistance, 0.0f, MOST_VALUE)) return "the rolling resistance must be 0 to 1e9";
    if (!within(c->tangent_speed, -MOST_VALUE, MOST_VALUE)) return "the tangent speed must be within 1e9 m/s";
    return NULL;
}

b2d_status b2d_buffer_check_colliders(const b2d_buffer_collider* colliders, int32_t count, int32_t bodies,
                                      b2d_buffer_fault* fault) {
    for (int32_t k = 0; k < count; k++) {
        const char* problem = collider_problem(&colliders[k], bodies);
        if (problem != NULL) return b2d_buffer_wrong(fault, B2D_ARG_COLLIDERS, k, problem);
    }
    return B2D_OK;
}

b2d_status b2d_buffer_check_connections(const int32_t* connections, int32_t count, int32_t bodies,
                                        b2d_buffer_fault* fault) {
    for (int32_t k = 0; k < 2 * count; k++)
        if (connections[k] < 0 || connections[k] >= bodies)
            return b2d_buffer_wrong(fault, B2D_ARG_CONNECTIONS, k / 2, "there is no such body");
    return B2D_OK;
}

static const char* contact_problem(const b2d_buffer_contact* c, const b2d_buffer_bodies* bodies) {
    if (c->body_a < 0 || c->body_a >= bodies->count || c->body_b < 0 || c->body_b >= bodies->count ||
        c->body_a == c->body_b)
        return "it needs two bodies that exist";
    if (bodies->masses[c->body_a].mass == 0.0f && bodies->masses[c->body_b].mass == 0.0f)
        return "one of its bodies must have a mass";
    if (!within(c->normal[0] * c->normal[0] + c->normal[1] * c->normal[1], 0.999f, 1.001f))
        return "the normal must be a unit vector";
    for (int32_t j = 0; j < 2; j++) {
        if (c->feature[j] == 0xFFFF) continue;
        if (!within(c->lever[j][0], -MOST_SIZE, MOST_SIZE) || !within(c->lever[j][1], -MOST_SIZE, MOST_SIZE))
            return "levers must be finite and within 1e6 m";
        if (!within(c->separation[j], -MOST_SIZE, MOST_SIZE)) return "separations must be finite and within 1e6 m";
    }
    if (c->feature[0] == 0xFFFF) return "it has no first point";
    if (c->feature[0] == c->feature[1]) return "its points must have different features";
    if (!within(c->friction, 0.0f, MOST_VALUE) || !within(c->restitution, 0.0f, MOST_VALUE) ||
        !within(c->rolling_resistance, 0.0f, MOST_VALUE) || !within(c->tangent_speed, -MOST_VALUE, MOST_VALUE))
        return "the values of its material must be finite, and only the tangent speed may be negative";
    if (!within(c->radius_a, 0.0f, MOST_SIZE) || !within(c->radius_b, 0.0f, MOST_SIZE))
        return "radii must be 0 to 1e6 m";
    return NULL;
}

b2d_status b2d_buffer_check_contacts(const b2d_buffer_contact* contacts, int32_t count, const b2d_buffer_bodies* bodies,
                                     b2d_buffer_fault* fault) {
    uint64_t last = 0;
    for (int32_t k = 0; k < count; k++) {
        const char* problem = contact_problem(&contacts[k], bodies);
        if (problem == NULL && (contacts[k].tag < last || (contacts[k].tag == last && last != 0)))
            problem = "contacts must ascend by tag, those with tag 0 first";
        if (problem == NULL && contacts[k].tag == B2D_NO_TAG) problem = "this tag stands for free rows of a cache";
        if (problem != NULL) return b2d_buffer_wrong(fault, B2D_ARG_CONTACTS, k, problem);
        last = contacts[k].tag;
    }
    return B2D_OK;
}

b2d_status b2d_buffer_check_sleeping(const uint64_t* sleeping, int32_t count, b2d_buffer_fault* fault) {
    for (int32_t k = 0; k < count; k++)
        if (sleeping[k] == B2D_NO_TAG || sleeping[k] <= (k == 0 ? 0 : sleeping[k - 1]))
            return b2d_buffer_wrong(fault, B2D_ARG_SLEEPING, k, "tags must be greater than 0 and ascend strictly");
    return B2D_OK;
}

b2d_status b2d_buffer_check_active(const int32_t* active, int32_t count, int32_t bodies, b2d_buffer_fault* fault) {
    for (int32_t k = 0; k < count; k++)
        if (active[k] >= bodies || active[k] <= (k == 0 ? -1 : active[k - 1]))
            return b2d_buffer_wrong(fault, B2D_ARG_ACTIVE, k, "indices of bodies must exist and ascend strictly");
    return B2D_OK;
}

b2d_status b2d_buffer_check_cache(const b2d_buffer_cache* cache, b2d_buffer_fault* fault) {
    int32_t k = 0;
    for (; k < cache->room && cache->tags[k] != B2D_NO_TAG; k++) {
        if (cache->tags[k] <= (k == 0 ? 0 : cache->tags[k - 1]))
            return b2d_buffer_wrong(fault, B2D_ARG_CACHE_TAGS, k, "tags must be greater than 0 and ascend strictly");
        const b2d_buffer_impulse* impulse = &cache->impulses[k];
        bool fine = within(impulse->rolling, -MOST_IMPULSE, MOST_IMPULSE);
        for (int32_t j = 0; j < 2; j++)
            fine = fine && within(impulse->normal[j], 0.0f, MOST_IMPULSE) &&
                   within(impulse->tangent[j], -MOST_IMPULSE, MOST_IMPULSE);
        if (!fine)
            return b2d_buffer_wrong(fault, B2D_ARG_CACHE_IMPULSES, k,
                                    "impulses must be finite, and normal impulses not negative");
    }
    for (; k < cache->room; k++)
        if (cache->tags[k] != B2D_NO_TAG)
            return b2d_buffer_wrong(fault, B2D_ARG_CACHE_TAGS, k, "no tag may follow a free row");
    return B2D_OK;
}

static b2d_status check_number(double x, double lower, double upper, int32_t argument, b2d_buffer_fault* fault) {
    if (x >= lower && x <= upper) return B2D_OK;
    return b2d_buffer_wrong(fault, argument, B2D_NONE, "must be finite and in range");
}

b2d_status b2d_buffer_check_step(const b2d_buffer_step* step, b2d_buffer_fault* fault) {
    b2d_status status = check_number(step->gravity_x, -1.0e9, 1.0e9, B2D_ARG_GRAVITY, fault);
    if (status == B2D_OK) status = check_number(step->gravity_y, -1.0e9, 1.0e9, B2D_ARG_GRAVITY, fault);
    if (status == B2D_OK) status = check_number(step->dt, 1.0e-6, 1.0, B2D_ARG_DT, fault);
    if (status == B2D_OK) status = check_number(step->substeps, 1.0, 64.0, B2D_ARG_SUBSTEPS, fault);
    if (status == B2D_OK) status = check_number(step->idle_speed, 0.0, 1.0e9, B2D_ARG_IDLE_SPEED, fault);
    return status;
}

int32_t b2d_buffer_cache_count(const b2d_buffer_cache* cache) {
    int32_t count = 0;
    while (count < cache->room && cache->tags[count] != B2D_NO_TAG) count++;
    return count;
}
