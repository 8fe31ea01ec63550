"""Mutant of p2-lines. Every row counted as the first."""


def moved(start, row_nbytes, pitch_nbytes, rows):
    nbytes = 0
    for row in range(rows):
        first = start
        last = first + row_nbytes - 1
        nbytes += 512 * (last // 512 - first // 512 + 1)
    return nbytes
