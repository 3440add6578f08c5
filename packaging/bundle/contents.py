"""Modules in the bundle: rules shared by PyInstaller's specification and the tests of the program's imports.

PyInstaller follows import statements. Modules that are imported by name, in compiled code or by plug-ins are
listed here.
"""

from __future__ import annotations

import os
import re
import sys

WHOLE = (
    "snakestudio",
    # Offered to plug-ins, with the standard library (docs/plugins.md).
    "numpy",
    "scipy",
    # Imported by compiled code.
    "av",
    "h5py",
    # Imported by name, by themselves.
    "OpenGL.arrays",
    "OpenGL.platform",
    "PIL",
    "distributed",
    # Offered to plug-ins that read run files.
    "mcap",
    # Selected by the profile of a robot, and by the ending of a log.
    "can.interfaces",
    "can.io",
)
"""Packages with all their modules."""

HIDDEN = (
    "numba._devicearray",  # imported by its dispatcher, in C
    "msgpack",  # udp_multicast
    "OpenGL.platform.egl",  # drawing without a screen
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf",
    "matplotlib.backends.backend_svg",
)
"""Modules that are imported by name."""

LEFT_OUT = (
    # Other tool kits, and tools that build, test or document.
    "IPython",
    "PyQt5",
    "PyQt6",
    "PySide2",
    "_tkinter",
    "tkinter",
    "turtle",
    "turtledemo",
    "idlelib",
    "lib2to3",
    "ensurepip",
    "pip",
    "setuptools",
    "_distutils_hack",
    "pkg_resources",
    "wheel",
    "pytest",
    "_pytest",
    "pydoc_data",
    "mypy",
    "PyInstaller",
    "hatchling",
    "pathspec",
    "pluggy",
    "trove_classifiers",
    "pyqtgraph.examples",
    "matplotlib.tests",
    "numba.cuda",
    "numpy.distutils",
    "distutils",
    "test",
    "antigravity",
    "this",
    # They need libraries that not every system has, and are deprecated.
    "nis",
    "crypt",
    "_crypt",
    "ossaudiodev",
    "spwd",
    # GNU readline and gdbm are under the GPL, and nothing here needs them.
    "readline",
    "_gdbm",
    "_dbm",
    "dbm.gnu",
    "dbm.ndbm",
    "curses",
    "_curses",
    "_curses_panel",
    # Image formats that are not used here.
    "PIL._avif",
    "PIL.AvifImagePlugin",
    "PIL._webp",
    "PIL.WebPImagePlugin",
    "PIL._imagingtk",
    "PIL.ImageTk",
    "PySide6.QtQml",
    "PySide6.QtQuick",
    "PySide6.QtDesigner",
    "PySide6.QtSql",
    "PySide6.QtTest",
    "PySide6.QtUiTools",
    # Alternatives to zstandard.backend_c.
    "zstandard._cffi",
    "zstandard.backend_cffi",
    "_cffi_backend",
    *(["av"] if os.environ.get("SNAKESTUDIO_WITHOUT_GPL") else []),
)

TESTS = re.compile(r"(^|[./])(tests?|sample_data|_?examples)([./]|$)")


def is_left_out(module: str) -> bool:
    """Whether a module is not in the bundle although something imports it."""
    return bool(TESTS.search(module)) or any(
        module == name or module.startswith(f"{name}.") for name in LEFT_OUT
    )


def is_whole(module: str) -> bool:
    """Whether a module belongs to the standard library or to a package that is collected with all its modules."""
    return module.partition(".")[0] in sys.stdlib_module_names or any(
        module == name or module.startswith(f"{name}.") for name in WHOLE
    )
