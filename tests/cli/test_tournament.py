"""`fourfold tournament` and `fourfold formats`: what they take, refuse, print and leave behind."""

import json
import tomllib
from pathlib import Path

import pytest

from results.store import Run
from sim.contract import load_game
from sim.tournament.formats import FORMATS
from sim.tournament.job import Tournament
from tests.cli.conftest import ROOT, Fourfold
from workers.jobs import read_job

pytestmark = pytest.mark.usefixtures("tiny_games")

ENTRANTS = "runner:name=Ann,runner:name=Bob,random*3,walker.py:walker"
WALKER = """import numpy as np
from sim.contract import bot

@bot()
def walker(view):
    return np.int64(0)
"""


@pytest.fixture(autouse=True)
def walker(elsewhere: Path) -> None:
    (elsewhere / "walker.py").write_text(WALKER)


def hold(fourfold: Fourfold, *words: str, out: str = "t") -> str:
    said = fourfold("tournament", "relay", "--entrants", ENTRANTS, "--out", out, *words)
    assert (said.status, said.err) == (0, "")
    # Then comes where the run lies, which may be a long path.
    assert max(len(line.rstrip()) for line in said.out.split("\nThe run lies in ")[0].splitlines()) <= 80
    return said.out


def test_a_knockout_prints_standings_and_bracket_and_leaves_every_game(fourfold: Fourfold) -> None:
    out = hold(fourfold, "--format", "knockout", "--no-rotate", "--option", "legs=5")
    assert out.startswith("t: relay, a tournament of 6 entrants, ")
    lines = out.splitlines()
    assert lines[1:3] == ["a match is one game", "options: legs=5"]
    at = lines.index("Standings: knockout")
    names = [line.split()[1] for line in lines[at + 3 : at + 9]]
    assert [line.split()[0] for line in lines[at + 3 : at + 7]] == ["1", "2", "3", "4"]
    assert sorted(names) == ["Ann", "Bob", "random", "random", "random", "walker"]
    bracket = lines[next(at for at, line in enumerate(lines) if line.startswith("Bracket: knockout (")) :]
    # Eight places for six.
    assert sum(line.endswith(("┐", "┘")) or "├" in line or "│" in line for line in bracket[1:16]) == 15
    assert sum(line.startswith("–") for line in bracket[1:16]) == 2
    assert "Cross table" not in out
    run = Run.open("t")
    number = int(run.read_table("played", 0)[-1, 0])
    told = fourfold("replay", "./t", "--game", str(number))
    # Three rounds for six; in the last one the match for third place is the second.
    assert (told.status, told.out.splitlines()[0]) == (0, f"Game {number}: knockout, round 3, match 2")
    hint = next(line for line in lines if "fourfold replay" in line)
    assert fourfold(*hint.split("fourfold ")[1].split()).status == 0
    assert fourfold("verify", "./t", "--sample", "1").out.endswith(": all as stored.\n")


def test_a_league_prints_a_cross_table(fourfold: Fourfold) -> None:
    out = hold(fourfold, "--preset", "league")
    lines = out.splitlines()
    cross = lines[lines.index("Cross table: league") :][3:9]
    # Everybody has met the five others once.
    for number, line in enumerate(cross, start=1):
        assert line.startswith(f"{number} ")
        cells = line.split()[-6:]
        assert cells[number - 1] == "–"
        assert all(cell in "01½" for at, cell in enumerate(cells, start=1) if at != number)
    shown = fourfold("show", "./t").out
    assert "What it took\n" in shown
    assert "Ratings above the mean of all entrants, Bradley-Terry" in shown


def test_many_tournaments_print_everybodys_chances(fourfold: Fourfold) -> None:
    words = ("--format", "knockout", "--format", "swiss:rounds=3:name=three", "--repeats", "60")
    out = hold(fourfold, *words, "--variant", "plain", "--variant", "safe:chance=1.0")
    assert out.startswith("t: relay, 60 tournaments of 6 entrants, ")
    assert "plain: the options as they are\nsafe: chance=1.0\n" in out
    summary = json.loads(fourfold("show", "./t", "--json").out)
    assert summary["legs"] == ["knockout, plain", "knockout, safe", "three, plain", "three, safe"]
    for leg in summary["legs"]:
        wins = [
            f["value"] for f in summary["figures"] if (f["table"], f["leg"], f["figure"]) == ("chances", leg, "win")
        ]
        assert len(wins) == 6
        assert sum(wins) >= 1 - 1e-9  # A first place of Swiss may be shared.
    shown = fourfold("show", "./t").out
    for title in ("Chances of places: three, safe", "Differences between legs, same deals", "Ratings above"):
        assert title in shown
        assert title not in out


