// csrc/narrowphase/collide.c - picks the instance of the wide kernels, single pairs, and records in and out of blocks.
#include "narrowphase/collide.h"

#include "base/cpu.h"

B2D_DECLARE_KERNELS(b2d_collide_fn b2d_collide_run_)
B2D_DECLARE_KERNELS(b2d_collide_blocks_fn b2d_collide_blocks_run_)
B2D_DECLARE_KERNELS(b2d_manifolds_fn b2d_manifolds_run_)

b2d_collide_fn* b2d_collide_kernel(int32_t simd) { B2D_RETURN_KERNEL(simd, b2d_collide_run_); }

b2d_collide_blocks_fn* b2d_collide_blocks_kernel(int32_t simd) { B2D_RETURN_KERNEL(simd, b2d_collide_blocks_run_); }

b2d_manifolds_fn* b2d_manifolds_kernel(int32_t simd) { B2D_RETURN_KERNEL(simd, b2d_manifolds_run_); }

int32_t b2d_bucket_of(int32_t form_a, int32_t form_b) {
    if (form_a < form_b) return b2d_bucket_of(form_b, form_a);
    if (form_a == B2D_FORM_CHAIN) return B2D_BUCKET_CHAIN_POINT + form_b;
    static const uint8_t with_point[] = {B2D_BUCKET_POINT_POINT, B2D_BUCKET_LINE_POINT, B2D_BUCKET_QUAD_POINT,
                                         B2D_BUCKET_OCT_POINT};
    static const uint8_t with_hull[] = {0, B2D_BUCKET_LINE_LINE, B2D_BUCKET_QUAD, B2D_BUCKET_OCT};
    return form_b == B2D_FORM_POINT ? with_point[form_a] : with_hull[form_a];
}

void b2d_collide_shapes(const b2d_geometry* a, const b2d_geometry* b, b2d_transform b_in_a, float speculative_distance,
                        b2d_manifold* out) {
    _Alignas(64) b2d_shape_hot rows[2] = {0};
    _Alignas(64) b2d_hull4 second[2] = {0};
    b2d_shape_hot_make(a, &rows[0], &second[0]);
    b2d_shape_hot_make(b, &rows[1], &second[1]);
    bool swap = rows[0].form < rows[1].form;
    if (swap) {
        b2d_shape_hot_make(b, &rows[0], &second[0]);
        b2d_shape_hot_make(a, &rows[1], &second[1]);
    }
    for (int32_t i = 0; i < 2; i++)
        rows[i].second_hull = rows[i].count > 4 || rows[i].form == B2D_FORM_CHAIN ? i : B2D_NONE;
    b2d_collide_context context = {.shapes = rows,
                                   .second_hulls = second,
                                   .speculative_distance = speculative_distance,
                                   .linear_slop = 0.25f * speculative_distance};
    b2d_transform pose = b_in_a;
    if (swap) {
        pose.q.s = -pose.q.s;
        pose.p = b2d_neg(b2d_unrotate(b_in_a.q, b_in_a.p));
    }
    b2d_collide_one(&context, b2d_bucket_of(rows[0].form, rows[1].form), 0, 1, pose, out);
    if (!swap) return;
    out->normal = b2d_neg(b2d_rotate(b_in_a.q, out->normal));
    for (int32_t k = 0; k < out->count; k++) {
        out->point[k] = b2d_transform_point(b_in_a, out->point[k]);
        out->feature[k] = (uint16_t)(out->feature[k] >> 8 | out->feature[k] << 8);
    }
}

void b2d_block_write(b2d_contact_block* block, b2d_manifold_block* manifold, int32_t lane,
                     const b2d_contact_record* record) {
    block->nx[lane] = record->nx;
    block->ny[lane] = record->ny;
    block->normal_arm_shift[lane] = record->normal_arm_shift;
    block->along_normal_shift[lane] = record->along_normal_shift;
    block->friction[lane] = record->friction;
    block->radius_a[lane] = record->radius_a;
    block->radius_b[lane] = record->radius_b;
    block->turn[lane] = record->turn;
    block->roll_arm[lane] = record->roll_arm;
    block->roll_shift[lane] = record->roll_shift;
    for (int32_t k = 0; k < 2; k++) {
        block->point[k].normal_arm[lane] = record->point[k].normal_arm;
        block->point[k].along_normal[lane] = record->point[k].along_normal;
        block->point[k].initial_separation[lane] = record->point[k].initial_separation;
        block->point[k].normal_impulse[lane] = record->point[k].normal_impulse;
        block->point[k].tangent_impulse[lane] = record->point[k].tangent_impulse;
        manifold->normal_arm[k][lane] = record->point[k].full_normal_arm;
        manifold->separation[k][lane] = record->point[k].separation;
    }
    block->normal_force[lane] = record->normal_force;
    block->tangent_force[lane] = record->tangent_force;
    manifold->feature[lane] = record->feature;
    manifold->px[lane] = record->px;
    manifold->py[lane] = record->py;
    manifold->qc[lane] = record->qc;
    manifold->qs[lane] = record->qs;
    manifold->local_nx[lane] = record->local_nx;
    manifold->local_ny[lane] = record->local_ny;
}

// The extra block belongs to graph/: restitution, rolling, tangent speed and rolling impulse of the record are not
// written.
void b2d_block_read(const b2d_contact_block* block, const b2d_manifold_block* manifold, int32_t lane,
                    b2d_contact_record* record) {
    record->nx = block->nx[lane];
    record->ny = block->ny[lane];
    record->normal_arm_shift = block->normal_arm_shift[lane];
    record->along_normal_shift = block->along_normal_shift[lane];
    record->friction = block->friction[lane];
    record->radius_a = block->radius_a[lane];
    record->radius_b = block->radius_b[lane];
    record->turn = block->turn[lane];
    record->roll_arm = block->roll_arm[lane];
    record->roll_shift = block->roll_shift[lane];
    for (int32_t k = 0; k < 2; k++) {
        record->point[k].normal_arm = block->point[k].normal_arm[lane];
        record->point[k].along_normal = block->point[k].along_normal[lane];
        record->point[k].initial_separation = block->point[k].initial_separation[lane];
        record->point[k].normal_impulse = block->point[k].normal_impulse[lane];
        record->point[k].tangent_impulse = block->point[k].tangent_impulse[lane];
        record->point[k].full_normal_arm = manifold->normal_arm[k][lane];
        record->point[k].separation = manifold->separation[k][lane];
    }
    record->normal_force = block->normal_force[lane];
    record->tangent_force = block->tangent_force[lane];
    record->feature = manifold->feature[lane];
    record->px = manifold->px[lane];
    record->py = manifold->py[lane];
    record->qc = manifold->qc[lane];
    record->qs = manifold->qs[lane];
    record->local_nx = manifold->local_nx[lane];
    record->local_ny = manifold->local_ny[lane];
}
