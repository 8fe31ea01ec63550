"""np.split cuts equal slices only."""

import numpy as np


async def all_reduce(comm, x):
    p, r = comm.size, comm.rank
    slices = [one.copy() for one in np.split(x, p)]
    right, left = (r + 1) % p, (r - 1) % p
    for k in range(p - 1):
        sending = comm.send(slices[(r - k) % p], right)
        slices[(r - k - 1) % p] += await comm.recv(left)
        await sending
    for k in range(p - 1):
        sending = comm.send(slices[(r + 1 - k) % p], right)
        slices[(r - k) % p] = await comm.recv(left)
        await sending
    return np.concatenate(slices)
