"""Answers of lesson Z1, by cell id: what stands in the "your turn" cells when solved."""

ANSWERS = {
    "z1-turn-triple": [
        ("asc.adds(y_ub, x_ub, 1.0, share)", "asc.muls(y_ub, x_ub, 3.0, share)")
    ],
    "z1-predict-start-cell": [("my_guess = None", "my_guess = 6144")],
}
