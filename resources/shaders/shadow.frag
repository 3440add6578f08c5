// Red: shadow of everything on the floor; green: dark near contacts; blue: shadow of the obstacles on links. Where there
// is terrain blue says instead how deep inside a link's shadow a point is (0.5 on its edge), alpha how high that link is.
in vec2 v_at;
flat in vec4 v_segment;
flat in vec3 v_shape;
flat in vec3 v_strength;
out vec4 colour;

void main() {
    vec2 along = v_segment.zw - v_segment.xy;
    vec2 from = v_at - v_segment.xy;
    float s = clamp(dot(from, along) / max(dot(along, along), 1e-9), 0.0, 1.0);
    float soft = mix(v_shape.y, v_shape.z, s);
    float inside = clamp(0.5 - 0.5 * (length(from - s * along) - v_shape.x) / soft, 0.0, 1.0);
    if (v_strength.z == 3.0) {
        colour = vec4(0.0, 0.0, inside, inside > 0.0 ? mix(v_strength.x, v_strength.y, s) : 0.0);
        return;
    }
    float dark = inside * inside * (3.0 - 2.0 * inside) * mix(v_strength.x, v_strength.y, s);
    colour = vec4(v_strength.z == 0.0 ? dark : 0.0, v_strength.z == 1.0 ? dark : 0.0, v_strength.z == 2.0 ? dark : 0.0, 0.0);
}
