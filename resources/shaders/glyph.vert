// A letter that faces the viewer at an anchor in the world.
layout(location = 3) in vec4 i_anchor;     // world point, unused
layout(location = 4) in vec4 i_box;        // offset of the lower left corner and size, pixels
layout(location = 5) in vec4 i_texture;    // lower left corner and size in the atlas
layout(location = 6) in vec4 i_colour;

uniform mat4 u_matrix;
uniform vec2 u_pixels;     // width and height of the picture

out vec2 v_uv;
out vec4 v_colour;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec4 p = u_matrix * vec4(i_anchor.xyz, 1.0);
    // Whole pixels, or the letters blur.
    vec2 pixel = floor((p.xy / p.w * 0.5 + 0.5) * u_pixels + 0.5) + i_box.xy + corner * i_box.zw;
    gl_Position = p.w > 0.0 ? vec4(pixel / u_pixels * 2.0 - 1.0, p.z / p.w, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
    v_uv = i_texture.xy + corner * i_texture.zw;
    v_colour = i_colour;
}
