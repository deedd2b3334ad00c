// csrc/lab/members.c - see members.h.
#include "lab/members.h"

void b2d_members_init(b2d_members* members, const b2d_proxies* proxies, b2d_members_visit_fn* visit,
                      b2d_members_ray_fn* visit_ray) {
    members->proxies = proxies;
    members->visit = visit;
    members->visit_ray = visit_ray;
    members->most_extent = INFINITY;
    b2d_tree_init(&members->still);
    b2d_tree_init(&members->large);
}

void b2d_members_free(b2d_memory* memory, b2d_members* members) {
    b2d_tree_free(memory, &members->still);
    b2d_tree_free(memory, &members->large);
    b2d_free(memory, members->holder, (size_t)members->holder_capacity * sizeof *members->holder);
    b2d_bits_free(memory, &members->inside);
    b2d_bits_free(memory, &members->changed);
    b2d_bits_free(memory, &members->replaced);
    b2d_bits_free(memory, &members->stale);
    b2d_bits_free(memory, &members->touched);
    b2d_free(memory, members->ids, (size_t)members->id_capacity * sizeof *members->ids);
}

bool b2d_members_change(b2d_memory* memory, b2d_broadphase* broadphase, const int32_t* shapes, int32_t count,
                        int32_t before) {
    b2d_members* members = (b2d_members*)broadphase;
    const b2d_proxies* p = members->proxies;
    for (int32_t k = 0; k < count; k++) {
        const bool replaced = before == B2D_PROXY_NONE || before == p->proxy_class[shapes[k]];
        if (!b2d_bits_add(memory, &members->replaced, shapes + k, replaced, p->capacity) ||
            !b2d_bits_add(memory, &members->changed, shapes + k, 1, p->capacity))
            return false;
    }
    return true;
}

static int32_t holder_of(const b2d_members* members, int32_t shape) {
    const b2d_proxies* p = members->proxies;
    const int32_t class = p->proxy_class[shape];
    if (class == B2D_PROXY_NONE) return B2D_HELD_NOWHERE;
    if (class == B2D_PROXY_STATIC) return B2D_HELD_STILL;
    const b2d_box box = b2d_fat_box(p, shape);
    const float extent = b2d_max(box.max_x - box.min_x, box.max_y - box.min_y);
    return extent <= members->most_extent ? B2D_HELD_AS_MEMBER : B2D_HELD_LARGE;
}

// Decides the holders of the stale shapes, and brings the trees up to date.
static bool place_stale(b2d_memory* memory, b2d_members* members) {
    B2D_FOR_BITS (&members->stale, id) {
        const int32_t before = members->holder[id], now = holder_of(members, id);
        members->holder[id] = (uint8_t)now;
        if (now == B2D_HELD_AS_MEMBER) b2d_bits_set(&members->inside, id);
        else b2d_bits_unset(&members->inside, id);
        if (before >= B2D_HELD_STILL || now >= B2D_HELD_STILL) b2d_bits_set(&members->touched, id);
    }
    const int32_t touched = b2d_bits_count(&members->touched);
    if (touched == 0) return true;
    if (!B2D_GROW(memory, members->ids, members->id_capacity, touched)) return false;
    b2d_bits_list(&members->touched, 0, members->touched.word_count, members->ids);
    const b2d_proxies* p = members->proxies;
    if (!b2d_tree_sync(memory, &members->still, p, members->ids, touched, members->holder, 1u << B2D_HELD_STILL) ||
        !b2d_tree_sync(memory, &members->large, p, members->ids, touched, members->holder, 1u << B2D_HELD_LARGE))
        return false;
    b2d_bits_clear(&members->touched);
    return true;
}

bool b2d_members_update(b2d_memory* memory, b2d_members* members) {
    const b2d_proxies* p = members->proxies;
    const int32_t room = (p->capacity + 63) & ~63;
    if (!B2D_GROW(memory, members->holder, members->holder_capacity, room) ||
        !b2d_bits_reserve(memory, &members->inside, room) || !b2d_bits_reserve(memory, &members->changed, room) ||
        !b2d_bits_reserve(memory, &members->replaced, room) || !b2d_bits_reserve(memory, &members->stale, room) ||
        !b2d_bits_reserve(memory, &members->touched, room))
        return false;
    b2d_bits_merge(&members->stale, &p->dirty);
    b2d_bits_merge(&members->stale, &members->changed);
    b2d_bits_clear(&members->changed);
    return place_stale(memory, members);
}

