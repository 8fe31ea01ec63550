"""Answers of lesson P1, by cell id: what stands in its cells when solved."""

ANSWERS = {
    "p1-turn-label-cell": [
        (
            'labels = {"a": None, "b": None, "c": None, "d": None, "e": None}',
            'labels = {"a": "SYNC", "b": "START", "c": "MTE2", "d": "S", "e": "V"}',
        )
    ],
    "p1-quiz-longest-cell": [('quiz("p1-longest")', 'quiz("p1-longest", "c")')],
    "p1-start-predict": [("my_blocks = None", "my_blocks = 4")],
    "p1-scalar-predict": [("my_times = None", "my_times = 6")],
    "p1-turn-moves-cell": [
        (
            "    for row in range(rows):\n"
            "        w_ub, b_ub = fetch(w_q, w_gm, cols), fetch(b_q, b_gm, cols)\n",
            "    w_ub, b_ub = fetch(w_q, w_gm, cols), fetch(b_q, b_gm, cols)\n"
            "    for row in range(rows):\n",
        ),
        (
            "        w_q.free_tensor(w_ub)\n        b_q.free_tensor(b_ub)",
            "    w_q.free_tensor(w_ub)\n    b_q.free_tensor(b_ub)",
        ),
    ],
    "p1-order-predict-cell": [("my_share = None", "my_share = 0.1")],
    "p1-seventy-predict": [("my_passed = None", "my_passed = 3")],
    "p1-explain-cell": [
        (
            "my_answer = None",
            'my_answer = (\n    "Busy is not needed: is every byte read only once? "\n'
            '    "I look at reads per input byte and at the floor."\n)',
        )
    ],
}
