import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sim.contract import Bot, Game, load_game
from sim.errors import FourfoldError, Refused, SpecError, UnknownName
from sim.job import make_job
from workers import held
from workers.bots import bots_of_run, held_bot, held_bots, load_bot, read_line_up
from workers.jobs import read_job
from workers.play.runs import contest_of_run, create_run

PLAIN = '''
from sim.contract import bot


@bot()
def {name}(view):
    """Passes whenever it can."""
    return {answer}
'''


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def plain(name: str, answer: object = 0) -> str:
    return PLAIN.format(name=name, answer=answer)


@pytest.fixture
def game() -> Game:
    return load_game("vierer")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "bots"
    place.mkdir()
    monkeypatch.setenv("FOURFOLD_BOTS", str(place))
    return place


@pytest.fixture(autouse=True)
def _installed_anew() -> Iterator[None]:
    held._entry_points.cache_clear()
    yield
    held._entry_points.cache_clear()


def names() -> set[str]:
    return set(held_bots())


def only_fault() -> str:
    (fault,) = held.held()[1]
    return fault


def test_a_bot_of_the_folder_stands_wherever_a_name_can(folder: Path, game: Game, tmp_path: Path) -> None:
    write(folder / "mine.py", plain("passer"))
    entrants, bots = read_line_up("passer,random", game)
    assert [entrant.bot for entrant in entrants] == ["passer", "random"]
    assert entrants[0].source == bots["passer"].source == held_bots()["passer"]
    job, own = read_job(write(tmp_path / "job.toml", 'game = "vierer"\ndeals = 2\n[[entrants]]\nbot = "passer"\n'))
    assert job.entrants[0].source == own["passer"].source == held_bots()["passer"]


def test_bots_are_listed_without_running_anything(folder: Path, tmp_path: Path) -> None:
    mark = tmp_path / "it ran"
    write(folder / "loud.py", f"import os\nos.mkdir({str(mark)!r})\nraise SystemExit\n" + plain("loud"))
    assert names() == {"loud"}
    assert not mark.exists()
    with pytest.raises(SpecError, match="cannot be loaded: line 3: SystemExit"):
        held_bot("loud", load_game("vierer"))
    assert mark.exists()


def test_only_functions_under_bot_at_the_top_of_the_folders_own_files_are_held(folder: Path) -> None:
    write(
        folder / "mine.py",
        plain("one") + "\n\ndef no_bot(view):\n    return 0\n\n\nif True:\n    @bot()\n    def no(v): ...\n",
    )
    write(
        folder / "other.py",
        "import sim.contract as c\nfrom sim.contract import bot as b\n@b(name='x')\ndef two(v): ...\n",
    )
    write(folder / "third.py", "import sim.contract as c\n@c.bot(c.Parameter('a', 0, 0, 1, ''))\ndef three(v): ...\n")
    write(folder / "below" / "deep.py", plain("deep"))
    write(folder / ".hidden.py", plain("hidden"))
    write(folder / "notes.txt", plain("text"))
    assert names() == {"one", "two", "three"}


def test_a_bot_is_of_the_game_that_it_names_or_imports_from(folder: Path, game: Game) -> None:
    write(folder / "any.py", plain("any_game"))
    write(folder / "uses.py", "from sim.games.vierer.spec import ACT_PASS\n" + plain("uses"))
    write(folder / "says.py", plain("says").replace("bot()", 'bot(game="four-corner")'))
    write(folder / "helper.py", "import sim.games.four_corner.spec\n")
    write(folder / "indirect.py", "import helper\n" + plain("indirect"))
    bots, _ = held.held()
    playing = {name: bots[name].games for name in bots}
    assert playing == {"any_game": (), "uses": ("vierer",), "says": ("four_corner",), "indirect": ("four_corner",)}
    assert {name for name in bots if bots[name].can_play("vierer")} == {"any_game", "uses"}
    for name in ("says", "indirect"):
        for word in (name, f"{folder}/{name}.py:{name}"):
            with pytest.raises(SpecError, match=rf"Bot '{name}' in .*{name}.py plays four-corner, not vierer"):
                read_line_up(word, game)


