def attack():
    return 100.0
