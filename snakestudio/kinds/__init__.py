"""Declarations of the kinds of scene parts, each in one place; views, checks and recordings look them up here."""
