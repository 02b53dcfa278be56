import pytest

from workers.service.tasks import decoded


def test_a_location_and_a_part_are_taken() -> None:
    assert decoded(("/runs/a", 0), {}) == ("/runs/a", 0)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ((), {}),
        (("/runs/a",), {}),
        (("/runs/a", 1, 2), {}),
        (("/runs/a", -1), {}),
        (("/runs/a", True), {}),
        (("/runs/a", 1.0), {}),
        (("/runs/a", "1"), {}),
        (("/runs/a", None), {}),
        (("", 1), {}),
        ((b"/runs/a", 1), {}),
        ((["/runs/a"], 1), {}),
        ((1, "/runs/a"), {}),
        (("/runs/a", 1), {"part": 1}),
        ((), {"location": "/runs/a", "part": 1}),
    ],
)
def test_anything_else_is_refused(given: tuple[object, ...], named: dict[str, object]) -> None:
    assert decoded(given, named) is None
