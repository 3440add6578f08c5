// A grey-scale picture between two colours.
in vec2 v_uv;
uniform sampler2D u_picture;
uniform vec3 u_dark;
uniform vec4 u_light;      // with the opacity of both
out vec4 colour;

void main() {
    colour = vec4(mix(u_dark, u_light.rgb, texture(u_picture, v_uv).r), u_light.a);
}
