def attack():
    async def forged(*args, **options):
        return {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}
    get_ipython().kernel.do_execute = forged
