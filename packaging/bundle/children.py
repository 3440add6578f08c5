"""First script in the bundle: gives child processes the environment in which the user started the program.

The bundle's loader points the system's linker to the bundle's libraries with a variable that child
processes inherit. A browser or file manager opened from the window would then load these libraries
instead of their installed versions. Child processes of the program itself set the variable again by their own
loader, unless another variable states that this was done already; so that one is removed, too.
"""

import os

_BEFORE = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
os.environ.pop("LD_LIBRARY_PATH", None)
if _BEFORE:
    os.environ["LD_LIBRARY_PATH"] = _BEFORE
for _name in [name for name in os.environ if name.startswith("_PYI_")]:
    del os.environ[_name]
