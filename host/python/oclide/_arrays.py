"""Arrays of the types and layouts that the library takes; what cannot be converted is refused by name."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _oclide

CONTACT_DTYPE: np.dtype[np.void] = np.dtype(cast(Any, _oclide.contact_layout()))
"""One contact, as a Frame has them."""
EVENT_DTYPE: np.dtype[np.void] = np.dtype(cast(Any, _oclide.event_layout()))
"""One event of a manifold; see Frame.events."""
INDEX_DTYPE = np.dtype(np.uint32)


def _array(value: ArrayLike, name: str) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except (TypeError, ValueError) as error:
        raise _oclide.InvalidInputError(f"{name} is no array: {error}") from None


def real(value: ArrayLike, name: str, dtype: str = "float64") -> NDArray[np.float64]:
    """As float64 in C order; the array itself where it is that."""
    array = _array(value, name)
    if array.dtype.kind not in "fiu":
        raise _oclide.InvalidInputError(f"{name} has dtype {array.dtype}, but must hold real numbers")
    return cast("NDArray[np.float64]", np.asarray(array, dtype=dtype, order="C"))


def whole(value: ArrayLike, name: str, dtype: str) -> NDArray[Any]:
    """As `dtype`, an integer type, in C order; the array itself where it is that."""
    array = _array(value, name)
    if array.dtype.kind not in "biu" and array.size > 0:
        raise _oclide.InvalidInputError(f"{name} has dtype {array.dtype}, but must hold whole numbers")
    if array.dtype != np.dtype(dtype) and array.dtype.kind in "iu":
        limits = np.iinfo(dtype)
        outside = (array < limits.min) | (array > limits.max)
        if outside.any():
            index = "".join(f"[{i}]" for i in np.argwhere(outside)[0])
            bad = array[outside][0]
            raise _oclide.InvalidInputError(
                f"{name}{index} is {bad}, which is outside the range {limits.min} .. {limits.max}")
    return np.asarray(array, dtype=dtype, order="C")


def contact_bytes(contacts: _oclide.Frame | NDArray[np.void]) -> NDArray[np.uint8]:
    """Contacts of a Frame or of an array, as the bytes that the library has them as."""
    array = contacts.contacts if isinstance(contacts, _oclide.Frame) else contacts
    if not isinstance(array, np.ndarray) or array.dtype != CONTACT_DTYPE or array.ndim != 1:
        raise _oclide.InvalidInputError("contacts must be a Frame, or one axis of oclide.CONTACT_DTYPE")
    return np.ascontiguousarray(array).view(np.uint8)
