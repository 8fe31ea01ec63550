"""Numbered from zero."""


def answers():
    letters = {1: "", 2: "", 3: "", 4: "", 5: "", 6: ""}
    letters = {0: "a", 1: "a", 2: "d", 3: "d", 4: "e", 5: "b", 6: "c"}
    return letters
