// Shadow of terrain on the floor, made once: soft in proportion to the height of what throws it, and dark around feet.
in vec2 v_uv;
uniform sampler2D u_heights;   // depth 1 is the floor, 0 the highest point
uniform vec3 u_size;           // extent of the region and height of the highest point, m
uniform vec3 u_soft;           // softness at the foot (m) and a metre of height, fading a metre of height
out vec4 colour;

// Evenly spread points of the unit disc.
vec2 tap(int k, int count) {
    float r = sqrt((float(k) + 0.5) / float(count)), a = 2.399963 * float(k);
    return r * vec2(cos(a), sin(a));
}

// Height of what the light meets on its way to a point beside this one; negative if nothing.
float caster(vec2 shift) {
    float depth = texture(u_heights, v_uv + shift / u_size.xy).r;
    return depth < 0.99999 ? (1.0 - depth) * u_size.z : -1.0;
}

void main() {
    float reach = u_soft.x + u_soft.y * u_size.z;
    float sum = 0.0, count = 0.0;
    for (int k = 0; k < 12; ++k) {
        vec2 shift = reach * tap(k, 12);
        float height = caster(shift);
        if (height >= 0.0 && length(shift) < u_soft.x + u_soft.y * height) { sum += height; count += 1.0; }
    }
    float dark = 0.0;
    if (count > 0.0) {
        float height = sum / count;
        float radius = u_soft.x + u_soft.y * height;
        for (int k = 0; k < 24; ++k) dark += caster(radius * tap(k, 24)) >= 0.0 ? 1.0 : 0.0;
        dark *= 1.0 / 24.0 / (1.0 + u_soft.z * height);
    }
    float foot = 0.0;
    for (int k = 0; k < 12; ++k) {
        float height = caster(0.03 * tap(k, 12));
        foot += height >= 0.0 && height < 0.08 ? 1.0 : 0.0;
    }
    colour = vec4(dark, foot / 12.0, 0.0, 0.0);
}
