"""Answers of lesson K1, by cell id: what stands in the "your turn" cells when solved."""

ANSWERS = {
    "k1-predict-guess-cell": [("my_guess = None", "my_guess = 10")],
    "k1-predict-know-cell": [("my_number = None", "my_number = 31")],
    "k1-predict-output-cell": [("my_answer = None", 'my_answer = "ASC-MTE-01"')],
    "k1-turn-plan-cell": [
        (
            "plan = []",
            "plan = [LESSONS[t] for t in sorted(missed, key=missed.get, reverse=True)]",
        )
    ],
    "k1-practice-stack": [('quiz("k1-stack")', 'quiz("k1-stack", "c")')],
    "k1-practice-graph": [('quiz("k1-graph")', 'quiz("k1-graph", "a")')],
    "k1-practice-runtime": [('quiz("k1-runtime")', 'quiz("k1-runtime", "a")')],
    "k1-practice-kernel": [('quiz("k1-kernel")', 'quiz("k1-kernel", "c")')],
    "k1-practice-moving": [('quiz("k1-moving")', 'quiz("k1-moving", "b")')],
    "k1-practice-order": [('quiz("k1-order")', 'quiz("k1-order", "b")')],
    "k1-practice-vector": [('quiz("k1-vector")', 'quiz("k1-vector", "c")')],
    "k1-practice-numbers": [('quiz("k1-numbers")', 'quiz("k1-numbers", "c")')],
    "k1-explain-cell": [
        (
            "my_answer = None",
            'my_answer = "nothing orders the two pipes; a flag or a queue would show it"',
        )
    ],
}
