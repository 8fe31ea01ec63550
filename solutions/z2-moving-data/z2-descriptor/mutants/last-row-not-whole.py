"""Mutant of z2-descriptor. The window is rounded up as a whole, not row by row."""


def descriptor(rows, cols, itemsize, pitch):
    answer = {}
    burst = cols * itemsize
    answer["block_count"] = rows
    answer["block_len"] = burst
    answer["src_stride"] = (pitch - cols) * itemsize
    answer["dst_stride"] = 0
    answer["ub_nbytes"] = -(-rows * burst // 32) * 32
    return answer
