"""The robot on CAN: profile, codec, the link's process, and an emulated robot for tests."""
