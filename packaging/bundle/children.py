"""Runs first in the bundle: gives the programs that ours starts the environment that the user started ours in.

The bundle's loader leads the system's linker to the bundle's libraries, by a variable that children
inherit. A browser or file manager that is opened from the window would then load those instead of
its own. Our own children are led there by their own loader, if nothing tells it that this was done
already: hence its notes go, too.
"""

import os

_BEFORE = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
os.environ.pop("LD_LIBRARY_PATH", None)
if _BEFORE:
    os.environ["LD_LIBRARY_PATH"] = _BEFORE
for _name in [name for name in os.environ if name.startswith("_PYI_")]:
    del os.environ[_name]
