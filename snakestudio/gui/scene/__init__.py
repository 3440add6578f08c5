"""Panels and dialogs that show and edit the scene."""
