// Light of the solids: a key light with shadow, sky and floor as ambient light, a highlight and a rim.
in vec3 v_world;
in vec3 v_normal;
in vec4 v_colour;
flat in vec3 v_look;       // glow, gloss, shaded by obstacles

uniform vec3 u_light;      // unit vector to the key light
uniform vec4 u_eye;        // eye (w = 1) or direction to it (w = 0)
uniform vec3 u_ambient_up;
uniform vec3 u_ambient_down;
uniform float u_opacity;

#ifdef SHADED
uniform sampler2D u_shadow;
in vec2 v_shadow;
#endif

out vec4 colour;

void main() {
    vec3 n = normalize(v_normal);
    vec3 to_eye = normalize(u_eye.xyz - v_world * u_eye.w);
    float key = max(dot(n, u_light), 0.0);
    float lit = 1.0;
#ifdef SHADED
    lit -= v_look.z * texture(u_shadow, v_shadow).b;
#endif
    key *= lit;
    // Close to the floor less light comes in from the side.
    float open = 0.62 + 0.38 * clamp(v_world.z * 14.0, 0.0, 1.0);
    vec3 light = mix(u_ambient_down, u_ambient_up, 0.5 + 0.5 * n.z) * open + vec3(0.80, 0.78, 0.74) * key;
    float h = max(dot(n, normalize(u_light + to_eye)), 0.0);
    h *= h; h *= h; h *= h; h *= h; h *= h;
    float rim = 1.0 - max(dot(n, to_eye), 0.0);
    rim *= rim; rim *= rim;
    vec3 shade = mix(v_colour.rgb * light, v_colour.rgb, v_look.x) + v_look.y * (h * lit + 0.16 * rim * u_ambient_up);
    colour = vec4(sqrt(shade), v_colour.a * u_opacity);
}
