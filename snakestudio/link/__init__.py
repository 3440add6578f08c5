"""The robot on CAN: profile, codec, the link's own process, and the robot's end of the bus to test them against."""
