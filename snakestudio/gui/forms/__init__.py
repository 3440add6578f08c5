"""Form widgets shared by docks and dialogs."""
