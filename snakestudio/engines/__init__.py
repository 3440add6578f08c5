"""Formulations of the dynamics, one package each, and their common parts."""
