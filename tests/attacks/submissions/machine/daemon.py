def attack():
    import subprocess
    subprocess.Popen(["sleep", "1234.567"], start_new_session=True)
