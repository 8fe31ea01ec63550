"""Mutant of z2-descriptor. Elements of one byte are counted as two."""


def descriptor(rows, cols, itemsize, pitch):
    answer = {}
    burst = cols * max(2, itemsize)
    answer["block_count"] = rows
    answer["block_len"] = burst
    answer["src_stride"] = (pitch - cols) * itemsize
    answer["dst_stride"] = 0
    answer["ub_nbytes"] = rows * (-(-burst // 32) * 32)
    return answer
