"""Mutant of p2-lines. Only the bytes asked for, rounded up."""


def moved(start, row_nbytes, pitch_nbytes, rows):
    nbytes = 0
    for row in range(rows):
        first = start + row * pitch_nbytes
        last = first + row_nbytes - 1
        nbytes += 512 * ((row_nbytes + 511) // 512)
    return nbytes