def test_a_name_that_is_not_held_is_unknown_with_those_that_are(folder: Path, game: Game) -> None:
    write(folder / "mine.py", plain("passer"))
    write(folder / "broken.py", "def (:\n")
    with pytest.raises(UnknownName, match=r"Unknown bot 'paser' of vierer. Did you mean 'passer'\?.*broken.py cannot"):
        read_line_up("paser", game)


def test_two_bots_of_one_name_are_an_error_that_names_both_files(folder: Path) -> None:
    write(folder / "a.py", plain("same"))
    write(folder / "b.py", plain("same", 1))
    with pytest.raises(SpecError, match=r"Two bots are named 'same': .*/a.py and .*/b.py"):
        held_bots()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("def (:\n", "line 1: invalid syntax"),
        ("x = '\0'\n", "null bytes"),
        ("x = " + "-" * 50_000 + "1\n", "nested too deep|too complex|parser stack"),
        ("#" * (held.MAX_FILE_BYTES + 1), "larger than"),
    ],
)
def test_a_broken_file_is_passed_over_and_the_others_are_held(folder: Path, content: str, reason: str) -> None:
    write(folder / "mine.py", plain("passer"))
    write(folder / "broken.py", content)
    assert names() == {"passer"}
    assert "broken.py" in only_fault()
    assert re.search(reason, only_fault())


def test_links_are_followed_inside_the_folder_and_nowhere_else(folder: Path, tmp_path: Path) -> None:
    write(folder / "..data" / "inside.py", plain("inside"))
    (folder / "inside.py").symlink_to("..data/inside.py")
    (folder / "outside.py").symlink_to(write(tmp_path / "elsewhere.py", plain("outside")))
    assert names() == {"inside"}
    assert "is a link out of FOURFOLD_BOTS" in only_fault()
    (folder / "outside.py").unlink()
    write(folder / "user.py", "import outside\n" + plain("user"))
    (folder / "outside.py").symlink_to(tmp_path / "elsewhere.py")
    assert names() == {"inside"}
    (folder / "outside.py").unlink()
    (folder / "outside.py").symlink_to("outside.py")
    assert names() == {"inside", "user"}
    assert "cannot be read" in only_fault()


def test_what_everybody_can_write_is_not_taken(folder: Path) -> None:
    write(folder / "mine.py", plain("passer")).chmod(0o646)
    assert names() == set()
    assert "can be written by everybody; close it: chmod o-w" in only_fault()
    folder.chmod(0o757)
    with pytest.raises(SpecError, match="into which everybody can write"):
        held_bots()


