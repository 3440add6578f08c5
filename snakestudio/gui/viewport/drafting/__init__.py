"""The drafting view: rulers, dimensions and measuring over the viewport."""