void b2d_members_done(b2d_members* members) {
    b2d_bits_clear(&members->stale);
    b2d_bits_clear(&members->replaced);
}

bool b2d_members_set_extent(b2d_memory* memory, b2d_members* members, float extent) {
    members->most_extent = extent;
    for (int32_t id = 0; id < members->holder_capacity; id++)
        if (members->holder[id] == B2D_HELD_AS_MEMBER || members->holder[id] == B2D_HELD_LARGE)
            b2d_bits_set(&members->stale, id);
    return place_stale(memory, members);
}

float b2d_members_median_extent(const b2d_members* members) {
    enum { SAMPLES = 128 };
    const b2d_proxies* p = members->proxies;
    float extents[SAMPLES];
    int32_t count = 0;
    const int32_t stride = b2d_max_int(p->limit / SAMPLES, 1);
    for (int32_t id = 0; id < b2d_min_int(p->limit, members->holder_capacity) && count < SAMPLES; id += stride) {
        if (p->proxy_class[id] < B2D_PROXY_ASLEEP) continue;
        const b2d_box box = b2d_fat_box(p, id);
        const float extent = b2d_max(box.max_x - box.min_x, box.max_y - box.min_y);
        int32_t at = count++;
        for (; at > 0 && extents[at - 1] > extent; at--) extents[at] = extents[at - 1];
        extents[at] = extent;
    }
    return count > 0 ? extents[count / 2] : 0.0f;
}

// ---- pairs in which a tree takes part

typedef struct tree_query {
    const b2d_members* members;
    b2d_key_list* list;
    b2d_box old;
    int32_t shape;
} tree_query;

static void report(const tree_query* query, int32_t other) {
    const b2d_proxies* p = query->members->proxies;
    if (!b2d_box_overlaps(query->old, b2d_old_box(p, other)) && b2d_proxies_may_pair(p, query->shape, other))
        b2d_key_list_push(query->list, b2d_pair_key(query->shape, other));
}

static bool found_member(void* context, int32_t other) { // a moved member finds the pair itself
    const tree_query* query = context;
    if (!b2d_bits_has(&query->members->proxies->moved, other)) report(query, other);
    return true;
}

static void tree_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    const b2d_members* members = context;
    const b2d_proxies* p = members->proxies;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = members->ids[k], holder = members->holder[i];
        if (holder == B2D_HELD_NOWHERE) continue;
        const b2d_box box = b2d_fat_box(p, i);
        tree_query query = {members, &members->lists[worker], b2d_old_box(p, i), i};
        b2d_tree_walk walk;
        if (holder != B2D_HELD_STILL && members->still.leaf_count > 0) {
            b2d_tree_walk_start(&members->still, &walk, box);
            for (int32_t j; (j = b2d_tree_walk_next(&members->still, &walk, box)) != B2D_NONE;) report(&query, j);
        }
        if (members->large.leaf_count > 0) {
            b2d_tree_walk_start(&members->large, &walk, box);
            for (int32_t j; (j = b2d_tree_walk_next(&members->large, &walk, box)) != B2D_NONE;) {
                if (j == i) continue;
                if (holder != B2D_HELD_AS_MEMBER && b2d_bits_has(&p->moved, j) && (holder == B2D_HELD_STILL || j < i))
                    continue;
                report(&query, j);
            }
        }
        if (holder != B2D_HELD_AS_MEMBER) members->visit((const b2d_broadphase*)members, box, found_member, &query);
    }
}

bool b2d_members_tree_pairs(b2d_memory* memory, b2d_members* members, b2d_scheduler* scheduler, b2d_key_list* lists) {
    const b2d_bits* moved = &members->proxies->moved;
    if (!B2D_GROW(memory, members->ids, members->id_capacity, b2d_bits_count(moved))) return false;
    const int32_t count = b2d_bits_list(moved, 0, moved->word_count, members->ids);
    members->lists = lists;
    b2d_parallel_for(scheduler, tree_stage, members, count, 128);
    return !b2d_key_lists_failed(lists, b2d_scheduler_workers(scheduler));
}

