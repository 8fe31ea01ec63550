def attack():
    import sys
    sys.setrecursionlimit(10**9)
    attack()
