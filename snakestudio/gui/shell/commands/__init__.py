"""Every command of the window, a module for each menu; `table` joins them, and `actions` makes things of them."""
