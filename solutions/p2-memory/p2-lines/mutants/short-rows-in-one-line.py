"""Mutant of p2-lines. A row shorter than a line lies in one line."""


def moved(start, row_nbytes, pitch_nbytes, rows):
    nbytes = 0
    if row_nbytes <= 512:
        return 512 * rows
    for row in range(rows):
        first = start + row * pitch_nbytes
        last = first + row_nbytes - 1
        nbytes += 512 * (last // 512 - first // 512 + 1)
    return nbytes
