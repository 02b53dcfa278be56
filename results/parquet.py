"""Raw cells to Parquet and back; with the same pyarrow the same cells give the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from results.cells import Cells
from results.schema import Column, Tables, arrow_schema
from sim.errors import StoreError

if TYPE_CHECKING:
    import pyarrow as pa

ROW_GROUP_ROWS = 2**18

# The smallest of those measured: keys rise steadily, which differences catch; of the rest the bytes of equal
# weight are alike. Text has few values and goes through a dictionary, truth values need nothing.
ENCODINGS = {
    "int8": "BYTE_STREAM_SPLIT",
    "int16": "BYTE_STREAM_SPLIT",
    "int32": "BYTE_STREAM_SPLIT",
    "int64": "DELTA_BINARY_PACKED",
    "float64": "BYTE_STREAM_SPLIT",
    "bool": "PLAIN",
}


def encode(layout: Tables, table: str, cells: Cells, origin: Mapping[str, str]) -> bytes:
    """Return a Parquet file of raw cells that passed `cells.check_cells`; its metadata hold `origin`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = layout.columns(table)
    schema = arrow_schema(layout, table, origin)
    arrays = [_arrow_array(column, cells[:, index]) for index, column in enumerate(columns)]
    stream = pa.BufferOutputStream()
    pq.write_table(
        pa.Table.from_arrays(arrays, schema=schema),
        stream,
        row_group_size=ROW_GROUP_ROWS,
        compression="zstd",
        compression_level=3,
        use_dictionary=[column.name for column in columns if column.type == "text"],
        column_encoding={column.name: ENCODINGS[column.type] for column in columns if column.type != "text"},
        write_page_checksum=True,
    )
    return bytes(stream.getvalue())


def decode(layout: Tables, table: str, data: bytes, origin: Mapping[str, str]) -> Cells:
    """Return the raw cells of a Parquet file, int64 of shape (rows, columns) in C order.

    Raises StoreError if the bytes are not a file that `encode` made for this layout and origin.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = arrow_schema(layout, table, origin)
    try:
        # No threads of Arrow's: a part is small, and a thread that has bytes of ours when the process ends aborts it.
        file = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True, pre_buffer=False)
        stored = file.read(use_threads=False)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise StoreError(f"not readable as Parquet ({str(error).splitlines()[0]})") from error
    if not stored.schema.equals(schema, check_metadata=True):
        raise StoreError("its columns or its origin are not those of this run")
    cells = np.empty((stored.num_rows, len(schema)), dtype=np.int64)
    for index, column in enumerate(layout.columns(table)):
        cells[:, index] = _raw_cells(column, stored.column(index))
    return cells


def _arrow_array(column: Column, cells: Cells) -> pa.Array:
    """Return one column's raw cells as values of its type."""
    import pyarrow as pa

    if column.type == "text":
        return pa.DictionaryArray.from_arrays(pa.array(cells), pa.array(column.labels, pa.string())).cast(pa.string())
    if column.type == "float64":
        return pa.array(cells / column.scale)
    return pa.array(cells.astype(column.type))


def _raw_cells(column: Column, values: pa.ChunkedArray) -> NDArray[Any]:
    """Return one column's values as raw cells. Raises StoreError if a value stands for none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.type == "text":
        codes = pc.index_in(values, value_set=pa.array(column.labels, pa.string()))
        if codes.null_count:
            raise StoreError(f"column '{column.name}' has a text that is none of its labels")
        return np.asarray(codes)
    found = np.asarray(values)
    if column.type != "float64":
        return found
    raw: NDArray[Any] = np.rint(found * column.scale)
    if not np.array_equal(raw / column.scale, found):
        raise StoreError(f"column '{column.name}' has a value that is no multiple of 1/{column.scale}")
    return raw
