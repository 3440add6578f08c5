"""Plug-ins in the window: the manager, the question whether code may run, faults, and reloading."""
