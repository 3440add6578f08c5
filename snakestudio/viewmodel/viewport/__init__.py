"""Content of the viewport and drafting view: geometry of drags, dimensions, trails, appearance of bodies."""
