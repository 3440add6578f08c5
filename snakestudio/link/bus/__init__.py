"""CAN buses through whatever adapter there is, logs of their frames, and logs played as if they were a bus."""
