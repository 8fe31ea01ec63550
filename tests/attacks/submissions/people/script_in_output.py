def attack():
    print("<script>document.title='stolen'</script>")
    raise type("A" * 100_000, (Exception,), {"__str__": lambda self: "b" * 10**6})()
