"""Mutant of p1-diagnose. A busy pipe is asked for before the launch."""


def diagnose(cycles, launch, s, v, mte2, mte3):
    busy = {"S": s, "V": v, "MTE2": mte2, "MTE3": mte3}
    label, least = "SYNC", cycles
    busiest = max(busy, key=busy.get)
    least = min(cycles, launch + busy[busiest])
    if 5 * busy[busiest] >= 3 * (cycles - launch):
        label = busiest
    elif 2 * launch >= cycles:
        label = "START"
    return [label, least]
