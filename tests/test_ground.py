import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent


def test_the_lock_names_only_the_public_index() -> None:
    hosts = set(re.findall(r"https?://([^/\"]+)", (ROOT / "uv.lock").read_text()))
    assert hosts == {"pypi.org", "files.pythonhosted.org"}


def test_the_lock_fits_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    packages = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    (locked,) = [package for package in packages if package["name"] == project["name"]]
    names = {re.split(r"[\[<>=!; ]", line)[0] for line in project["dependencies"]}
    assert {entry["name"] for entry in locked["metadata"]["requires-dist"]} == names


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    lines = project["project"]["dependencies"] + project["dependency-groups"]["dev"]
    names = {re.split(r"[\[<>=!; ]", line)[0] for line in lines}
    told = (ROOT / "docs" / "dependencies.md").read_text().split("## Left out")[0]
    assert {name for name in names if not re.search(rf"^\| .*\b{name}\b.* \|", told, re.MULTILINE)} == set()


def test_no_tracked_file_is_larger_than_a_mebibyte() -> None:
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
        files = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:  # an unpacked source archive
        files = [
            file
            for folder in ("sim", "results", "workers", "cli", "tests", "docs")
            for file in (ROOT / folder).rglob("*")
        ]
    assert [file for file in files if file.is_file() and file.stat().st_size > 2**20] == []


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.compose-spec", "docker-compose.yml"),
        ("vendor.github-workflows", ".github/workflows/checks.yml"),
    ],
)
def test_documents_for_other_programs_are_valid(schema: str, file: str) -> None:
    subprocess.run([BIN / "check-jsonschema", "--builtin-schema", schema, ROOT / file], check=True)


def test_pre_commit_and_ci_run_the_same_commands() -> None:
    hooks = re.findall(r"entry: (\./run [^,]+),", (ROOT / ".pre-commit-config.yaml").read_text())
    steps = re.findall(r"^step (.+)$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)
    assert hooks == [f"./run {step}" for step in steps]
    assert steps[-1] == "pytest"


@pytest.mark.parametrize("script", ["run", ".ci/run"])
def test_scripts_can_be_executed(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)


# A stand-in for Python: its venv and its pip make a uv that only tells how it was called.
PYTHON = """#!/bin/sh
case "$*" in
    "-m venv "*) mkdir -p "$3/bin"; [ -e {have_venv} ] && cp "$0" "$3/bin/python" ;;
    *" --target "*) shift 5; [ -e "$1/bin" ] && exit 1; mkdir -p "$1/bin"; cp {uv} "$1/bin/uv" ;;
    *" install "*) cp {uv} "$(dirname "$0")/uv" ;;
esac
"""
UV = '#!/bin/sh\necho "$PWD" "$@"\n'


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """A folder with `run`, and with the few programs of a bare machine on the path `bin`."""
    (tmp_path / "bin").mkdir()
    for tool in ("sh", "dirname", "readlink", "rm", "mv", "mkdir", "cp"):
        (tmp_path / "bin" / tool).symlink_to(str(shutil.which(tool)))
    shutil.copy(ROOT / "run", tmp_path / "run")
    for path, text in (
        ("uv", UV),
        ("bin/python3", PYTHON.format(uv=tmp_path / "uv", have_venv=tmp_path / "venv")),
    ):
        (tmp_path / path).write_text(text)
        (tmp_path / path).chmod(0o755)
    return tmp_path


def called(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": str(folder / "bin"), "HOME": str(folder)}
    command = [str(folder / "run"), *words]
    return subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True, check=True)


@pytest.mark.parametrize("have_venv", [True, False])
def test_run_brings_uv_once_and_calls_it_where_the_user_stands(fresh: Path, have_venv: bool) -> None:
    if have_venv:
        (fresh / "venv").touch()
    told = f"/ run --frozen --project {fresh} pytest -k a b\n"
    first = called(fresh, "pytest", "-k", "a b")
    assert (first.stdout, first.stderr.count("first start")) == (told, 1)
    second = called(fresh, "pytest", "-k", "a b")
    assert (second.stdout, second.stderr) == (told, "")
    assert list((fresh / ".tools").iterdir()) == [fresh / ".tools" / "uv"]


def test_run_takes_the_uv_that_is_there(fresh: Path) -> None:
    (fresh / "bin" / "uv").symlink_to(fresh / "uv")
    assert called(fresh, "fourfold").stdout == f"/ run --frozen --project {fresh} fourfold\n"
    assert not (fresh / ".tools").exists()
