"""Mutant of p2-lines. One line more for every row."""


def moved(start, row_nbytes, pitch_nbytes, rows):
    nbytes = 0
    for row in range(rows):
        first = start + row * pitch_nbytes
        last = first + row_nbytes - 1
        nbytes += 512 * (last // 512 - first // 512 + (1 if first % 512 == 0 else 2))
    return nbytes
