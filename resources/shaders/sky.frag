// Background: from the horizon up.
in vec2 v_uv;
uniform vec3 u_horizon;
uniform vec3 u_sky;
uniform vec2 u_band;       // height of the horizon in the picture (0 to 1), one over the height of the transition
out vec4 colour;

void main() {
    float s = clamp((v_uv.y - u_band.x) * u_band.y, 0.0, 1.0);
    colour = vec4(mix(u_horizon, u_sky, s), 1.0);
}
