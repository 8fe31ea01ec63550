def attack():
    import gc, json, os
    channel = next(o for o in gc.get_objects() if type(o).__name__ == "Channel")
    channel.ask({"op": "launch", "kernel": "kernel", "captured": {}, "args": [{"tensor": True}, {"tensor": -1}, {"tensor": 1.5}], "named": {}, "blocks": {"v": 1}})
