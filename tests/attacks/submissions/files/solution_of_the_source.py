def attack():
    import glob, json
    found = {}
    for path in sorted(glob.glob("../../../source/*/*.ipynb") + glob.glob("/**/source/*/*.ipynb")):
        for cell in json.load(open(path))["cells"]:
            if "SOLUTION" in "".join(cell["source"]):
                exec("".join(cell["source"]), found)
    return found["add"](1, 2)
