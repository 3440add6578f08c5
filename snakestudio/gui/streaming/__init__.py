"""Live stream of the shown run to other programs: switch, dialog and commands."""
