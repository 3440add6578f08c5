// An image as it is.
in vec2 v_uv;
uniform sampler2D u_image;
out vec4 colour;

void main() {
    colour = texture(u_image, v_uv);
}
