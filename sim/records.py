"""Records that begin with a block of what all may know, which is told as a few words: of STATE and VIEW alike."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

_WORD = 8  # bytes

# The fields of a dtype: name to type and offset.
Laid = Mapping[str, tuple[Any, ...]]


def count_words(block: Sequence[Any], step: int = 1) -> int:
    """Count the words of 64 bits that a block of fields takes up, in whole steps of so many words."""
    return step * -(-np.dtype(list(block), align=True).itemsize // (_WORD * step))


def make_record(
    block: Sequence[Any],
    fields: Sequence[Any],
    *,
    word: Any = np.int64,
    step: int = 1,
    block_step: int = 1,
    also: Callable[[Laid], Mapping[str, tuple[Any, int]]] | None = None,
) -> np.dtype[Any]:
    """Lay out a record that begins with a block, which lies alike in every record that does.

    The block can also be read as words of 64 bits (`block`), and so can the whole record (`words`), so that they are
    copied fast; their numbers are multiples of `block_step` and of `step`. `also(fields)` gives more fields over those
    that are laid out: name to type and offset.
    """
    laid = np.dtype([("block", word, (count_words(block, block_step),)), *fields], align=True).fields
    shown = np.dtype(list(block), align=True).fields
    assert laid is not None
    assert shown is not None
    count = count_words([("block", word, (count_words(block, block_step),)), *fields], step)
    parts = {**shown, **laid, "words": (np.dtype((word, (count,))), 0), **(also(laid) if also else {})}
    return np.dtype(
        {
            "names": list(parts),
            "formats": [part[0] for part in parts.values()],
            "offsets": [part[1] for part in parts.values()],
            "itemsize": _WORD * count,
        },
        align=True,
    )
