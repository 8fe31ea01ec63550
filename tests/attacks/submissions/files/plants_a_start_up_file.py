def attack():
    import os
    folders = ("~/.ipython/profile_default/startup", ".", "/tmp", "/var/tmp", "/dev/shm")
    for folder in folders:
        try:
            os.makedirs(os.path.expanduser(folder), exist_ok=True)
            path = os.path.join(os.path.expanduser(folder), "npucamp_planted.py")
            open(path, "w").close()
        except OSError:
            pass
