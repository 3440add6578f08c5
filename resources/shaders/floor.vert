// The floor's light, given at the corners of a coarse mesh.
layout(location = 0) in vec4 a_corner;     // x, y in reaches; light; unused
uniform mat4 u_matrix;
uniform vec3 u_middle;     // x, y, reach
uniform vec3 u_floor;
uniform vec3 u_horizon;
out vec3 v_colour;

void main() {
    v_colour = mix(u_horizon, u_floor, a_corner.z);
    gl_Position = u_matrix * vec4(u_middle.xy + a_corner.xy * u_middle.z, 0.0, 1.0);
}
