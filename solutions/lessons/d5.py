"""Answers of lesson D5, by cell id: the "your turn" cells when solved."""

ANSWERS = {
    "d5-predict-count-cell": [("my_count = None", "my_count = 3")],
    "d5-longer-cell": [("my_guess = None", 'my_guess = "hangs"')],
    "d5-turn-rounds-cell": [
        (
            "rounds = len(range(comm.rank, samples, comm.size))",
            "rounds = -(-samples // comm.size)",
        )
    ],
    "d5-turn-stagger-cell": [("gap_us = 100\n", "gap_us = 1100\n")],
    "d5-turn-branch-cell": [("stop = bad", 'stop = await comm.all_reduce(bad, "max")')],
    "d5-quiz-guilty": [('quiz("d5-guilty")', 'quiz("d5-guilty", "c")')],
    "d5-quiz-order": [('quiz("d5-order")', 'quiz("d5-order", "b,c")')],
    "d5-explain-cell": [
        (
            "my_answer = None",
            'my_answer = "rank 0 only waits for another rank that left; compare the'
            ' last call of each rank and its heartbeats"',
        )
    ],
}
