from pathlib import Path

import pytest
from rich.console import Console

from cli.figures import show
from cli.numbers import counted, decimals_of, interval_words, plain_words, value_words
from cli.tables import Column, draw
from results.store import Run
from results.summary import Figure
from tests.results.made import make_layout, make_plan, make_run


def of(value: float, low: float | None, high: float | None, unit: str = "turns") -> Figure:
    return Figure(value, low, high, unit, "")


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        # Half the interval is 0.77: two digits of it are hundredths.
        (of(119.9687, 119.2, 120.74), ("119.97", "119.20 to 120.74")),
        # Half of it is 12: two digits are units.
        (of(1234.5, 1222.0, 1246.0), ("1,234", "1,222 to 1,246")),
        # A share is shown in percent: half of it is 3.15 %.
        (of(0.4431, 0.412, 0.475, "share"), ("44.3 %", "41.2 to 47.5")),
        # No more than four decimals, however narrow; and no minus before a zero.
        (of(-0.000001, -0.000002, 0.0), ("0.0000", "0.0000 to 0.0000")),
        (of(-1.25, None, None), ("-1.25", "–")),
        (Figure(None, None, None, "share", "nothing to divide by"), ("–", "–")),
    ],
)
def test_a_value_has_the_decimals_that_its_interval_warrants(figure: Figure, words: tuple[str, str]) -> None:
    (decimals,) = decimals_of([figure])
    assert (value_words(figure, decimals), interval_words(figure, decimals)) == words


def test_a_value_without_interval_has_the_fewest_decimals_of_its_column() -> None:
    # Half the intervals are 0.77 and 0.005: hundredths and ten-thousandths.
    figures = [of(119.9687, 119.2, 120.74), of(5.0, None, None), of(0.5, 0.495, 0.505)]
    assert decimals_of(figures) == [2, 2, 4]


def test_plain_numbers() -> None:
    assert [plain_words(value) for value in (0, -7, 12345.0, 0.5)] == ["0", "-7", "12,345", "0.50"]
    assert [counted(number, "deal") for number in (1, 0, 2000)] == ["1 deal", "0 deals", "2,000 deals"]


def test_columns_that_do_not_fit_go_below_with_the_names_repeated() -> None:
    console = Console(width=20, record=True)
    names = Column("name", ("ann", "bob"), "left")
    wide = Column("1234567890", ("1", "2"))
    draw(console, "Title", names, [(wide,), (wide,)])
    # 4 + 2 + 10 cells fit into 20, another 2 + 10 do not.
    lines = [line.rstrip() for line in console.export_text().splitlines()]
    table = ["name  1234567890", "────────────────", "ann            1", "bob            2"]
    assert lines == ["", "Title", *table, "", *table]


NAMES = tuple(f"snapper:memory={number}.25:reflex=1.125" for number in range(8))


@pytest.fixture
def wide_run(tmp_path: Path) -> Run:
    run = make_run(tmp_path / "wide", make_layout(NAMES, (1,) * 8, rotations=8), make_plan(300, 100))
    run.write_summary()
    return run


def shown(run: Run, capsys: pytest.CaptureFixture[str], *, is_brief: bool = False) -> list[str]:
    capsys.readouterr()
    show(run, run.summary(), is_brief=is_brief)
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("is_brief", [False, True])
def test_eight_long_names_fit_80_columns(
    wide_run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, is_brief: bool
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = shown(wide_run, capsys, is_brief=is_brief)
    assert max(map(len, lines)) <= 80
    assert "…" not in "".join(lines)
    titles = ["Entrants, per game and seat", "Places in turn order"]
    others = ["Games", "Differences between entrants, same deals", "Distributions"]
    assert all(title in lines for title in titles)
    assert all((title in lines) is not is_brief for title in others)


def test_a_row_has_the_figures_of_its_entrant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    layout = make_layout(("ann", "bob"), (3, 1))
    run = make_run(tmp_path / "two", layout, make_plan(50, 50))
    summary = run.write_summary()
    lines = shown(run, capsys)
    assert lines[:2] == ["two: made-up, 4 seats, 50 deals, 200 games", "entrants: ann, bob"]
    title = lines.index("Entrants, per game and seat")
    head, row = lines[title + 2].split(), lines[title + 4].split()
    # The header's second line begins: entrant seats share 95 % lost score place ...
    assert head[:7] == ["entrant", "seats", "share", "95", "%", "lost", "score"]
    figures = {
        figure["figure"]: figure
        for figure in summary["figures"]
        if (figure["table"], figure["group"]) == ("entrants", "ann")
    }
    assert row[:2] == ["ann", "3"]
    assert float(row[2]) == pytest.approx(100 * figures["win_share"]["value"], abs=0.051)
    assert float(row[4]) == pytest.approx(100 * figures["win_share"]["low"], abs=0.051)
    assert float(row[6]) == pytest.approx(100 * figures["win_share"]["high"], abs=0.051)
    assert float(row[7]) == pytest.approx(100 * figures["lost"]["value"], abs=0.051)
    assert float(row[9]) == pytest.approx(figures["score"]["value"], abs=0.0051)
    assert "ann - bob" in "\n".join(lines)


def test_capped_games_hash_and_missing_intervals_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    run = make_run(tmp_path / "one", make_layout(), make_plan(1, 1))
    summary = run.write_summary()
    summary["capped"] = 1
    capsys.readouterr()
    show(run, summary)
    lines = capsys.readouterr().out.splitlines()
    assert "1 of 4 games ended at a safety limit (capped) and not by the rules; they count as they stood." in lines
    assert f"content hash: {summary['content_hash']}" in lines
    assert any(line.startswith("One deal: ") for line in lines)


def test_names_are_no_markup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "marked", make_layout(("[red]ann[/]", "bob"), (2, 2)), make_plan(2, 2))
    run.write_summary()
    assert "[red]ann[/]" in "\n".join(shown(run, capsys))
