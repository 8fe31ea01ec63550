"""Mutant of p2-lines. Every window begins on a line."""


def moved(start, row_nbytes, pitch_nbytes, rows):
    nbytes = 0
    for row in range(rows):
        first = row * pitch_nbytes
        last = first + row_nbytes - 1
        nbytes += 512 * (last // 512 - first // 512 + 1)
    return nbytes