// ---- queries

typedef struct class_filter {
    const uint8_t* proxy_class;
    uint32_t classes;
    b2d_query_fn* found;
    void* context;
} class_filter;

static bool found_in_class(void* context, int32_t shape) {
    const class_filter* filter = context;
    return (filter->classes >> filter->proxy_class[shape] & 1) == 0 || filter->found(filter->context, shape);
}

static bool query_tree(const b2d_tree* tree, b2d_box box, class_filter* filter) {
    b2d_tree_walk walk;
    b2d_tree_walk_start(tree, &walk, box);
    for (int32_t shape; (shape = b2d_tree_walk_next(tree, &walk, box)) != B2D_NONE;)
        if (!found_in_class(filter, shape)) return false;
    return true;
}

enum { AWAKE_OR_ASLEEP = 1 << B2D_PROXY_ASLEEP | 1 << B2D_PROXY_MOVING };

void b2d_members_query(const b2d_broadphase* broadphase, b2d_box box, uint32_t classes, b2d_query_fn* found,
                       void* context) {
    const b2d_members* members = (const b2d_members*)broadphase;
    class_filter filter = {members->proxies->proxy_class, classes, found, context};
    if ((classes & 1u << B2D_PROXY_STATIC) != 0 && !query_tree(&members->still, box, &filter)) return;
    if ((classes & AWAKE_OR_ASLEEP) != 0 && query_tree(&members->large, box, &filter))
        members->visit(broadphase, box, found_in_class, &filter);
}

void b2d_members_ray(const b2d_broadphase* broadphase, double px, double py, double dx, double dy, float radius,
                     uint32_t classes, const float* max_fraction, b2d_query_fn* found, void* context) {
    const b2d_members* members = (const b2d_members*)broadphase;
    const b2d_ray ray = b2d_ray_make(px, py, dx, dy, radius);
    class_filter filter = {members->proxies->proxy_class, classes, found, context};
    if ((classes & 1u << B2D_PROXY_STATIC) != 0 &&
        !b2d_tree_ray(&members->still, &ray, max_fraction, found_in_class, &filter))
        return;
    if ((classes & AWAKE_OR_ASLEEP) != 0 && b2d_tree_ray(&members->large, &ray, max_fraction, found_in_class, &filter))
        members->visit_ray(broadphase, &ray, max_fraction, found_in_class, &filter);
}

void b2d_members_boxes(const b2d_members* members, b2d_box_fn* found, void* context) {
    b2d_tree_inner_boxes(&members->still, found, context);
    b2d_tree_inner_boxes(&members->large, found, context);
}

const char* b2d_members_validate(const b2d_members* members) {
    const b2d_proxies* p = members->proxies;
    for (int32_t i = 0; i < b2d_min_int(p->limit, members->holder_capacity); i++) {
        const int32_t holder = members->holder[i];
        if ((holder == B2D_HELD_STILL) != b2d_tree_has(&members->still, i) ||
            (holder == B2D_HELD_LARGE) != b2d_tree_has(&members->large, i) ||
            (holder == B2D_HELD_AS_MEMBER) != b2d_bits_has(&members->inside, i))
            return "lab: a shape lies in another structure than its holder says";
        if (b2d_bits_has(&members->changed, i) || b2d_bits_has(&p->dirty, i)) continue; // handled by the next update
        if (holder != holder_of(members, i)) return "lab: the holder of a shape does not suit its class or size";
        if (holder >= B2D_HELD_STILL &&
            !b2d_box_same(b2d_tree_box(holder == B2D_HELD_STILL ? &members->still : &members->large, i),
                          b2d_fat_box(p, i)))
            return "lab: the box of a leaf is stale";
    }
    const char* broken = b2d_tree_validate(&members->still);
    return broken != NULL ? broken : b2d_tree_validate(&members->large);
}
