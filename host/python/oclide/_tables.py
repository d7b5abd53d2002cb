"""Records as tables of pandas and Arrow."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _oclide


def optional(module: str, what: str) -> Any:
    """A module that the package does without."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise _oclide.InvalidInputError(f"{what} needs {package}, which is not there: pip install {package}") from None


def columns(records: NDArray[np.void]) -> dict[str, NDArray[Any]]:
    """A column for each member of records, three for a vector: point_x, point_y, point_z."""
    found: dict[str, NDArray[Any]] = {}
    for name in records.dtype.names or ():
        values = records[name]
        if values.ndim == 1:
            found[name] = np.ascontiguousarray(values)
        else:
            found.update({f"{name}_{axis}": np.ascontiguousarray(values[:, k]) for k, axis in enumerate("xyz")})
    return found


def pandas_table(table: dict[str, Any]) -> Any:
    return optional("pandas", "to_pandas()").DataFrame(table)


def arrow_table(table: dict[str, Any]) -> Any:
    return optional("pyarrow", "to_arrow()").table(table)


def to_pandas(records: NDArray[np.void]) -> Any:
    return pandas_table(columns(records))


def to_arrow(records: NDArray[np.void]) -> Any:
    return arrow_table(columns(records))
