"""Answers of lesson Z3, by cell id: what stands in the cells when solved."""

ANSWERS = {
    "z3-predict-idle-cell": [("my_pipes = None", "my_pipes = 1.0")],
    "z3-turn-arrow": [
        (
            "    # your two lines / 在这里补两行",
            "    asc.set_flag(asc.HardEvent.V_MTE3, 0)\n"
            "    asc.wait_flag(asc.HardEvent.V_MTE3, 0)",
        )
    ],
    "z3-quiz-issue-cell": [('quiz("z3-issue")', 'quiz("z3-issue", "c")')],
    "z3-predict-edge-cell": [("my_edge = None", 'my_edge = "MTE3_MTE2"')],
    "z3-turn-loop": [
        (
            "    # 1: the buffer is free / 缓冲区可用",
            "    asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)",
        ),
        (
            "        # 2: wait until it is free / 等它可用",
            "        asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)",
        ),
        (
            "        # 3: it is free again / 又可用了",
            "        asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)",
        ),
        (
            "    # 4: the last set needs its wait / 最后一次置位也要等",
            "    asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)",
        ),
    ],
    "z3-predict-flags-cell": [("my_flags = None", "my_flags = 25")],
    "z3-predict-gain-cell": [("my_gain = None", "my_gain = 1.0")],
    "z3-seed-barrier-cell": [("my_ratio = None", "my_ratio = 1.7")],
    "z3-luck-run": [("my_count = None", "my_count = 2")],
    "z3-quiz-arrow-cell": [('quiz("z3-arrow")', 'quiz("z3-arrow", "c")')],
    "z3-quiz-fewest-cell": [('quiz("z3-fewest")', 'quiz("z3-fewest", "b")')],
    "z3-explain-cell": [
        (
            "my_answer = None",
            "my_answer = (\n"
            '    "With one buffer MTE2 must wait until MTE3 has copied the tile out, "\n'
            '    "so one pipe works at a time. With two buffers MTE2 copies the next "\n'
            '    "tile in while V and MTE3 work on this one: they overlap."\n'
            ")",
        )
    ],
}
