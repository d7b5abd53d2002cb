"""The C and C++ library that is in the package, for programs that are compiled against it."""

from __future__ import annotations

import pathlib

from ._oclide import VERSION

_FOLDER = pathlib.Path(__file__).resolve().parent
_NAME = "oclide-" + ".".join(VERSION.split(".")[:2])


def _existing(path: pathlib.Path) -> str:
    if not path.exists():
        raise FileNotFoundError(f"{path}: this oclide is without its C library, which wheels and pip install have")
    return str(path)


def get_include() -> str:
    """Folder of the headers, for a compiler's -I: oclide/oclide.h for C, oclide/oclide.hpp for C++.

    Raises FileNotFoundError in a package that stands in a build folder.
    """
    return _existing(_FOLDER / "include" / _NAME)


def get_library() -> str:
    """File of the shared library, to link with and for a foreign language to open.

    The package's folder is a prefix for CMake (CMAKE_PREFIX_PATH), lib/pkgconfig in it one for pkg-config. Raises
    FileNotFoundError in a package that stands in a build folder.
    """
    return _existing(_FOLDER / "lib" / f"lib{_NAME}.so")
