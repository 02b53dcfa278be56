import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from results.parquet import ROW_GROUP_ROWS, decode, encode
from results.schema import Column, Layout
from sim.errors import StoreError
from tests.results.made import GAME_COLUMNS, make_cells, make_layout

ORIGIN = {"identity": "x", "game_version": "1"}


def scaled(scale: int) -> Layout:
    columns = tuple(
        Column(c.name, c.type, c.unit, c.text, scale=scale) if c.name == "heat" else c for c in GAME_COLUMNS
    )
    return make_layout(game_columns=columns)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 10**6), st.lists(st.integers(-(2**51), 2**51), min_size=4, max_size=4))
def test_every_scaled_number_is_read_as_the_integer_it_was(scale: int, raw: list[int]) -> None:
    layout = scaled(scale)
    games, *_ = make_cells(layout, 0, 1)
    games[:, layout.index("games", "heat")] = raw
    assert np.array_equal(decode(layout, "games", encode(layout, "games", games, ORIGIN), ORIGIN), games)


def test_every_share_of_a_win_is_read_as_it_was() -> None:
    layout = make_layout()
    _, seats, _ = make_cells(layout, 0, 1)
    many = np.tile(seats, (158, 1))
    many[:2521, layout.index("seats", "win_share")] = np.arange(2521)
    assert np.array_equal(decode(layout, "seats", encode(layout, "seats", many, ORIGIN), ORIGIN), many)


def test_row_groups_are_bounded_and_compressed() -> None:
    layout = make_layout()
    games, *_ = make_cells(layout, 0, 1)
    data = encode(layout, "games", np.tile(games, (ROW_GROUP_ROWS // 4 + 1, 1)), ORIGIN)
    metadata = pq.read_metadata(pa.BufferReader(data))
    assert [metadata.row_group(k).num_rows for k in range(metadata.num_row_groups)] == [ROW_GROUP_ROWS, 4]
    for index, column in enumerate(layout.game_columns):
        chunk = metadata.row_group(0).column(index)
        assert chunk.compression == "ZSTD"
        assert chunk.has_dictionary_page == (column.type == "text")


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("status", ["finished", "lost", "finished", "finished"], "none of its labels"),
        ("heat", [0.25, 0.3, 0.5, 0.5], "no multiple of 1/8"),
    ],
)
def test_a_value_that_stands_for_no_cell_is_refused(column: str, values: list[object], said: str) -> None:
    layout = make_layout()
    table = pq.read_table(pa.BufferReader(encode(layout, "games", make_cells(layout, 0, 1)[0], ORIGIN)))
    place = layout.index("games", column)
    field = table.schema.field(column)
    forged = pa.Table.from_arrays(
        [pa.array(values, field.type) if k == place else table.column(k) for k in range(table.num_columns)],
        schema=table.schema,
    )
    stream = pa.BufferOutputStream()
    pq.write_table(forged, stream)
    with pytest.raises(StoreError, match=said):
        decode(layout, "games", stream.getvalue().to_pybytes(), ORIGIN)


def test_a_file_of_another_origin_or_layout_is_refused() -> None:
    layout = make_layout()
    data = encode(layout, "games", make_cells(layout, 0, 1)[0], ORIGIN)
    with pytest.raises(StoreError, match="not those of this run"):
        decode(layout, "games", data, {**ORIGIN, "identity": "y"})
    with pytest.raises(StoreError, match="not those of this run"):
        decode(layout, "seats", data, ORIGIN)


def test_bytes_that_are_no_parquet_are_refused() -> None:
    with pytest.raises(StoreError, match="not readable as Parquet"):
        decode(make_layout(), "games", b"PAR1", ORIGIN)
