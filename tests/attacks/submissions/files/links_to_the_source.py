def attack():
    import os
    for name in ("submission.ipynb", "/tmp/npucamp_planted.py"):
        try:
            os.symlink("/etc/passwd", name)
        except OSError:
            pass
