"""What viewport and drafting view show and mean: geometry of drags, dimensions, trails, how a body looks."""
