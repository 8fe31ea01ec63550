"""Base of z2-descriptor: the five numbers."""


def descriptor(rows, cols, itemsize, pitch):
    answer = {}
    burst = cols * itemsize
    answer["block_count"] = rows
    answer["block_len"] = burst
    answer["src_stride"] = (pitch - cols) * itemsize
    answer["dst_stride"] = 0
    answer["ub_nbytes"] = rows * (-(-burst // 32) * 32)
    return answer
