// Depth only.
void main() {
}
