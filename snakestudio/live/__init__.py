"""The live robot: what a link measures as snapshots and a recording, controllers in the loop, poses, and a twin."""
