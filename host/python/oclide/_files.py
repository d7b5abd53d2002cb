"""Scene and contact files, read and written frame by frame: memory does not grow with their number."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Optional, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _oclide
from ._arrays import CONTACT_DTYPE, IMPACT_DTYPE, real
from ._scene import Scene
from ._tables import arrow_table, columns, pandas_table

if TYPE_CHECKING:
    from ._service import RemoteFrame, RemoteImpacts

Poses = tuple[NDArray[np.float64], NDArray[np.float64]]
Motion = tuple[Optional[NDArray[np.float64]], Optional[NDArray[np.float64]]]
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

    file[k] is (position (n, 3), orientation (n, 4)) of frame k, read from the file when it is asked for; motion(k) is
    how the bodies move over it.
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

    def motion(self, frame: int) -> Motion:
        """(displacement (n, 3), rotation (n, 3)) of a frame, each None where the file has none: what Collider.sweep
        takes."""
        return self._input.motion(frame)


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

    heights: "float32" takes half the room, "float64" changes no bit of them. displacement, rotation: frames have them.
    """

    _kind = "scene"

    def __init__(self, file: str | os.PathLike[str], scene: Scene, frames: int, *, heights: str = "float32",
                 displacement: bool = False, rotation: bool = False) -> None:
        super().__init__(_oclide.SceneOutput(file, scene, frames, heights, displacement, rotation))
        self._motion = (displacement, rotation)

    def append(self, position: ArrayLike, orientation: ArrayLike, displacement: ArrayLike | None = None,
               rotation: ArrayLike | None = None) -> None:
        """The next frame: (n, 3) and (n, 4), and the motion that the writer was made for, (n, 3) each."""
        for array, name, wanted in zip((displacement, rotation), ("displacement", "rotation"), self._motion):
            if (array is not None) != wanted:
                raise _oclide.InvalidInputError(
                    f"{name} is {'missing' if wanted else 'given'}, but the writer was made "
                    f"{'with' if wanted else 'without'} {name}=True")
        self._open().append(position, orientation, displacement, rotation)


def write_scene(file: str | os.PathLike[str], scene: Scene, position: ArrayLike, orientation: ArrayLike,
                displacement: ArrayLike | None = None, rotation: ArrayLike | None = None, *,
                heights: str = "float32") -> None:
    """Writes a scene, its poses, and where they are given its motion.

    position: (n, 3) or (frames, n, 3) [m]; orientation: (n, 4) or (frames, n, 4); displacement [m], rotation [rad]: as
    position, see Collider.sweep. What has no frames axis holds for all frames. heights: see SceneWriter.
    """
    given = {"position": position, "orientation": orientation, "displacement": displacement, "rotation": rotation}
    arrays = {name: None if array is None else real(array, name) for name, array in given.items()}
    count, counted = 1, ""
    for name, array in arrays.items():
        if array is None:
            continue
        if array.ndim not in (2, 3):
            raise _oclide.InvalidInputError(f"{name} has {array.ndim} axes, but must have 2, or 3 with the frames")
        if array.ndim == 3 and counted and len(array) != count:
            raise _oclide.InvalidInputError(f"{name} has {len(array)} frames, but {counted} has {count}")
        if array.ndim == 3:
            count, counted = len(array), counted or name

    def of_frame(name: str, k: int) -> Any:
        array = arrays[name]
        return array[k] if array is not None and array.ndim == 3 else array

    with SceneWriter(file, scene, count, heights=heights, displacement=displacement is not None,
                     rotation=rotation is not None) as writer:
        for k in range(count):
            writer.append(*(of_frame(name, k) for name in arrays))


class ContactFile:
    """A contact file that has been opened: a sequence of its frames.

    file[k] is the array (dtype CONTACT_DTYPE) of frame k, read from the file when it is asked for. `device` and `scene`
    are the names of the device and of the scene file that the contacts are of. `has_impacts`: it has impacts too.
    """

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self._input = _oclide.ContactInput(file)
        self.device: str = self._input.device
        self.scene: str = self._input.scene
        self.total: int = self._input.total
        self.has_impacts: bool = self._input.has_impacts

    def __len__(self) -> int:
        return len(self._input)

    def __getitem__(self, frame: int) -> NDArray[np.void]:
        return self._input.contacts(frame)

    def __iter__(self) -> Iterator[NDArray[np.void]]:
        return (self[k] for k in range(len(self)))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame of all contacts, with the frame of each before the columns of Frame.to_pandas()."""
        return pandas_table(self._columns())

    def to_arrow(self) -> Any:
        """The same as a pyarrow.Table."""
        return arrow_table(self._columns())

    def _columns(self) -> dict[str, NDArray[Any]]:
        frames = list(self)
        of_frame = np.repeat(np.arange(len(frames), dtype=np.uint64), [len(contacts) for contacts in frames])
        return {"frame": of_frame, **columns(np.concatenate([np.zeros(0, CONTACT_DTYPE), *frames]))}

    def impacts(self, frame: int) -> NDArray[np.void]:
        """The array (dtype IMPACT_DTYPE) of a frame; empty where the file has no impacts."""
        return self._input.impacts(frame)


def read_contacts(file: str | os.PathLike[str]) -> ContactFile:
    """Opens a contact file, of this program or `oclide run -o`."""
    return ContactFile(file)


class ContactWriter(_Writer[_oclide.ContactOutput]):
    """Writes a contact file frame by frame. As a context manager: the file appears under its name when the block ends
    without an error; else nothing is left. `device` and `scene` are kept as attributes. impacts: frames have them."""

    _kind = "contact"

    def __init__(self, file: str | os.PathLike[str], *, device: str = "", scene: str = "",
                 impacts: bool = False) -> None:
        super().__init__(_oclide.ContactOutput(file, device, scene, impacts))
        self._impacts = impacts

    def append(self, contacts: _oclide.Frame | RemoteFrame | NDArray[np.void],
               impacts: _oclide.Impacts | RemoteImpacts | NDArray[np.void] | None = None) -> None:
        """The next frame, with its impacts where the writer was made for them."""
        if (impacts is not None) != self._impacts:
            raise _oclide.InvalidInputError(
                f"impacts are {'missing' if self._impacts else 'given'}, but the writer was made "
                f"{'with' if self._impacts else 'without'} impacts=True")
        self._open().append(contacts, np.zeros(0, IMPACT_DTYPE) if impacts is None else impacts)


def write_contacts(file: str | os.PathLike[str], frames: Iterable[_oclide.Frame | RemoteFrame | NDArray[np.void]], *,
                   device: str = "", scene: str = "") -> None:
    """Writes the contacts of all frames, which may come from a generator."""
    with ContactWriter(file, device=device, scene=scene) as writer:
        for contacts in frames:
            writer.append(contacts)
