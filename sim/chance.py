"""Keyed chance: every event of chance has its own generator, seeded from a key, so that no event shifts another.

The generator is xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47,
2021), seeded by splitmix64 (Steele, Lea and Flood, OOPSLA 2014). Bounded integers are Lemire's ("Fast random integer
generation in an interval", ACM TOMACS 29, 2019): unbiased. Its four words are fields of a game's STATE (`GENERATOR`),
so every function here takes any record with the fields `s0 .. s3`.
"""

import numpy as np

from sim.compiled import entry, inlined, kernel

# A STATE must not begin with these: Numba takes a record that does for one of these alone, and warns.
GENERATOR = [("s0", np.uint64), ("s1", np.uint64), ("s2", np.uint64), ("s3", np.uint64)]

# What a key's generator is for. A number never changes its meaning: results would change with it.
PURPOSE_SEATING = 1
PURPOSE_BOT = 2
PURPOSE_MEMORY = 3
PURPOSE_PERCEPTION = 4
PURPOSE_TOURNAMENT = 8
PURPOSE_GAME = 16  # a game's own purposes count from here

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_ODD = np.uint64(0xD1342543DE82EF95)
_LOW32 = np.uint64(0xFFFFFFFF)
_U0, _U1, _U5, _U7, _U9, _U17, _U27, _U30, _U31, _U32, _U45 = (
    np.uint64(k) for k in (0, 1, 5, 7, 9, 17, 27, 30, 31, 32, 45)
)
_U19, _U48, _U57 = np.uint64(19), np.uint64(48), np.uint64(57)


@kernel
def mix(word):
    """Scramble 64 bits (the finalizer of splitmix64): a bijection that spreads every bit."""
    word = (word ^ (word >> _U30)) * _MIX_A
    word = (word ^ (word >> _U27)) * _MIX_B
    return word ^ (word >> _U31)


@kernel
def deal_key(master, deal):
    """Derive the key of a deal from the master seed and the deal's number."""
    return mix(mix(np.uint64(master) + _GOLDEN) + np.uint64(deal) * _ODD)


@inlined
def event_key(key, purpose, index):
    """Derive the key of one event of chance of a deal: what it is for, and which of its kind it is."""
    return mix(key ^ ((np.uint64(purpose) << _U48) + np.uint64(index)) * _GOLDEN)


@kernel
def word_at(key, index):
    """Give the `index`-th hashed word of a key: a fresh 64-bit word for one decision.

    The index is multiplied into the key and not added: sums would be windows on one shared cycle.
    """
    return mix(key ^ (np.uint64(index) + np.uint64(1)) * _ODD)


@kernel
def seed(state, key):
    """Seed the generator of `state` from a key (modifies s0 .. s3)."""
    state.s0 = mix(key + _GOLDEN)
    state.s1 = mix(key + _GOLDEN + _GOLDEN)
    state.s2 = mix(key + _GOLDEN + _GOLDEN + _GOLDEN)
    state.s3 = mix(key + _GOLDEN + _GOLDEN + _GOLDEN + _GOLDEN)


@kernel
def next_word(state):
    """Draw the next 64-bit word (modifies s0 .. s3)."""
    s1 = state.s1
    product = s1 * _U5
    result = ((product << _U7) | (product >> _U57)) * _U9
    s2 = state.s2 ^ state.s0
    s3 = state.s3 ^ s1
    state.s1 = s1 ^ s2
    state.s0 = state.s0 ^ s3
    state.s2 = s2 ^ (s1 << _U17)
    state.s3 = (s3 << _U45) | (s3 >> _U19)
    return result


@kernel
def below(state, bound):
    """Draw an integer in [0, bound), unbiased; `bound` is 1 .. 2**32 - 1 (modifies s0 .. s3)."""
    n = np.uint64(bound)
    product = (next_word(state) >> _U32) * n
    if (product & _LOW32) < n:
        threshold = ((_LOW32 - n) + np.uint64(1)) % n
        while (product & _LOW32) < threshold:
            product = (next_word(state) >> _U32) * n
    return np.int64(product >> _U32)


@kernel
def _rejected(n):
    """Give how many of the 2**32 low words would favour some of `n` numbers: 2**32 % n."""
    return ((_LOW32 - n) + _U1) % n


@kernel
def shuffle(state, cards, count):
    """Shuffle the first `count` entries of `cards` in place (Fisher and Yates; modifies s0 .. s3).

    The same draws as `below` would give, with the generator's words kept out of memory for the length of the loop.
    """
    s0, s1, s2, s3 = state.s0, state.s1, state.s2, state.s3
    # Unsigned, for an index that could be negative is looked at twice.
    for n in range(np.uint64(count), _U1, -1):
        while True:
            product = s1 * _U5
            word = ((product << _U7) | (product >> _U57)) * _U9
            shifted = s1 << _U17
            s2 ^= s0
            s3 ^= s1
            s1 ^= s2
            s0 ^= s3
            s2 ^= shifted
            s3 = (s3 << _U45) | (s3 >> _U19)
            product = (word >> _U32) * n
            if (product & _LOW32) >= n or (product & _LOW32) >= _rejected(n):
                break
        last, other = n - _U1, product >> _U32
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card
    state.s0, state.s1, state.s2, state.s3 = s0, s1, s2, s3


@kernel
def pick(word, bound):
    """Map a 64-bit word to an integer in [0, bound): the high word of their product; bias below bound / 2**64."""
    n = np.uint64(bound)
    return np.int64(((word >> _U32) * n + (((word & _LOW32) * n) >> _U32)) >> _U32)


@entry
def spin(record, count):
    """Call the generator `count` times and fold its words together: the yardstick by which speeds are given."""
    state = record[0]
    folded = _U0
    for _ in range(count):
        folded ^= next_word(state)
    return folded
