"""Drafting view: rulers, dimensions and measuring over the viewport."""
