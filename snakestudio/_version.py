"""The version of the program. It stands nowhere else, and nothing is imported here: whoever writes a file states it."""

__all__ = ["__version__"]

__version__ = "0.2.0"
