"""Arrays of the types and layouts that the library takes; what cannot be converted is refused by name."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _oclide

Array = TypeVar("Array", bound="NDArray[Any]")

CONTACT_DTYPE: np.dtype[np.void] = np.dtype(cast(Any, _oclide.contact_layout()))
"""One contact, as a Frame has them."""
EVENT_DTYPE: np.dtype[np.void] = np.dtype(cast(Any, _oclide.event_layout()))
"""One event of a manifold; see Frame.events."""
HIT_DTYPE: np.dtype[np.void] = np.dtype(cast(Any, _oclide.hit_layout()))
"""What one ray hits; see RayHits."""
IMPACT_DTYPE: np.dtype[np.void] = np.dtype(cast(Any, _oclide.impact_layout()))
"""The first touch of one pair; see Impacts."""
PATH_POINT_DTYPE: np.dtype[np.void] = np.dtype(cast(Any, _oclide.path_point_layout()))
"""One point of a path; see Paths."""
_DEVICE = {name: np.dtype(cast(Any, layout)) for name, layout in _oclide.device_layouts().items()}
DEVICE_CONTACT_DTYPE: np.dtype[np.void] = _DEVICE["contact"]
"""One contact on the device: oclide_device_contact of oclide/device_layout.h."""
DEVICE_MANIFOLD_DTYPE: np.dtype[np.void] = _DEVICE["manifold"]
"""One manifold on the device: oclide_device_manifold."""
DEVICE_COUNTS_DTYPE: np.dtype[np.void] = _DEVICE["counts"]
"""Numbers of a frame on the device: oclide_device_counts."""
DEVICE_EVENT_DTYPE: np.dtype[np.void] = _DEVICE["event"]
"""One event of a manifold on the device: oclide_device_event."""
DEVICE_HIT_DTYPE: np.dtype[np.void] = _DEVICE["hit"]
"""What one ray hits, on the device: oclide_device_hit."""
DEVICE_IMPACT_DTYPE: np.dtype[np.void] = _DEVICE["impact"]
"""The first touch of one pair, on the device: oclide_device_impact."""
INDEX_DTYPE = np.dtype(np.uint32)

SLOT_DTYPE = np.dtype(np.float32)
OFFSET_DTYPE = np.dtype(np.uint64)
REAL_DTYPE = np.dtype(np.float64)
END_DTYPE = np.dtype(np.uint8)
BOOL_DTYPE = np.dtype(np.bool_)


def _index_text(index: Iterable[int]) -> str:
    return "".join(f"[{i}]" for i in index)


def _masked(value: Any) -> str | None:
    """Index of the first masked value, also in lists: NumPy would make an ordinary number of it."""
    if isinstance(value, np.ma.MaskedArray) and value.dtype.names is None:
        where = np.argwhere(np.ma.getmaskarray(value))
        return _index_text(where[0]) if len(where) else None
    if isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            index = _masked(item)
            if index is not None:
                return f"[{i}]{index}"
    return None


def _filled(value: Any) -> Any:
    """With NaN for what is masked, also in lists."""
    if isinstance(value, np.ma.MaskedArray) and value.dtype.kind in "fiu":
        return np.ma.filled(value.astype(np.float64), np.nan)
    return [_filled(item) for item in value] if isinstance(value, (list, tuple)) else value


# DLPack's numbers of devices (dlpack.h, DLDeviceType): those whose memory a host reads, its own and what CUDA and ROCm
# pin or manage, and names of others.
_READ_BY_HOST = {1, 3, 11, 13}
_DEVICE_NAMES = {2: "a CUDA device", 4: "an OpenCL device", 7: "a Vulkan device", 8: "a Metal device",
                 10: "a ROCm device", 14: "a oneAPI device"}


class _CopyOnHost:
    """An array of a device as its owner copies it to host memory, for numpy.from_dlpack()."""

    def __init__(self, value: Any) -> None:
        self._capsule = value.__dlpack__(dl_device=(1, 0))

    def __dlpack__(self, **_: object) -> object:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def _from_device(value: Any, device: int, name: str) -> NDArray[Any]:
    """A copy in host memory of an array that is on a device: DLPack asks its owner for it, where that is new enough."""
    ways: list[Callable[[], NDArray[Any]]] = [lambda: np.from_dlpack(cast(Any, _CopyOnHost(value)))]
    if hasattr(value, "__array__"):
        ways.append(lambda: np.asarray(value))
    for way in ways:
        with contextlib.suppress(TypeError, ValueError, RuntimeError, BufferError, NotImplementedError):
            return way()
    raise _oclide.InvalidInputError(f"{name} is in memory of {_DEVICE_NAMES.get(device, 'a device')}, and its owner "
                                    "does not copy it to the host: give a copy in host memory, as by .cpu() or .get()")


def _array(value: ArrayLike, name: str) -> NDArray[Any]:
    index = _masked(value)
    if index is not None:
        raise _oclide.InvalidInputError(f"{name}{index} is masked")
    if hasattr(value, "__dlpack_device__"):
        device = int(cast(Any, value).__dlpack_device__()[0])
        if device not in _READ_BY_HOST:
            return _from_device(value, device, name)
    try:
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
            return np.from_dlpack(cast(Any, value))
        return np.asarray(value)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        reason = str(error).partition("\n")[0]
        raise _oclide.InvalidInputError(f"{name} is no array: {reason}") from None


def real(value: ArrayLike, name: str, dtype: str = "float64") -> NDArray[np.float64]:
    """As float64 in C order; the array itself where it is that. Masked values are refused."""
    array = _array(value, name)
    if array.dtype.kind not in "fiu":
        raise _oclide.InvalidInputError(f"{name} has dtype {array.dtype!s:.40}, but must hold real numbers")
    return cast("NDArray[np.float64]", np.require(array, dtype, ["C", "A"]))


def heights(value: ArrayLike, name: str, dtype: str = "float64") -> NDArray[np.float64]:
    """As real(), with NaN, which is no data, where it is masked."""
    return real(_filled(value), name, dtype)


def whole(value: ArrayLike, name: str, dtype: str) -> NDArray[Any]:
    """As `dtype`, an integer type, in C order; the array itself where it is that. Masked values are refused."""
    array = _array(value, name)
    if array.dtype.kind not in "biu" and array.size > 0:
        raise _oclide.InvalidInputError(f"{name} has dtype {array.dtype!s:.40}, but must hold whole numbers")
    if array.dtype != np.dtype(dtype) and array.dtype.kind in "iu":
        limits = np.iinfo(dtype)
        outside = (array < limits.min) | (array > limits.max)
        if outside.any():
            index = _index_text(np.argwhere(outside)[0])
            bad = array[outside][0]
            raise _oclide.InvalidInputError(
                f"{name}{index} is {bad}, which is outside the range {limits.min} .. {limits.max}")
    return np.require(array, dtype, ["C", "A"])


def with_shape(array: Array, name: str, *shape: int | None) -> Array:
    """The array, whose axes must have these lengths; None is any."""
    if array.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, array.shape)):
        wanted = ", ".join("n" if n is None else str(n) for n in shape) + ("," if len(shape) == 1 else "")
        raise _oclide.InvalidInputError(f"{name} has shape {array.shape}, but must have ({wanted})")
    return array


def _records(given: Any, name: str) -> Any:
    """Of a result, that of a service too, or of an array."""
    return given if isinstance(given, np.ndarray) else getattr(given, name, None)


def contact_bytes(contacts: Any) -> NDArray[np.uint8]:
    """Contacts of a Frame or of an array, as the bytes that the library has them as."""
    array = _records(contacts, "contacts")
    if (not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray) or array.dtype != CONTACT_DTYPE
            or array.ndim != 1):
        raise _oclide.InvalidInputError("contacts must be a Frame, or one axis of oclide.CONTACT_DTYPE without a mask")
    return np.ascontiguousarray(array).view(np.uint8)


def opaque(records: NDArray[Any]) -> NDArray[Any]:
    """The same records as one field each, of all their bytes: NumPy copies fields, and not what pads them."""
    return records.view(f"V{records.dtype.itemsize}")


def hit_bytes(hits: Any) -> NDArray[np.uint8]:
    """Hits of a cast or of an array, as the bytes that the library has them as."""
    array = _records(hits, "hits")
    if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray) or array.dtype != HIT_DTYPE:
        raise _oclide.InvalidInputError("hits must be RayHits, or an array of oclide.HIT_DTYPE without a mask")
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def impact_bytes(impacts: Any) -> NDArray[np.uint8]:
    """Impacts of a sweep or of an array, as the bytes that the library has them as."""
    array = _records(impacts, "impacts")
    if (not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray) or array.dtype != IMPACT_DTYPE
            or array.ndim != 1):
        raise _oclide.InvalidInputError("impacts must be Impacts, or one axis of oclide.IMPACT_DTYPE without a mask")
    return np.ascontiguousarray(array).view(np.uint8)


def vectors(value: ArrayLike, name: str) -> NDArray[np.float64]:
    """As real(), of any axes before a last one of three."""
    array = real(value, name)
    if array.ndim == 0 or array.shape[-1] != 3:
        raise _oclide.InvalidInputError(f"{name} has shape {array.shape}, but must have (..., 3)")
    return array


def _broadcast(arrays: list[tuple[str, NDArray[Any] | None]], tail: dict[str, tuple[int, ...]],
               ) -> tuple[list[NDArray[Any] | None], tuple[int, ...]]:
    """All but None with the same axes before those of `tail`, which are one row each then, in C order; and these
    axes."""
    given = [(name, array, len(tail.get(name, ()))) for name, array in arrays if array is not None]
    try:
        shape = np.broadcast_shapes(*(array.shape[:array.ndim - n] for _, array, n in given))
    except ValueError:
        listed = ", ".join(f"{name} {array.shape}" for name, array, _ in given)
        raise _oclide.InvalidInputError(f"shapes do not go together: {listed}") from None
    flat = [None if array is None else
            np.ascontiguousarray(np.broadcast_to(array, shape + tail.get(name, ()))).reshape((-1, *tail.get(name, ())))
            for name, array in arrays]
    return flat, shape


def rays(origin: ArrayLike, direction: ArrayLike, length: ArrayLike | None, environment: ArrayLike | None,
         mask: ArrayLike | None) -> tuple[Any, ...]:
    """Arrays of rays as the library takes them, None where they are None; and the axes that they had."""
    flat, shape = _broadcast([
        ("origin", vectors(origin, "origin")), ("direction", vectors(direction, "direction")),
        ("length", None if length is None else real(length, "length")),
        ("environment", None if environment is None else whole(environment, "environment", "uint32")),
        ("mask", None if mask is None else whole(mask, "mask", "uint32"))], {"origin": (3,), "direction": (3,)})
    return (*flat, shape)


def points(position: ArrayLike, displacement: ArrayLike, environment: ArrayLike | None) -> tuple[Any, ...]:
    """Arrays of moving points as the library takes them."""
    flat, _ = _broadcast([
        ("point", vectors(position, "point")), ("displacement", vectors(displacement, "displacement")),
        ("environment", None if environment is None else whole(environment, "environment", "uint32"))],
        {"point": (3,), "displacement": (3,)})
    return tuple(flat)


def number(value: ArrayLike, name: str) -> float:
    """One finite number."""
    one = with_shape(real(value, name), name)
    if not np.isfinite(one):
        raise _oclide.InvalidInputError(f"{name} is {one}, but must be finite")
    return float(one)


def trace_settings(bounces: int, friction: float, restitution: float) -> tuple[int, float, float]:
    """As the library takes them; what they may be it says itself."""
    return (int(with_shape(whole(bounces, "bounces", "uint32"), "bounces")),
            float(with_shape(real(friction, "friction"), "friction")),
            float(with_shape(real(restitution, "restitution"), "restitution")))


def query_shapes(shape: ArrayLike, size: ArrayLike, position: ArrayLike, orientation: ArrayLike,
                 environment: ArrayLike | None, mask: ArrayLike | None, group: ArrayLike | None) -> tuple[Any, ...]:
    """Arrays of shapes at poses as the library takes them, and their axes. Of a shape without axes there is one for
    all."""
    turned = real(orientation, "query_orientation")
    if turned.ndim == 0 or turned.shape[-1] != 4:
        raise _oclide.InvalidInputError(f"query_orientation has shape {turned.shape}, but must have (..., 4)")
    kinds = [("shape", whole(shape, "shape", "uint8")), ("size", vectors(size, "size"))]
    each: list[tuple[str, NDArray[Any] | None]] = [
        ("query_position", vectors(position, "query_position")), ("query_orientation", turned),
        ("environment", None if environment is None else whole(environment, "environment", "uint32")),
        ("mask", None if mask is None else whole(mask, "mask", "uint32")),
        ("group", None if group is None else whole(group, "group", "int32"))]
    tail: dict[str, tuple[int, ...]] = {"size": (3,), "query_position": (3,), "query_orientation": (4,)}
    if kinds[0][1].ndim == 0 and kinds[1][1].ndim == 1:
        flat, axes = _broadcast(each, tail)
        return (kinds[0][1].reshape(1), kinds[1][1].reshape(1, 3), *flat, axes)
    flat, axes = _broadcast([*kinds, *each], tail)
    return (*flat, axes)


def query_points(point: ArrayLike, farthest: ArrayLike | None, environment: ArrayLike | None,
                 mask: ArrayLike | None) -> tuple[Any, ...]:
    """Arrays of points that are asked about as the library takes them, and their axes."""
    flat, axes = _broadcast([
        ("point", vectors(point, "point")), ("range", None if farthest is None else real(farthest, "range")),
        ("environment", None if environment is None else whole(environment, "environment", "uint32")),
        ("mask", None if mask is None else whole(mask, "mask", "uint32"))], {"point": (3,)})
    return (*flat, axes)


def device_dtype(name: str) -> np.dtype[Any]:
    return cast("np.dtype[Any]", globals()[name])


def is_on_device(value: Any) -> bool:
    """Whether it names memory on the device: a number, what has `int_ptr`, or an array of pyopencl's."""
    return (isinstance(value, (int, np.integer)) and not isinstance(value, bool)) or any(
        hasattr(value, name) for name in ("int_ptr", "base_data"))


