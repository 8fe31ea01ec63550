def attack():
    raise type("<img src=x onerror=alert(1)>", (Exception,), {})("\x1b[2J\u202e")
