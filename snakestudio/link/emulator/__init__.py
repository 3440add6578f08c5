"""The robot's end of the bus, without a robot: firmware of its nodes, joints that move, and faults on demand."""
