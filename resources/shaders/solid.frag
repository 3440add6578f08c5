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
#ifdef TERRAIN
// Obstacles throw their shadow by a map of heights: whatever is lower than the highest point on its ray is in shadow.
uniform sampler2DShadow u_heights;
uniform vec4 u_shadow_place;   // scale, offset
uniform vec2 u_throw;          // way of a shadow a metre of height
uniform vec4 u_map;            // one over the height of the highest point, texel (m), texel in the map either way
uniform vec4 u_links;          // lowest link and span of their heights, width of the edge, radius, m
uniform float u_receiver;      // 1 if links throw shadows on this, 0 on links themselves

float sky(vec3 n) {
    // Off the surface by a texel, or it would shade itself.
    vec3 p = v_world + 1.6 * u_map.y * n;
    vec2 at = (p.xy + u_throw * p.z) * u_shadow_place.xy + u_shadow_place.zw;
    if (any(lessThan(at, vec2(0.0))) || any(greaterThan(at, vec2(1.0)))) return 1.0;
    float depth = 1.0 - (p.z + 0.5 * u_map.y) * u_map.x;
    vec2 a = 0.9 * u_map.zw * vec2(0.42, 0.91), b = 0.9 * u_map.zw * vec2(-0.91, 0.42);
    return 0.25 * (texture(u_heights, vec3(at + a, depth)) + texture(u_heights, vec3(at - a, depth))
                 + texture(u_heights, vec3(at + b, depth)) + texture(u_heights, vec3(at - b, depth)));
}

float smooth_step(float s) {
    return s * s * (3.0 - 2.0 * s);
}
#endif

out vec4 colour;

void main() {
    vec3 n = normalize(v_normal);
    vec3 to_eye = normalize(u_eye.xyz - v_world * u_eye.w);
    float key = max(dot(n, u_light), 0.0);
    float lit = 1.0;
    float near = 0.0;
#ifdef TERRAIN
    lit -= v_look.z * (1.0 - sky(n));
    if (u_receiver > 0.0) {
        vec2 field = texture(u_shadow, v_shadow).ba;
        float above = u_links.x + field.y * u_links.y - v_world.z;
        if (field.x > 0.0 && above > 0.0) {
            float soft = min(0.006 + 0.22 * above, u_links.z);
            float inside = clamp(0.5 + (field.x - 0.5) * u_links.z / soft, 0.0, 1.0);
            lit *= 1.0 - smooth_step(inside) * smooth_step(min(above / (0.7 * u_links.w), 1.0)) / (1.0 + 1.4 * above);
        }
        // What is straight above, if it lies on this.
        field = texture(u_shadow, v_shadow + u_throw * u_links.w * u_shadow_place.xy).ba;
        above = u_links.x + field.y * u_links.y - v_world.z - u_links.w;
        float inside = clamp(0.5 + (field.x - 0.5) * u_links.z / (0.55 * u_links.w), 0.0, 1.0);
        near = field.x > 0.0 ? smooth_step(inside) * clamp(1.0 - abs(above) / 0.05, 0.0, 1.0) : 0.0;
    }
#elif defined(SHADED)
    lit -= v_look.z * texture(u_shadow, v_shadow).b;
#endif
    key *= lit;
    // Close to the floor less light comes in from the side.
    float open = 0.62 + 0.38 * clamp(v_world.z * 14.0, 0.0, 1.0);
    vec3 light = mix(u_ambient_down, u_ambient_up, 0.5 + 0.5 * n.z) * open + vec3(0.80, 0.78, 0.74) * key;
    light *= 1.0 - 0.45 * near;
    float h = max(dot(n, normalize(u_light + to_eye)), 0.0);
    h *= h; h *= h; h *= h; h *= h; h *= h;
    float rim = 1.0 - max(dot(n, to_eye), 0.0);
    rim *= rim; rim *= rim;
    vec3 shade = mix(v_colour.rgb * light, v_colour.rgb, v_look.x) + v_look.y * (h * lit + 0.16 * rim * u_ambient_up);
    colour = vec4(sqrt(shade), v_colour.a * u_opacity);
}
