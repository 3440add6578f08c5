in vec2 v_uv;
in vec4 v_colour;
uniform sampler2D u_atlas;
out vec4 colour;

void main() {
    colour = vec4(v_colour.rgb, v_colour.a * texture(u_atlas, v_uv).r);
}
