"""Runs first in the bundle: gives the programs that ours starts the environment that the user started ours in.

The bundle's loader leads the system's linker to the bundle's libraries, by a variable that children inherit. A browser
or file manager that is opened from the window would then load those instead of its own; our own children are led there
by their own loader.
"""

import os

for _name in ("LD_LIBRARY_PATH",):
    _before = os.environ.pop(f"{_name}_ORIG", None)
    if _before:
        os.environ[_name] = _before
    else:
        os.environ.pop(_name, None)
