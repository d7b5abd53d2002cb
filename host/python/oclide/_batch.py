"""Many scene files, one after another, and the table of what came of them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Callable, Optional, Union

from . import _oclide
from ._tables import arrow_table, optional, pandas_table

Path = Union[str, "os.PathLike[str]"]
OnRow = Optional[Callable[[_oclide.BatchRow, int, int], object]]

_WHOLE = ("file_bytes", "bodies", "frames", "pairs", "contacts")


class BatchTable(Sequence[_oclide.BatchRow]):
    """The rows of a batch, one for each scene file, in the order of the inputs.

    summary: name of the CSV file that has them. skipped: how many of them were done before.
    """

    def __init__(self, rows: list[_oclide.BatchRow], summary: str, skipped: int) -> None:
        self._rows = rows
        self.summary = summary
        self.skipped = skipped

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __iter__(self) -> Iterator[_oclide.BatchRow]:
        return iter(self._rows)

    def __repr__(self) -> str:
        return f"<oclide.BatchTable: {len(self)} files, {len(self.failed)} failed>"

    @property
    def failed(self) -> list[_oclide.BatchRow]:
        """The rows of files that failed; `message` says why."""
        return [row for row in self if row.status != "done"]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with the columns of docs/batches.md; what a file that failed does not have is missing."""
        pandas = optional("pandas", "to_pandas()")
        table = self._columns()
        table.update({name: pandas.array(table[name], dtype="UInt64") for name in _WHOLE})
        return pandas_table(table)

    def to_arrow(self) -> Any:
        """The same as a pyarrow.Table."""
        pyarrow = optional("pyarrow", "to_arrow()")
        kinds = {**dict.fromkeys(_WHOLE, pyarrow.uint64()),
                 **dict.fromkeys(("margin", "max_depth", "milliseconds"), pyarrow.float64())}
        return arrow_table({name: pyarrow.array(values, kinds.get(name, pyarrow.string()))
                            for name, values in self._columns().items()})

    def write_parquet(self, file: Path) -> None:
        """Writes it as a Parquet file, through pyarrow. The file appears under its name when it is complete."""
        parquet = optional("pyarrow.parquet", "write_parquet()")
        target = _oclide.output_target(file)
        beside = f"{target}.partial{os.getpid()}"
        try:
            parquet.write_table(self.to_arrow(), beside)
            os.replace(beside, target)
        except OSError as error:
            reason = error.strerror or error
            raise _oclide.InvalidInputError(f"{os.fspath(file)}: cannot be written: {reason}") from None
        finally:
            if os.path.exists(beside):
                os.remove(beside)

    def _columns(self) -> dict[str, Any]:
        return {name: [getattr(row, name) for row in self] for name in _oclide.batch_columns()}


def inputs_of(inputs: Path | Iterable[Path]) -> list[Path]:
    """One input, or many."""
    return [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)


def record(plan: _oclide.Batch, rows: Iterable[_oclide.BatchRow], on_row: OnRow) -> BatchTable:
    """Writes rows, those of plan.work in order, as they come. The batch has begun, where there is work."""
    count = len(plan.work)
    for k, row in enumerate(rows):
        plan.record(k, row)
        if row.status == "done" and row.message:
            warnings.warn(row.message, stacklevel=3)
        if on_row is not None:
            on_row(row, k + 1, count)
    plan.finish()
    return BatchTable(plan.rows, plan.summary, len(plan.rows) - count)


def batch(inputs: Path | Iterable[Path], output: Path | None = None, *, summary: Path | None = None,
          summary_only: bool = False, resume: bool = False, device: str = "auto", margin: float = 0.0,
          memory_limit: int = 0, frames: str = "", on_row: OnRow = None) -> BatchTable:
    """The contacts of many scene files, on one Collider: what `oclide batch` does, see docs/batches.md.

        table = oclide.batch("scenes", "contacts", resume=True)
        table.write_parquet("contacts.parquet")

    inputs: scene files, folders of them and lists of them, one or many. output: folder of the contact files. summary:
    the table, CSV; None: summary.csv in that folder. summary_only: no contact files. resume: what the table says is
    done is not done again. device, margin, memory_limit: as of Collider. frames: "A:B" for those from A to B-1. on_row:
    called with each row when it is in the table, and how many of how many files have been done. A file that fails is a
    row that says so, see BatchTable.failed.
    """
    on_reference = _oclide.is_reference(device)
    plan = _oclide.Batch(inputs_of(inputs), output or "", summary or "", summary_only, resume, frames, margin,
                         on_reference)
    work = plan.work
    if work and on_reference and device == "auto":
        warnings.warn("there is no OpenCL device; the CPU reference finds the contacts, whose bits are its own",
                      RuntimeWarning, stacklevel=2)

    def rows() -> Iterator[_oclide.BatchRow]:
        runner = _oclide.BatchRunner(device, margin, memory_limit, frames)  # what cannot begin changes nothing
        plan.begin()
        for (scene, contacts), (following, _) in zip(work, [*work[1:], ("", "")]):
            yield runner.run(scene, contacts, following)

    return record(plan, rows() if work else (), on_row)
