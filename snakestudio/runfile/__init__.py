"""Run files: recorded during the run, readable after any kind of end, continuable; and the library of saved runs."""
