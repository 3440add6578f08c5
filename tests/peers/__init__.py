"""Independent engines that this program's engines are compared with."""
