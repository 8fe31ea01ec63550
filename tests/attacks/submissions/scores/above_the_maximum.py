def attack():
    return 1e9
