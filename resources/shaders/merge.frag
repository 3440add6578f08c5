// Lays the multisampled solids over floor and sky.
uniform sampler2DMS u_layer;
uniform ivec2 u_corner;
uniform int u_samples;
out vec4 colour;

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy) - u_corner;
#ifdef FOUR
    colour = 0.25 * (texelFetch(u_layer, at, 0) + texelFetch(u_layer, at, 1) + texelFetch(u_layer, at, 2) + texelFetch(u_layer, at, 3));
#else
    colour = vec4(0.0);
    for (int k = 0; k < u_samples; ++k) colour += texelFetch(u_layer, at, k);
    colour /= float(u_samples);
#endif
}
