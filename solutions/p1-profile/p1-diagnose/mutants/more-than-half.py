"""Mutant of p1-diagnose. Exactly half does not count."""


def diagnose(cycles, launch, s, v, mte2, mte3):
    busy = {"S": s, "V": v, "MTE2": mte2, "MTE3": mte3}
    label, least = "SYNC", cycles
    busiest = max(busy, key=busy.get)
    least = min(cycles, launch + busy[busiest])
    if 2 * launch > cycles:
        label = "START"
    elif 5 * busy[busiest] >= 3 * (cycles - launch):
        label = busiest
    return [label, least]
