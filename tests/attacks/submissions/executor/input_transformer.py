def attack():
    get_ipython().input_transformers_cleanup.append(lambda lines: ["pass\n"])
