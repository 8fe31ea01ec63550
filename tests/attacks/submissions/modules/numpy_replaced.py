def attack():
    import sys, types
    fake = types.ModuleType("numpy")
    fake.array_equal = fake.allclose = lambda *a, **k: True
    sys.modules["numpy"] = fake
