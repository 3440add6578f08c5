"""CAN buses through any adapter, logs of their frames, and the replay of logs as a bus."""
