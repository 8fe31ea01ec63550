"""Mutant of z2-descriptor. A single row is given no gap."""


def descriptor(rows, cols, itemsize, pitch):
    answer = {}
    burst = cols * itemsize
    answer["block_count"] = rows
    answer["block_len"] = burst
    answer["src_stride"] = (pitch - cols) * itemsize * (rows > 1)
    answer["dst_stride"] = 0
    answer["ub_nbytes"] = rows * (-(-burst // 32) * 32)
    return answer
