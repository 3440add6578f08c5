// A soft stadium (a segment grown by a radius) on the floor: the shadow of a link or an obstacle.
layout(location = 3) in vec4 i_segment;    // ends on the floor
layout(location = 4) in vec4 i_shape;      // radius, softness at either end, stretch along the light's direction
layout(location = 5) in vec4 i_strength;   // strength at either end, channel, unused

uniform vec4 u_region;     // corner and one over the size of the region
uniform vec2 u_throw;      // unit vector in which shadows fall

out vec2 v_at;
flat out vec4 v_segment;
flat out vec3 v_shape;
flat out vec3 v_strength;

// The shadow of a ball is longer in the light's direction: shrink that, and it is a disc.
vec2 shrink(vec2 p) {
    return p + (i_shape.w - 1.0) * dot(p, u_throw) * u_throw;
}

void main() {
    float reach = (i_shape.x + max(i_shape.y, i_shape.z)) / i_shape.w;
    vec2 low = min(i_segment.xy, i_segment.zw) - reach;
    vec2 high = max(i_segment.xy, i_segment.zw) + reach;
    vec2 p = mix(low, high, vec2(gl_VertexID & 1, gl_VertexID >> 1));
    v_at = shrink(p);
    v_segment = vec4(shrink(i_segment.xy), shrink(i_segment.zw));
    v_shape = i_shape.xyz;
    v_strength = i_strength.xyz;
    gl_Position = vec4((p - u_region.xy) * u_region.zw * 2.0 - 1.0, 0.0, 1.0);
}
