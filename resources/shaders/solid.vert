// Places one solid: see snakestudio/render/meshes.py for the rule of size and instances.py for the columns.
layout(location = 0) in vec3 a_position;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in vec2 a_shape;      // stretch, tone
layout(location = 3) in vec4 i_place;      // centre, half-length
layout(location = 4) in vec4 i_turn;       // quaternion x y z w
layout(location = 5) in vec4 i_colour;     // linear
layout(location = 6) in vec4 i_look;       // radius, glow, gloss, shaded by obstacles

uniform float u_cut;       // 1: nothing below the floor is seen
uniform mat4 u_matrix;
uniform vec2 u_grow;       // way along the normal: fixed (m), and times the depth

out vec3 v_world;
out vec3 v_normal;
out vec4 v_colour;
flat out vec3 v_look;
out vec2 v_shadow;
uniform vec4 u_shadow_place;   // scale, offset
uniform vec2 u_throw;          // way of a shadow a metre of height

vec3 turn(vec4 q, vec3 v) {
    vec3 t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}

void main() {
    vec3 local = i_look.x * a_position;
    local.x += i_place.w * a_shape.x;
    v_world = i_place.xyz + turn(i_turn, local);
    gl_Position = u_matrix * vec4(v_world, 1.0);
    if (u_grow != vec2(0.0)) {
        v_world += (u_grow.x + u_grow.y * gl_Position.w) * turn(i_turn, a_normal);
        gl_Position = u_matrix * vec4(v_world, 1.0);
    }
    gl_ClipDistance[0] = u_cut > 0.0 ? v_world.z : 1.0;  // some drivers clip by it whether it is enabled or not
    v_normal = turn(i_turn, a_normal);
    v_colour = vec4(i_colour.rgb * a_shape.y, i_colour.a);
    v_look = i_look.yzw;
    v_shadow = (v_world.xy + u_throw * v_world.z) * u_shadow_place.xy + u_shadow_place.zw;
}
