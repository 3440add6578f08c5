"""Starting a run together with other instruments, from the window."""
