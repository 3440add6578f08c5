// A line segment as a strip of constant width in the picture.
layout(location = 3) in vec4 i_start;      // point, width
layout(location = 4) in vec4 i_end;        // point, opacity there
layout(location = 5) in vec4 i_colour;     // opacity at the start

uniform mat4 u_matrix;
uniform vec3 u_pixels;     // width and height of the picture, pixels a unit of width

out vec4 v_colour;
out vec3 v_edge;           // signed distance from the middle (pixels, times w), half of the width, w

void main() {
    vec4 a = u_matrix * vec4(i_start.xyz, 1.0);
    vec4 b = u_matrix * vec4(i_end.xyz, 1.0);
    // Cut off what lies behind the eye.
    const float near = 1e-3;
    if (a.w < near && b.w > near) a = mix(a, b, (near - a.w) / (b.w - a.w));
    if (b.w < near && a.w > near) b = mix(b, a, (near - b.w) / (a.w - b.w));
    vec2 along = (b.xy / b.w - a.xy / a.w) * u_pixels.xy;
    float len = length(along);
    along = len > 1e-6 ? along / len : vec2(1.0, 0.0);
    float half_width = 0.5 * i_start.w * u_pixels.z;
    float reach = half_width + 0.5;
    bool at_end = (gl_VertexID & 1) == 1;
    float side = (gl_VertexID & 2) == 2 ? 1.0 : -1.0;
    vec4 p = at_end ? b : a;
    vec2 shift = vec2(-along.y, along.x) * side * reach;
    p.xy += 2.0 * shift / u_pixels.xy * p.w;
    // A little towards the eye, so that a line on a surface lies on it.
    p.z -= 0.0004 * p.w;
    gl_Position = a.w < near && b.w < near ? vec4(2.0, 2.0, 2.0, 1.0) : p;
    v_colour = vec4(i_colour.rgb, at_end ? i_end.w : i_colour.a);
    v_edge = vec3(side * reach, half_width, 1.0);
}
