"""Scene and contact files, read and written frame by frame: memory does not grow with their number."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _oclide
from ._arrays import real
from ._scene import Scene

Poses = tuple[NDArray[np.float64], NDArray[np.float64]]
Output = TypeVar("Output", _oclide.SceneOutput, _oclide.ContactOutput)
Writer = TypeVar("Writer", bound="_Writer[Any]")


class _Writer(Generic[Output]):
    """What writers have in common: the file appears under its name when the block of the context manager ends without
    an error, or with finish(); else nothing is left."""

    _kind: ClassVar[str]

    def __init__(self, output: Output) -> None:
        self._output: Output | None = output

    def _open(self) -> Output:
        if self._output is None:
            raise _oclide.InvalidInputError(f"the {self._kind} file is complete")
        return self._output

    def finish(self) -> None:
        """After the last frame."""
        self._open().finish()
        self._output = None

    def __enter__(self: Writer) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        try:
            if kind is None and self._output is not None:
                self.finish()
        finally:
            self._output = None


class SceneFile:
    """A scene file that has been opened: what is in it, and a sequence of its frames.

    file[k] is (position (n, 3), orientation (n, 4)) of frame k, read from the file when it is asked for.
    """

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self._input = _oclide.SceneInput(file)
        self.scene: Scene = self._input.scene()

    def __len__(self) -> int:
        return len(self._input)

    def __getitem__(self, frame: int) -> Poses:
        return self._input.poses(frame)

    def __iter__(self) -> Iterator[Poses]:
        return (self[k] for k in range(len(self)))


def read_scene(file: str | os.PathLike[str]) -> SceneFile:
    """Opens a scene file and checks all of it but the frames, which are checked as they are read.

        file = oclide.read_scene("scene.h5")
        collider.set_scene(file.scene)
        for position, orientation in file:
            frame = collider.update(position, orientation)
    """
    return SceneFile(file)


class SceneWriter(_Writer[_oclide.SceneOutput]):
    """Writes a scene file frame by frame. As a context manager: the file appears under its name when the block ends
    without an error and with as many frames as were announced; else nothing is left.

    heights: "float32" takes half the room, "float64" changes no bit of them.
    """

    _kind = "scene"

    def __init__(self, file: str | os.PathLike[str], scene: Scene, frames: int, *, heights: str = "float32") -> None:
        super().__init__(_oclide.SceneOutput(file, scene, frames, heights))

    def append(self, position: ArrayLike, orientation: ArrayLike) -> None:
        """The next frame: (n, 3) and (n, 4)."""
        self._open().append(position, orientation)


def write_scene(file: str | os.PathLike[str], scene: Scene, position: ArrayLike, orientation: ArrayLike, *,
                heights: str = "float32") -> None:
    """Writes a scene and its poses.

    position: (n, 3) or (frames, n, 3) [m]; orientation: (n, 4) or (frames, n, 4); of the two, one without the frames
    axis holds for all frames. heights: see SceneWriter.
    """
    p, q = real(position, "position"), real(orientation, "orientation")
    for array, name in ((p, "position"), (q, "orientation")):
        if array.ndim not in (2, 3):
            raise _oclide.InvalidInputError(f"{name} has {array.ndim} axes, but must have 2, or 3 with the frames")
    frames = {len(array) for array in (p, q) if array.ndim == 3}
    if len(frames) > 1:
        raise _oclide.InvalidInputError(f"orientation has {len(q)} frames, but position has {len(p)}")
    count = frames.pop() if frames else 1
    with SceneWriter(file, scene, count, heights=heights) as writer:
        for k in range(count):
            writer.append(p[k] if p.ndim == 3 else p, q[k] if q.ndim == 3 else q)


class ContactFile:
    """A contact file that has been opened: a sequence of its frames.

    file[k] is the array (dtype CONTACT_DTYPE) of frame k, read from the file when it is asked for. `device` and `scene`
    are the names of the device and of the scene file that the contacts are of.
    """

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self._input = _oclide.ContactInput(file)
        self.device: str = self._input.device
        self.scene: str = self._input.scene
        self.total: int = self._input.total

    def __len__(self) -> int:
        return len(self._input)

    def __getitem__(self, frame: int) -> NDArray[np.void]:
        return self._input.contacts(frame)

    def __iter__(self) -> Iterator[NDArray[np.void]]:
        return (self[k] for k in range(len(self)))


def read_contacts(file: str | os.PathLike[str]) -> ContactFile:
    """Opens a contact file, of this program or `oclide run -o`."""
    return ContactFile(file)


class ContactWriter(_Writer[_oclide.ContactOutput]):
    """Writes a contact file frame by frame. As a context manager: the file appears under its name when the block ends
    without an error; else nothing is left. `device` and `scene` are kept as attributes."""

    _kind = "contact"

    def __init__(self, file: str | os.PathLike[str], *, device: str = "", scene: str = "") -> None:
        super().__init__(_oclide.ContactOutput(file, device, scene))

    def append(self, contacts: _oclide.Frame | NDArray[np.void]) -> None:
        """The next frame."""
        self._open().append(contacts)


def write_contacts(file: str | os.PathLike[str], frames: Iterable[_oclide.Frame | NDArray[np.void]], *,
                   device: str = "", scene: str = "") -> None:
    """Writes the contacts of all frames, which may come from a generator."""
    with ContactWriter(file, device=device, scene=scene) as writer:
        for contacts in frames:
            writer.append(contacts)
