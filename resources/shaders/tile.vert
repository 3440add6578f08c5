// Tiles of the picture.
layout(location = 3) in vec4 i_tile;       // corner and size, pixels
uniform vec2 u_pixels;     // width and height of the picture

void main() {
    vec2 p = i_tile.xy + vec2(gl_VertexID & 1, gl_VertexID >> 1) * i_tile.zw;
    gl_Position = vec4(p / u_pixels * 2.0 - 1.0, 0.0, 1.0);
}