def test_the_same_from_a_file_and_from_flags(fourfold: Fourfold, elsewhere: Path) -> None:
    hold(
        fourfold,
        "--format",
        "swiss:rounds=2",
        "--deals",
        "2",
        "--seed",
        "9",
        "--order",
        "Ann,Bob,random 1,random 2,random 3,walker",
    )
    (elsewhere / "job.toml").write_text(
        """
kind = "tournament"
game = "relay"
deals = 2
seed = 9
order = ["Ann", "Bob", "random 1", "random 2", "random 3", "walker"]
formats = [{ format = "swiss", name = "swiss:rounds=2", settings = { rounds = 2 } }]
entrants = [
    { bot = "runner", name = "Ann" },
    { bot = "runner", name = "Bob" },
    { bot = "random", name = "random 1" },
    { bot = "random", name = "random 2" },
    { bot = "random", name = "random 3" },
    { bot = "walker.py:walker" },
]
"""
    )
    for command in ("tournament", "run"):
        said = fourfold(command, "job.toml", "--out", f"by-{command}")
        assert (said.status, said.err) == (0, "")
        assert Run.open(f"by-{command}").identity == Run.open("t").identity
        assert Run.open(f"by-{command}").summary() == Run.open("t").summary()


def test_the_game_s_own_bots_enter_where_nobody_is_named(fourfold: Fourfold) -> None:
    said = fourfold("tournament", "foursquare", "--format", "league", "--json", "--out", "alone", "--seed", "2")
    assert said.status == 0
    assert json.loads(said.out)["entrants"] == list(load_game("foursquare").bots)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("relay --format league --entrants random*2", "A tournament has 3 to 1000 entrants; given: 2."),
        ("relay --format league --entrants random*3,random:name=random:name=x", "Bot 'random': 'name' is set twice."),
        ("relay --format league --entrants random,random,runner", "2 entrants are named 'random': give each its own"),
        ("relay --format league --entrants random*0,runner", "Option '--entrants' has 'random*0'; allowed after the"),
        ("relay --format league --entrants random*2,,runner", "Option '--entrants' has an empty place"),
        ("relay --format league --entrants random*3:name=x", "Unknown bot 'random*3' of relay. Did you mean 'random'?"),
        ("relay --format league --entrants random*2,runer", "Unknown bot 'runer' of relay. Did you mean 'runner'?"),
        ("relay --format league --entrants random*2,runner:memory=3", "Unknown parameter 'memory' of bot 'runner'."),
        ("relay --entrants random*4", "A tournament has one format or more, or a preset; formats are"),
        ("relay --format leage --entrants random*4", "Unknown format 'leage'. Did you mean 'league'?"),
        ("relay --format swiss:rounds=4 --entrants random*4", "Option 'rounds' is 4; allowed with 4 entrants: 1 to 3"),
        ("relay --format swiss:rounds --entrants random*4", "Option '--format': 'rounds' is no setting; write NAME:"),
        ("relay --format knockout:best_of=4 --entrants random*4", "Option 'best_of' is 4; allowed: odd numbers"),
        ("relay --format tables:seats=4 --entrants random*8", "Format 'tables:seats=4' with 8 entrants has tables of"),
        ("relay --format league --format league --entrants random*4", "2 formats are named 'league': give each its"),
        (
            "relay --preset cup --entrants random*4",
            "Unknown preset 'cup' of a tournament. Allowed: championship, league.",
        ),
        ("relay --preset league --variant a:leg=3 --entrants random*4", "Unknown option 'leg' of relay. Did you mean"),
        (
            "relay --preset league --variant legs=3 --entrants random*4",
            "Option '--variant' has 'legs=3'; a name stands",
        ),
        ("relay --format league --entrants random*2,runner:name=", "Bot 'runner': an entrant's name is 1 to 100"),
        ("relay --preset league --variant a:name=b --entrants random*4", "Option '--variant': the name stands first"),
        (
            "relay --preset league --variant a --variant a --entrants random*4",
            "2 variants are named 'a': give each its",
        ),
        ("relay --preset league --repeats 0 --entrants random*4", "The number of repeats is 0; allowed are 1 to"),
        (
            "relay --preset league --deals 0 --entrants random*4",
            "The number of deals a match is 0; allowed are 1 to 1000",
        ),
        ("relay --preset league --order random --entrants random*4", "Unknown entrant 'random' in the order."),
        ("relay --format knockout:seeding=rating --entrants random*4", "Format 'knockout:seeding=rating' seeds by"),
        ("relay --preset league --wait --entrants random*4", "--wait and --workers go with --submit; without it the"),
        ("rely --preset league", "Unknown game 'rely'. Did you mean 'relay'?"),
    ],
)
def test_what_cannot_be_held_is_told_before_anything_is_played(fourfold: Fourfold, words: str, message: str) -> None:
    said = fourfold("tournament", *words.split(), "--out", "t")
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith(f"fourfold: {message}"), said.err
    assert not Path("t").exists()


