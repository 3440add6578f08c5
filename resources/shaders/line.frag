in vec4 v_colour;
in vec3 v_edge;
out vec4 colour;

void main() {
    float cover = clamp(v_edge.y + 0.5 - abs(v_edge.x), 0.0, 1.0);
    colour = vec4(v_colour.rgb, v_colour.a * cover);
}
