"""Comparison of runs: several models of one scene, and chains of links with a continuous body."""
