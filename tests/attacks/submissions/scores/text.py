def attack():
    class Text(float):
        def __rmul__(self, other):
            return self
        def __truediv__(self, other):
            return "every point"
    return Text()
