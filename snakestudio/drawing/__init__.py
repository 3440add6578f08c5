"""The picture as plain numpy: what Scene and Snapshot look like, where the camera is, what is under the cursor."""
