"""Mutant of p2-lines. Lines of 128 B."""


def moved(start, row_nbytes, pitch_nbytes, rows):
    nbytes = 0
    for row in range(rows):
        first = start + row * pitch_nbytes
        last = first + row_nbytes - 1
        nbytes += 128 * (last // 128 - first // 128 + 1)
    return nbytes
