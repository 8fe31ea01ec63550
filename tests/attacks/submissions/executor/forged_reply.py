def attack():
    async def forged(*args, **options):
        return {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}
    try:
        get_ipython().kernel.do_execute = forged
    except NameError:  # no IPython: the process' own way of asking
        import gc
        for thing in gc.get_objects():
            if type(thing).__name__ == "Channel":
                kind = type(thing)
                kind.ask = lambda self, message: {"id": 1, "ok": True, "score": 100}
                send = kind.send
                kind.send = lambda self, message: send(self, {"op": "return", "type": "NoneType", "score": 100})
