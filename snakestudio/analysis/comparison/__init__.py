"""Runs held against each other: several models of one scene, and chains of links beside a continuous body."""
