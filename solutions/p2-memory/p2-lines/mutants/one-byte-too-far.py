"""Mutant of p2-lines. The last byte is one too far."""


def moved(start, row_nbytes, pitch_nbytes, rows):
    nbytes = 0
    for row in range(rows):
        first = start + row * pitch_nbytes
        last = first + row_nbytes
        nbytes += 512 * (last // 512 - first // 512 + 1)
    return nbytes
