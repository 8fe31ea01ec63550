def attack():
    class Every(int):
        def __eq__(self, other):
            return True
        __ne__ = None
        def __hash__(self):
            return 0
    return Every(7)
