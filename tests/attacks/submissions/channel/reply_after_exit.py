def attack():
    import gc, json, os
    channel = next(o for o in gc.get_objects() if type(o).__name__ == "Channel")
    os.write(channel.fd_out, b'{"op": "error", "type": "x", "message": "", "frames": []}\n{"op": "return", "type": "NoneType"}\n')
    os._exit(0)
