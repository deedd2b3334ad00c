"""The shaders: instanced quads whose fragments measure their distance to the shape, so that every edge is smooth at any
zoom. All coordinates are metres from the centre of the camera; the differences are computed in float64 before the
upload.

All coordinates are metres from the camera's centre; the differences are taken in float64 before they come here.
"""

SHAPE_VERTEX = """#version 330 core
layout(location = 0) in vec4 p01;
layout(location = 1) in vec4 p23;
layout(location = 2) in vec4 p45;
layout(location = 3) in vec4 p67;
layout(location = 4) in ivec4 meta;   // body, vertices, kind (1: one-sided line), unused
layout(location = 5) in float radius;
layout(location = 6) in vec4 color;
uniform samplerBuffer bodies;         // x, y, cosine, sine of each body: before the last step, then now
uniform float part;                   // of the way between them that the picture shows
uniform vec2 scale;                   // metres to clip space
uniform float pixel;                  // metres a pixel
out vec2 at;                          // body coordinates
flat out vec4 q01, q23, q45, q67;
flat out ivec2 kind;
flat out float rim;
flat out vec4 tint;

void main() {
    vec2 p[8] = vec2[8](p01.xy, p01.zw, p23.xy, p23.zw, p45.xy, p45.zw, p67.xy, p67.zw);
    vec2 low = p[0], high = p[0];
    for (int k = 1; k < meta.y; k++) { low = min(low, p[k]); high = max(high, p[k]); }
    float margin = radius + (meta.z == 1 ? 9.0 : 2.0) * pixel;
    low -= margin;
    high += margin;
    at = vec2((gl_VertexID & 1) == 0 ? low.x : high.x, (gl_VertexID & 2) == 0 ? low.y : high.y);
    vec4 pose = texelFetch(bodies, 2 * meta.x + 1), before = texelFetch(bodies, 2 * meta.x);
    if (part < 1.0 && distance(pose.xy, before.xy) < 20.0) { // farther: it was put elsewhere
        pose = mix(before, pose, part);
        pose.zw /= max(length(pose.zw), 1e-3);
    }
    vec2 world = pose.xy + vec2(pose.z * at.x - pose.w * at.y, pose.w * at.x + pose.z * at.y);
    gl_Position = vec4(world * scale, 0.0, 1.0);
    q01 = p01; q23 = p23; q45 = p45; q67 = p67;
    kind = meta.yz;
    rim = radius;
    tint = color;
}
"""

SHAPE_FRAGMENT = """#version 330 core
in vec2 at;
flat in vec4 q01, q23, q45, q67;
flat in ivec2 kind;
flat in float rim;
flat in vec4 tint;
uniform float pixel;
uniform vec2 shade;                   // factors of the colour: fill, edge
uniform float edge_width;             // pixels
out vec4 result;

float to_segment(vec2 w, vec2 e) { return length(w - e * clamp(dot(w, e) / max(dot(e, e), 1e-12), 0.0, 1.0)); }

void main() {
    vec2 p[8] = vec2[8](q01.xy, q01.zw, q23.xy, q23.zw, q45.xy, q45.zw, q67.xy, q67.zw);
    int count = kind.x;
    float d;
    if (count == 1) d = length(at - p[0]);
    else if (count == 2) d = to_segment(at - p[0], p[1] - p[0]);
    else {
        d = 1e30;
        bool inside = true;
        for (int k = 0; k < count; k++) {
            vec2 e = p[k + 1 < count ? k + 1 : 0] - p[k], w = at - p[k];
            d = min(d, to_segment(w, e));
            inside = inside && e.x * w.y - e.y * w.x >= 0.0;
        }
        if (inside) d = -d;
    }
    d = (d - rim) / pixel;            // pixels
    if (count == 2 && rim == 0.0) {   // a bare line; a one-sided one has a shadow on its solid side
        float line = clamp(edge_width + 0.2 - d, 0.0, 1.0), glow = 0.0;
        if (kind.y == 1) {
            vec2 e = p[1] - p[0], w = at - p[0];
            float behind = (e.x * w.y - e.y * w.x) / max(length(e), 1e-12) / pixel;
            float along = dot(w, e) / max(dot(e, e), 1e-12);
            if (behind > 0.0 && along >= 0.0 && along <= 1.0) glow = 0.4 * clamp(1.0 - behind / 8.0, 0.0, 1.0);
        }
        result = vec4(tint.rgb * shade.y, tint.a * max(line, glow));
        return;
    }
    float cover = clamp(0.5 - d, 0.0, 1.0);
    if (cover <= 0.0) discard;
    float edge = clamp(d + edge_width + 0.5, 0.0, 1.0);
    if (count == 1) {                 // a spoke shows how it is turned
        vec2 w = at - p[0];
        float spoke = to_segment(w, vec2(rim, 0.0)) / pixel;
        edge = max(edge, clamp(0.5 * edge_width + 0.5 - spoke, 0.0, 1.0) * step(4.0 * pixel, rim));
    }
    vec3 fill = tint.rgb * shade.x, border = min(tint.rgb * shade.y, vec3(1.0));
    float alpha = mix(tint.a, min(1.0, tint.a + 0.5), edge);
    result = vec4(mix(fill, border, edge), alpha * cover);
}
"""

