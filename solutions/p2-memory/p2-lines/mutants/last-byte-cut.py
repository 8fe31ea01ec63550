"""Mutant of p2-lines. A row one byte longer than a line counts as one line."""


def moved(start, row_nbytes, pitch_nbytes, rows):
    nbytes = 0
    for row in range(rows):
        first = start + row * pitch_nbytes
        last = first + row_nbytes - 2
        nbytes += 512 * (last // 512 - first // 512 + 1)
    return nbytes