def handle(value: Any, name: str) -> int:
    """A handle of OpenCL: a number, or what has `int_ptr`."""
    found = getattr(value, "int_ptr", value)
    if isinstance(found, bool) or not isinstance(found, (int, np.integer)) or not 0 < found < 1 << 64:
        raise _oclide.InvalidInputError(
            f"{name} must be a handle of OpenCL, a number or an object with int_ptr, but is {value!r:.60}")
    return int(found)


def device_buffer(value: Any, name: str, dtype: str) -> tuple[int, int | None]:
    """Handle of a buffer on the device, and how many rows of `dtype` it has, where it says so."""
    row = np.dtype((dtype[-2:], (int(dtype[:-2]),))) if len(dtype) > 2 else np.dtype(dtype)
    memory, rows = value, None
    if hasattr(value, "base_data"):
        if not value.flags.c_contiguous or value.offset != 0:
            raise _oclide.InvalidInputError(f"{name} must begin where its buffer does, and be in C order")
        memory = value.base_data
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        if value.dtype != row.base or value.shape[1:] not in ((), row.shape):
            raise _oclide.InvalidInputError(
                f"{name} has dtype {value.dtype!s:.40} and shape {value.shape}, but must have {row.base} and "
                f"{('n', *row.shape)}".replace("'", ""))
        rows = int(np.prod(value.shape, dtype=np.int64)) // int(np.prod(row.shape, dtype=np.int64))
    return handle(memory, name), rows


def ray_count(value: Any) -> int | None:
    """How many rays on the device there are, where it is given."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, np.integer))
                              or not 0 <= value < 1 << 32):
        raise _oclide.InvalidInputError(f"count is {value!r:.60}, but must be a number of rays")
    return None if value is None else int(value)
