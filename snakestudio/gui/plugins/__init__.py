"""Plug-ins in the window: manager, trust dialog, errors and reloading."""
