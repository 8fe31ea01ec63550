import numpy as np


async def train(comm, samples, fails_at):
    total, steps = 0.0, 0
    while True:
        has = steps < len(samples)
        bad = steps == fails_at
        sample = samples[steps] if has and not bad else 0.0
        s = await comm.all_reduce(np.array([sample, has, bad], np.float32))
        if s[1] == 0:
            return np.array([total, steps])
        total += s[0]
        steps += 1
