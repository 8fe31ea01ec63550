"""Answers of lesson Z1, by cell id: what stands in the "your turn" cells when solved."""

ANSWERS = {
    "z1-turn-triple": [
        ("asc.adds(y_ub, x_ub, 1.0, share)", "asc.muls(y_ub, x_ub, 3.0, share)")
    ],
    "z1-predict-start-cell": [("my_guess = None", "my_guess = 6144")],
    "z1-half-cell": [("my_right = None", "my_right = 8192")],
    "z1-quiz-sees-cell": [('quiz("z1-sees")', 'quiz("z1-sees", "a")')],
    "z1-predict-speedup": [("my_speedup = None", "my_speedup = 6.7")],
    "z1-more-cell": [("my_best = None", "my_best = 4")],
    "z1-quiz-more-cell": [('quiz("z1-more")', 'quiz("z1-more", "a")')],
    "z1-explain-cell": [
        (
            "my_answer = None",
            'my_answer = "starting 48 cores costs time and they share the way to GM"',
        )
    ],
}
