def attack():
    get_ipython().showtraceback = lambda *a, **k: None
    get_ipython()._showtraceback = lambda *a, **k: None
