"""Models of robots from files, through MuJoCo: MJCF, and URDF with the meshes of its package."""

from __future__ import annotations

import importlib
import os
import pathlib
import xml.etree.ElementTree as ElementTree
from typing import Any

from . import _oclide


def _mujoco() -> Any:
    try:
        return importlib.import_module("mujoco")
    except ImportError:
        raise _oclide.InvalidInputError("MJCF and URDF need MuJoCo, which is not there: pip install mujoco") from None


def mujoco_model(file: str | os.PathLike[str]) -> Any:
    """The mjModel of an MJCF or URDF file, for from_mujoco().

    Of a URDF only what collides is read. Its meshes (STL, OBJ) are found by their paths from the file, or, of
    package://NAME/..., in the folder NAME that the file is in or that is beside one of the folders it is in. What
    cannot be read is an InvalidInputError of one line that begins with the file.
    """
    spec = model_spec(file)
    try:
        return spec.compile()
    except ValueError as error:
        raise _refusal(pathlib.Path(file), error) from None


def model_spec(file: str | os.PathLike[str]) -> Any:
    """The same as an MjSpec, to which more can be added."""
    mujoco = _mujoco()
    path = pathlib.Path(file)
    try:
        root = ElementTree.parse(path).getroot()
    except OSError as error:
        raise _oclide.InvalidInputError(f"{path}: {error.strerror}") from None
    except ElementTree.ParseError as error:
        raise _oclide.InvalidInputError(f"{path}: is no XML: {error}") from None
    if root.tag not in ("mujoco", "robot"):
        raise _oclide.InvalidInputError(f"{path}: is neither MJCF nor URDF: its root is {root.tag:.40}")
    if root.tag == "robot":
        _prepare_urdf(root, path)
    try:
        if root.tag == "mujoco":
            return mujoco.MjSpec.from_file(str(path))
        return mujoco.MjSpec.from_string(ElementTree.tostring(root, encoding="unicode"))
    except ValueError as error:
        raise _refusal(path, error) from None


def _refusal(path: pathlib.Path, error: Exception) -> _oclide.InvalidInputError:
    return _oclide.InvalidInputError(f"{path}: {' '.join(str(error).split())}")


def _prepare_urdf(root: ElementTree.Element, path: pathlib.Path) -> None:
    """Without what is only seen, and with whole paths of meshes."""
    for link in root.iter("link"):
        for visual in link.findall("visual"):
            link.remove(visual)
    for mesh in root.iter("mesh"):
        mesh.set("filename", str(_mesh_file(mesh.get("filename", ""), path)))
    own = root.find("mujoco")
    if own is None:
        own = ElementTree.SubElement(root, "mujoco")
    compiler = own.find("compiler")
    if compiler is None:
        compiler = ElementTree.SubElement(own, "compiler")
    # Inertias decide on no contact; some files have such that MuJoCo refuses.
    for name, value in (("strippath", "false"), ("discardvisual", "false"), ("fusestatic", "false"),
                        ("balanceinertia", "true")):
        compiler.set(name, value)


def _mesh_file(name: str, urdf: pathlib.Path) -> pathlib.Path:
    folder = urdf.resolve().parent
    if not name.startswith("package://"):
        found = folder / name.removeprefix("file://")
        if not found.is_file():
            raise _oclide.InvalidInputError(f"{urdf}: there is no mesh {name}")
        return found
    rest = pathlib.PurePosixPath(name.removeprefix("package://"))
    for above in (folder, *folder.parents):
        if (above / rest).is_file():
            return above / rest
    raise _oclide.InvalidInputError(
        f"{urdf}: there is no mesh {name}: no folder {rest.parts[0] if rest.parts else ''} that has it is "
        "around the file")