@pytest.mark.parametrize("value", ["/nowhere/at/all", "/etc/passwd", "x" * 5000])
def test_a_folder_that_is_none_is_told(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOURFOLD_BOTS", value)
    with pytest.raises(SpecError, match="no folder that can be read"):
        held_bots()


def test_without_the_variable_nothing_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOURFOLD_BOTS", raising=False)
    assert held_bots() == {}


def test_the_source_is_the_hash_of_the_file_and_those_beside_it_that_it_imports(folder: Path) -> None:
    write(folder / "mine.py", "import near\n" + plain("passer"))
    write(folder / "near.py", "import nearer\n")
    write(folder / "nearer.py", "X = 1\n")
    write(folder / "other.py", "X = 1\n")
    before = held_bots()
    write(folder / "other.py", "X = 2\n")
    assert held_bots() == before
    write(folder / "nearer.py", "X = 2\n")
    assert held_bots() != before


def wanted(bot: Bot) -> dict[str, object]:
    """A job's document, as far as its bots go."""
    return {"game": "vierer", "entrants": [{"bot": "random", "source": ""}, {"bot": bot.name, "source": bot.source}]}


def test_a_worker_plays_the_very_source_that_it_holds(folder: Path, game: Game, tmp_path: Path) -> None:
    job = wanted(load_bot(write(tmp_path / "mine.py", plain("passer")), "passer", game))
    write(folder / "mine.py", plain("passer"))
    (bot,) = bots_of_run({}, job, game, trusts_files=False).values()
    assert (bot.name, bot.source) == ("passer", held_bots()["passer"])


def test_a_worker_refuses_another_source_and_names_both(folder: Path, game: Game, tmp_path: Path) -> None:
    bot = load_bot(write(tmp_path / "mine.py", plain("passer")), "passer", game)
    write(folder / "mine.py", plain("passer", 1))
    with pytest.raises(Refused) as refused:
        bots_of_run({"bot_files": {"passer": str(tmp_path / "mine.py")}}, wanted(bot), game, trusts_files=False)
    said = str(refused.value)
    for word in (
        "'passer'",
        bot.source[:12],
        held_bots()["passer"][:12],
        str(folder / "mine.py"),
        f"the folder {folder}",
    ):
        assert word in said


def test_a_worker_refuses_what_it_does_not_hold_and_opens_no_file_of_a_plan(
    folder: Path, game: Game, tmp_path: Path
) -> None:
    mark = tmp_path / "it ran"
    file = write(tmp_path / "mine.py", plain("passer"))
    bot = load_bot(file, "passer", game)
    write(file, f"import os\nos.mkdir({str(mark)!r})\n")
    for path in (str(file), "../mine.py", "/dev/stdin", "a\0b", 5):
        with pytest.raises(Refused, match=r"none of that name is held; looked in the folder .* and the entry points"):
            bots_of_run({"bot_files": {"passer": path}}, wanted(bot), game, trusts_files=False)
    assert not mark.exists()


def test_where_files_are_trusted_they_must_be_of_the_source_too(game: Game, tmp_path: Path) -> None:
    mark = tmp_path / "it ran"
    file = write(tmp_path / "mine.py", plain("passer"))
    bot = load_bot(file, "passer", game)
    plan = {"bot_files": {"passer": str(file), "another": str(tmp_path / "another.py")}}
    write(tmp_path / "another.py", f"import os\nos.mkdir({str(mark)!r})\n")
    assert bots_of_run(plan, wanted(bot), game, trusts_files=True)["passer"].source == bot.source
    write(file, f"import os\nos.mkdir({str(mark)!r})\n" + plain("passer"))
    with pytest.raises(SpecError, match="is not the one of this job"):
        bots_of_run(plan, wanted(bot), game, trusts_files=True)
    assert not mark.exists()


@pytest.mark.parametrize("entrants", [None, 5, [5], [{}], [{"bot": []}], [{"bot": "x", "source": 5}], {"bot": "x"}])
def test_a_document_that_is_none_wants_no_bots(game: Game, entrants: object) -> None:
    assert bots_of_run({}, {"entrants": entrants}, game, trusts_files=False) == {}


@pytest.mark.parametrize("files", [None, 5, [], {"x": None}, {"x": []}])
def test_a_plan_that_is_none_names_no_files(game: Game, files: object) -> None:
    with pytest.raises(Refused):
        bots_of_run({"bot_files": files}, {"entrants": [{"bot": "x", "source": "y"}]}, game, trusts_files=True)


def test_a_run_is_opened_with_the_bots_that_are_held(folder: Path, game: Game, tmp_path: Path) -> None:
    file = write(folder / "mine.py", plain("passer"))
    entrants, bots = read_line_up("passer", game)
    run, _ = create_run(make_job(game, entrants=entrants, deals=4, bots=bots), bots, out=tmp_path / "run", part=2)
    assert contest_of_run(run, trusts_files=False).names == ("passer",)
    file.rename(tmp_path / "mine.py")
    with pytest.raises(Refused):
        contest_of_run(run, trusts_files=False)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that brings a bot."""
    site = tmp_path / "site"
    write(site / "ff_guest" / "__init__.py", "raise RuntimeError('imported too early')\n")
    write(site / "ff_guest" / "bots.py", "from .near import X\nfrom ff_guest import far\n" + plain("decide"))
    write(site / "ff_guest" / "near.py", "X = 1\n")
    write(site / "ff_guest" / "far.py", "")
    about = site / "ff_guest-1.0.dist-info"
    write(about / "METADATA", "Metadata-Version: 2.1\nName: ff-guest\nVersion: 1.0\n")
    write(about / "entry_points.txt", "[fourfold.bots]\nguest = ff_guest.bots:decide\n")
    monkeypatch.syspath_prepend(str(site))

    return site


def test_a_bot_of_an_entry_point_is_held_by_its_name_without_importing_it(installed: Path, game: Game) -> None:
    before = held_bots()
    assert set(before) == {"guest"}
    assert "ff_guest" not in sys.modules
    write(installed / "ff_guest" / "near.py", "X = 2\n")
    assert held_bots() != before
    with pytest.raises(SpecError, match="RuntimeError: imported too early"):
        held_bot("guest", game)
    write(installed / "ff_guest" / "__init__.py", "")
    bot = held_bot("guest", game)
    assert (bot.name, bot.source) == ("guest", held_bots()["guest"])
    assert bots_of_run({}, wanted(bot), game, trusts_files=False)["guest"] == bot
    write(installed / "ff_guest" / "near.py", "X = 3\n")
    with pytest.raises(SpecError, match=r"has changed since ff_guest.bots was imported"):
        held_bot("guest", game)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("guest = ff_guest.nowhere:decide", "a module that is not there"),
        ("guest = ff_guest.bots:nobody", "no function under @bot"),
        ("guest = ff_guest.bots", "must be of the form"),
        ("gu-est = ff_guest.bots:decide", "must be of the form"),
        ("guest = ..x:decide", "a module that is not there"),
    ],
)
def test_an_entry_point_that_leads_nowhere_is_passed_over(installed: Path, line: str, fault: str) -> None:
    write(installed / "ff_guest-1.0.dist-info" / "entry_points.txt", f"[fourfold.bots]\n{line}\n")
    assert held_bots() == {}
    assert fault in only_fault()


def test_a_name_of_the_folder_and_of_an_entry_point_is_an_error(installed: Path, folder: Path) -> None:
    write(folder / "mine.py", plain("guest"))
    with pytest.raises(SpecError, match=r"'guest': .*mine.py and entry point ff_guest.bots:decide"):
        held_bots()


def test_files_of_one_name_beside_two_bots_are_not_mixed_up(tmp_path: Path, game: Game) -> None:
    for number in (1, 2):
        write(tmp_path / str(number) / "ff_near.py", f"ANSWER = {number}\n")
        write(tmp_path / str(number) / "mine.py", "from ff_near import ANSWER\n" + plain("passer", answer="ANSWER"))
    first, second = (load_bot(tmp_path / number / "mine.py", "passer", game) for number in "12")
    assert (first.decide(None), second.decide(None)) == (1, 2)


def test_a_file_beside_a_bot_with_the_name_of_a_loaded_module_is_an_error(tmp_path: Path, game: Game) -> None:
    write(tmp_path / "json.py", "")
    with pytest.raises(SpecError, match=r"json.py has the name of a module that is loaded already"):
        load_bot(write(tmp_path / "mine.py", "import json\n" + plain("passer")), "passer", game)


@pytest.mark.parametrize("path", ["a\0b.py", "x" * 5000 + ".py", "a/" * 3000 + "b.py", "\ud800.py", "."])
def test_an_odd_path_of_a_bot_is_a_sentence(path: str, game: Game) -> None:
    with pytest.raises(FourfoldError):
        load_bot(Path(path), "passer", game)


def test_a_pipe_is_not_read(folder: Path) -> None:
    os.mkfifo(folder / "pipe.py")
    assert names() == set()
    assert "is no file" in only_fault()
