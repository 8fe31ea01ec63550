"""Mutant of z2-descriptor. The gap is counted in elements."""


def descriptor(rows, cols, itemsize, pitch):
    answer = {}
    burst = cols * itemsize
    answer["block_count"] = rows
    answer["block_len"] = burst
    answer["src_stride"] = pitch - cols
    answer["dst_stride"] = 0
    answer["ub_nbytes"] = rows * (-(-burst // 32) * 32)
    return answer
