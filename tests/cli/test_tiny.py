"""What the commands say of games unlike Vierer: for one, with presets, with labels of why a game was lost."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Fourfold

pytestmark = pytest.mark.usefixtures("tiny_games")


def test_the_figures_of_a_game_for_one(fourfold: Fourfold, elsewhere: Path) -> None:
    said = fourfold("run", "solo", "--games", "40", "--out", "alone")
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("alone: solo, 1 seat, 40 deals, 40 games\nentrants: random\n\nEntrants, per game\n")
    shown = fourfold("show", "./alone").out
    titles = [line for line in shown.splitlines() if line and line in ("Games", "Entrants, per game", "Distributions")]
    assert titles == ["Games", "Entrants, per game", "Distributions"]
    assert "Places" not in shown
    assert "Differences" not in shown
    row = next(line for line in shown.splitlines() if line.startswith("random"))
    assert row.split()[1] == "1"
    assert row.split()[3] == "%"
    shares = {}
    for line in shown.splitlines():
        if line.startswith("reason: "):
            name, _, rest = line.removeprefix("reason: ").partition(" ")
            shares[name] = float(rest.split()[0])
            assert "% " in rest
            assert " to " in rest
    assert list(shares) == ["none", "short", "fallen"]
    assert sum(shares.values()) == pytest.approx(100, abs=1)
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= 80


def test_a_game_for_one_takes_no_second(fourfold: Fourfold, elsewhere: Path) -> None:
    for flags in (["--seats", "2"], ["--bots", "random,runner"]):
        said = fourfold("run", "solo", *flags)
        assert (said.status, said.out) == (2, "")
        assert said.err.startswith("fourfold: Solo is played by 1 seat; 2 are too many.\n")
    fourfold("run", "solo", "--games", "1", "--out", "alone")
    assert fourfold("replay", "./alone", "--game", "0", "--seat", "0").out.splitlines()[0] in ("0 walks", "0 runs")
    said = fourfold("replay", "./alone", "--game", "0", "--seat", "1")
    assert (said.status, said.err) == (1, "fourfold: There is no seat 1; the only one is 0.\n")


def test_games_say_how_many_play_and_what_presets_there_are(fourfold: Fourfold) -> None:
    alone, relay = fourfold("games", "solo").out, fourfold("games", "relay").out
    assert alone.splitlines()[1] == "1 seat"
    assert relay.splitlines()[1] == "2 to 3 seats, by default 2"
    assert "Presets" not in alone
    presets = relay.split("Presets of relay, each set with --preset NAME\n")[1].splitlines()
    assert [line.split() for line in presets[2:]] == [
        ["safe", "chance=1.0"],
        ["long", "legs=6,", "goal=9,", "chance=0.25"],
    ]
    row = next(line for line in relay.splitlines() if line.startswith("chance"))
    assert row.split()[:5] == ["chance", "0.5", "0.0", "to", "1.0"]
    described = json.loads(fourfold("games", "relay", "--json").out)[0]
    assert described["presets"]["long"] == {"legs": 6, "goal": 9, "chance": 0.25}
    assert next(option for option in described["options"] if option["name"] == "chance")["type"] == "number"


def test_a_preset_is_the_job_of_its_options(fourfold: Fourfold, elsewhere: Path) -> None:
    said = fourfold("run", "relay", "--preset", "long", "--option", "goal=8", "--deals", "4", "--out", "evening")
    assert "options: chance=0.25, goal=8, legs=6\n" in said.out
    (elsewhere / "job.toml").write_text('game = "relay"\ndeals = 4\npreset = "long"\noptions = { goal = 8 }\n')
    again = fourfold("run", "job.toml", "--out", "evening")
    assert "The run was complete already; nothing was played." in again.out
    flags = [word for option in ("chance=0.25", "goal=8", "legs=6") for word in ("--option", option)]
    assert "complete already" in fourfold("run", "relay", "--deals", "4", "--out", "evening", *flags).out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["relay", "--preset", "saf"], "Unknown preset 'saf' of relay. Did you mean 'safe'? Allowed: safe, long."),
        (["solo", "--preset", "safe"], "There is no preset 'safe': solo has none; set its options one by one."),
        (["relay", "--option", "chance=nan"], "Option 'chance' is 'nan'; allowed: 0.0 to 1.0."),
        (["relay", "--option", "chance=true"], "Option 'chance' is 'true'; allowed: 0.0 to 1.0."),
        (["job.toml", "--preset", "safe"], "--preset cannot be given beside a job file"),
    ],
)
def test_what_is_wrong_is_named(fourfold: Fourfold, elsewhere: Path, words: list[str], sentence: str) -> None:
    said = fourfold("run", *words)
    assert (said.status, said.out) == (2, "")
    assert sentence in said.err
    assert not (elsewhere / "runs").exists()


@pytest.mark.parametrize("value", ["nan", "inf", "true", '"x"', "1.5"])
def test_a_fraction_in_a_job_file_is_checked(fourfold: Fourfold, elsewhere: Path, value: str) -> None:
    (elsewhere / "job.toml").write_text(f'game = "relay"\ndeals = 4\noptions = {{ chance = {value} }}\n')
    said = fourfold("run", "job.toml")
    assert (said.status, said.out) == (1, "")
    assert "Option 'chance' is " in said.err
    assert said.err.endswith("; allowed: 0.0 to 1.0.\n")
