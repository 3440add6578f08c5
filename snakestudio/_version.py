"""The version of the program, declared only here. This module imports nothing, because packaging reads it."""

__version__ = "0.2.0"
