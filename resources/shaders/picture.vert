// The part of the floor that a picture lies on.
uniform mat4 u_matrix;
uniform vec2 u_corner;
uniform vec4 u_edges;      // lower edge, left edge
out vec2 v_uv;

void main() {
    v_uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = u_matrix * vec4(u_corner + v_uv.x * u_edges.xy + v_uv.y * u_edges.zw, 0.0, 1.0);
}
