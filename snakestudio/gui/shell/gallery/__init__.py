"""The gallery: every shipped scene as a card with a picture, searchable; with recent files and an empty scene."""
