"""The main window, and what belongs to it as a whole: docks, menus, files, help, recovery."""
