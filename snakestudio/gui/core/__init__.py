"""Foundations of all parts of the window: document, session, selection, settings, theme."""
