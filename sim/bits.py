"""Words as sets: a bit for each thing that may be in it."""

import numpy as np

# Where the n-th bit of a byte stands, from the lowest; 0 where there is none.
NTH_BIT = np.array(
    [[([bit for bit in range(8) if byte >> bit & 1] + 8 * [0])[nth] for nth in range(8)] for byte in range(256)],
    np.uint8,
)
