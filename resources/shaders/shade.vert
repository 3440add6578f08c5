// The part of the floor that shadows can fall on.
uniform mat4 u_matrix;
uniform vec4 u_region;     // corner and size
out vec2 v_uv;

void main() {
    v_uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = u_matrix * vec4(u_region.xy + v_uv * u_region.zw, 0.0, 1.0);
}