def test_a_variant_takes_over_a_preset_of_the_game(fourfold: Fourfold) -> None:
    hold(fourfold, "--preset", "league", "--variant", "a:preset=long:legs=5", "--variant", "b", "--option", "goal=7")
    variants = Run.open("t").job["job"]["variants"]
    assert variants == [
        {"name": "a", "options": {"chance": 0.25, "goal": 9, "legs": 5}},
        {"name": "b", "options": {"goal": 7}},
    ]
    Path("job.toml").write_text(
        'kind = "tournament"\ngame = "relay"\npreset = "league"\nentrants = [{ bot = "random", name = "a" }, '
        '{ bot = "random", name = "b" }, { bot = "runner" }]\n'
        '[[variants]]\nname = "a"\npreset = "long"\noptions = { legs = 5 }\n'
    )
    job, _ = read_job("job.toml")
    assert isinstance(job, Tournament)
    assert job.variants[0].options == variants[0]["options"]


@pytest.mark.parametrize(
    "words", ["--variant a:preset=short", "--variant a:preset=long:preset=safe"], ids=["unknown", "twice"]
)
def test_a_preset_that_is_not_there_is_told(fourfold: Fourfold, words: str) -> None:
    said = fourfold("tournament", "relay", "--preset", "league", "--entrants", "random*4", *words.split())
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith(("fourfold: Unknown preset 'short' of relay.", "fourfold: Option '--variant': 'preset'"))


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            'game = "relay"\ndeals = 3\n',
            'Job file job.toml holds no tournament, whose kind = "tournament" stands in it',
        ),
        (
            'kind = "tournament"\ngame = "relay"\npresett = "league"\n',
            "Unknown key 'presett' in job file job.toml. Did",
        ),
        ('kind = "cup"\ngame = "relay"\ndeals = 3\n', "Job file job.toml: its kind is 'cup'; allowed: simulate, tourn"),
        (
            'game = "relay"\nformats = ["league"]\n',
            'Job file job.toml looks like a tournament: say kind = "tournament"',
        ),
        (
            'kind = "tournament"\ngame = "relay"\nentrants = [{ bot = "random", count = 3 }]\n',
            "Unknown key 'count' in entrants[0] of job file job.toml. Did you mean 'bot'? Allowed: bot, name,",
        ),
        (
            'kind = "tournament"\ngame = "relay"\nformats = [{ format = "league", setting = {} }]\n',
            "Unknown key 'setting' in formats[0] of job file job.toml. Did you mean 'settings'?",
        ),
        (
            'kind = "tournament"\ngame = "relay"\nformats = [3]\n',
            "job file job.toml: Expected `str | object`, got `int` - at `formats[0]`",
        ),
    ],
)
def test_a_file_that_holds_no_tournament_is_told(fourfold: Fourfold, document: str, message: str) -> None:
    Path("job.toml").write_text(document)
    said = fourfold("tournament", "job.toml", "--out", "t")
    assert (said.status, said.out) == (1, "")
    assert said.err.startswith(f"fourfold: {message}"), said.err
    assert not Path("t").exists()


def test_flags_that_a_file_settles_are_refused(fourfold: Fourfold) -> None:
    Path("job.toml").write_text('kind = "tournament"\ngame = "relay"\n')
    said = fourfold("tournament", "job.toml", "--repeats", "3", "--rotate", "--threads", "1")
    assert said.status == 2
    assert said.err.startswith("fourfold: --rotate, --repeats cannot be given") or said.err.startswith(
        "fourfold: --repeats, --rotate cannot be given beside a job file"
    )


def test_a_thousand_entrants_fit_into_a_file(elsewhere: Path) -> None:
    lines = [f'{{ bot = "runner", name = "entrant number {number} of a thousand" }},' for number in range(1000)]
    text = 'kind = "tournament"\ngame = "relay"\npreset = "league"\nentrants = [\n' + "\n".join(lines) + "\n]\n"
    (elsewhere / "many.toml").write_text(text)
    job, _ = read_job("many.toml")
    assert len(job.entrants) == 1000


def test_formats_are_listed_with_every_setting(fourfold: Fourfold) -> None:
    out = fourfold("formats").out
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 80
    described = json.loads(fourfold("formats", "--json").out)
    assert [one["name"] for one in described] == list(FORMATS)
    for one in described:
        assert f"{one['name']}: " in out
        assert {setting["name"] for setting in one["settings"]} == set(FORMATS[one["name"]].__struct_fields__)
        assert all(setting["description"] for setting in one["settings"])
    assert fourfold("formats", "championship").out.startswith("single_elimination: ")
    said = fourfold("formats", "swis")
    assert (said.status, said.err.startswith("fourfold: Unknown format 'swis'. Did you mean 'swiss'?")) == (2, True)


def test_the_example_is_what_it_says() -> None:
    file = ROOT / "docs" / "examples" / "championship.toml"
    job, bots = read_job(file)
    assert (job.kind, bots) == ("tournament", {})
    assert [entrant.name for entrant in job.entrants] == [
        one["name"] for one in tomllib.loads(file.read_text())["entrants"]
    ]