LINE_VERTEX = """#version 330 core
layout(location = 0) in vec4 ends;
layout(location = 1) in vec4 color;
uniform vec2 scale;
uniform float pixel;
uniform float width;                  // pixels
out vec2 across;
flat out float half_length;
out vec4 tint;

void main() {
    vec2 a = ends.xy / pixel, b = ends.zw / pixel, way = b - a;
    float reach = length(way);
    way = reach > 1e-6 ? way / reach : vec2(1.0, 0.0);
    float side = (gl_VertexID & 1) == 0 ? -1.0 : 1.0, along = (gl_VertexID & 2) == 0 ? -1.0 : 1.0;
    float fat = 0.5 * width + 1.0;
    across = vec2(side * fat, along * (0.5 * reach + fat));
    half_length = 0.5 * reach;
    vec2 at = 0.5 * (a + b) + along * (0.5 * reach + fat) * way + side * fat * vec2(-way.y, way.x);
    gl_Position = vec4(at * pixel * scale, 0.0, 1.0);
    tint = color;
}
"""

LINE_FRAGMENT = """#version 330 core
in vec2 across;
flat in float half_length;
in vec4 tint;
uniform float width;
out vec4 result;

void main() {
    float d = length(vec2(across.x, max(abs(across.y) - half_length, 0.0)));
    float cover = clamp(0.5 * width + 0.5 - d, 0.0, 1.0);
    if (cover <= 0.0) discard;
    result = vec4(tint.rgb, tint.a * cover);
}
"""

POINT_VERTEX = """#version 330 core
layout(location = 0) in vec3 place;   // x, y, diameter in pixels
layout(location = 1) in vec4 color;
uniform vec2 scale;
uniform float pixel;
uniform float zoom;                   // of the interface
out vec2 at;
flat out float radius;
out vec4 tint;

void main() {
    radius = 0.5 * place.z * zoom;
    at = vec2((gl_VertexID & 1) == 0 ? -1.0 : 1.0, (gl_VertexID & 2) == 0 ? -1.0 : 1.0) * (radius + 1.0);
    gl_Position = vec4((place.xy + at * pixel) * scale, 0.0, 1.0);
    tint = color;
}
"""

POINT_FRAGMENT = """#version 330 core
in vec2 at;
flat in float radius;
in vec4 tint;
out vec4 result;

void main() {
    float cover = clamp(radius + 0.5 - length(at), 0.0, 1.0);
    if (cover <= 0.0) discard;
    result = vec4(tint.rgb, tint.a * cover);
}
"""

FILL_VERTEX = """#version 330 core
layout(location = 0) in vec2 place;
layout(location = 1) in vec4 color;
uniform vec2 scale;
out vec4 tint;
void main() { gl_Position = vec4(place * scale, 0.0, 1.0); tint = color; }
"""

FILL_FRAGMENT = """#version 330 core
in vec4 tint;
out vec4 result;
void main() { result = tint; }
"""
