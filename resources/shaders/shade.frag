// Black with the opacity of the shadow.
in vec2 v_uv;
uniform sampler2D u_shadow;
uniform vec2 u_strength;   // shadow, contact
out vec4 colour;

void main() {
    vec2 dark = texture(u_shadow, v_uv).rg * u_strength;
    colour = vec4(0.0, 0.0, 0.0, 1.0 - (1.0 - dark.r) * (1.0 - dark.g));
}
