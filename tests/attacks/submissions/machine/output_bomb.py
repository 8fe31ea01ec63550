def attack():
    import sys
    for _ in range(50):
        print("x" * 1_000_000)
        print("x" * 1_000_000, file=sys.stderr)
