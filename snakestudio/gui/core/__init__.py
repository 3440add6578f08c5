"""What every part of the window stands on: document, session, selection, settings, theme."""
