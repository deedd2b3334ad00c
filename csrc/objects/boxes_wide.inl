// csrc/objects/boxes_wide.inl - the fat boxes of many shapes, V_LANES at a time; compiled once per instruction set.
//
// To the bit what b2d_shape_box_inline and b2d_box_grow give for each of them.
#include "base/double_wide.inl"
#include "objects/proxy.h"

void B2D_KERNEL(b2d_fat_boxes)(const b2d_world* world, const int32_t* shapes, int32_t count, b2d_fat_boxes* out);
void B2D_KERNEL(b2d_fat_boxes)(const b2d_world* world, const int32_t* shapes, int32_t count, b2d_fat_boxes* out) {
    enum { ROWS = V_LANES < 16 ? 16 : V_LANES };
    for (int32_t first = 0; first < count; first += V_LANES) {
        const float *x_rows[V_LANES], *y_rows[V_LANES], *more_x[V_LANES], *more_y[V_LANES], *pose_rows[V_LANES];
        _Alignas(64) float radius[ROWS], margin[ROWS], box[4][ROWS];
        _Alignas(64) double at[2][ROWS];
        bool more = false;
        for (int32_t i = 0; i < V_LANES; i++) {
            const b2d_shape_hot* hot = &world->shapes_hot[shapes[b2d_min_int(first + i, count - 1)]];
            const b2d_hull4 *hull = &hot->hull, *second = hot->count <= 4 ? hull : b2d_world_second(world, hot);
            const b2d_pose* pose = (const b2d_pose*)world->poses.data + hot->body;
            more = more || second != hull;
            x_rows[i] = hull->vx, y_rows[i] = hull->vy;
            more_x[i] = second->vx, more_y[i] = second->vy;
            pose_rows[i] = &pose->c;
            radius[i] = hot->radius, margin[i] = hot->margin;
            at[0][i] = pose->x, at[1][i] = pose->y;
        }
        vf vx[4], vy[4], pose[4];
        v_gather4(x_rows, vx);
        v_gather4(y_rows, vy);
        v_gather4(pose_rows, pose);
        const vf c = pose[0], s = pose[1], r = v_load(radius), grow = v_load(margin);
        vf low_x = v_zero(), low_y = v_zero(), high_x = v_zero(), high_y = v_zero(); // gcc 12 warns without a value
        for (int32_t k = 0; k < (more ? 8 : 4); k++) {
            if (k == 4) v_gather4(more_x, vx), v_gather4(more_y, vy);
            const vf x = v_sub(v_mul(c, vx[k & 3]), v_mul(s, vy[k & 3])),
                     y = v_add(v_mul(s, vx[k & 3]), v_mul(c, vy[k & 3]));
            low_x = k == 0 ? x : v_min(low_x, x), high_x = k == 0 ? x : v_max(high_x, x);
            low_y = k == 0 ? y : v_min(low_y, y), high_y = k == 0 ? y : v_max(high_y, y);
        }
        v_store(box[0], v_sub(low_x, r)), v_store(box[1], v_sub(low_y, r));
        v_store(box[2], v_add(high_x, r)), v_store(box[3], v_add(high_y, r));
        for (int32_t i = 0; i < V_LANES; i += D_LANES) {
            const vd x = d_load_doubles(at[0] + i), y = d_load_doubles(at[1] + i);
            d_store_below(box[0] + i, x + d_load(box[0] + i));
            d_store_below(box[1] + i, y + d_load(box[1] + i));
            d_store_above(box[2] + i, x + d_load(box[2] + i));
            d_store_above(box[3] + i, y + d_load(box[3] + i));
        }
        for (int32_t k = 0; k < 2; k++) {
            v_store(out->limits[k] + first, v_sub(v_load(box[k]), grow));
            v_store(out->limits[k + 2] + first, v_add(v_load(box[k + 2]), grow));
        }
    }
}
