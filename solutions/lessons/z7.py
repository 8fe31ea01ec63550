"""Answers of lesson Z7, by cell id: what stands in the "your turn" cells when solved."""

ANSWERS = {
    "z7-predict-running": [("my_sum = None", "my_sum = 2048")],
    "z7-quiz-order": [('quiz("z7-order")', 'quiz("z7-order", "a")')],
    "z7-predict-mix": [("my_mix = None", 'my_mix = "block then whole"')],
    "z7-turn-row": [
        (
            "    asc.whole_reduce_sum(part, x, 64, 16, 1, 1, 8)\n",
            "    asc.block_reduce_sum(part, x, 16, 64, 1, 1, 8)\n"
            "    asc.block_reduce_sum(part, part, 2, 64, 1, 1, 8)\n",
        )
    ],
    "z7-predict-zero": [("my_largest = None", "my_largest = 0")],
    "z7-predict-exp": [("my_n = None", "my_n = 88")],
    "z7-softmax-kernel": [
        (
            "    # your lines / 你的代码\n",
            "    asc.reduce_max(stat, a, tmp, cols)\n"
            "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)\n"
            "    asc.adds(a, a, -stat.get_value(0), cols)\n",
        )
    ],
    "z7-quiz-nan": [('quiz("z7-nan")', 'quiz("z7-nan", "a")')],
    "z7-predict-decimals": [("my_verdict = None", "my_verdict = True")],
    "z7-predict-layer": [("my_layer = None", "my_layer = LOW")],
    "z7-predict-spacing": [("my_spacing = None", "my_spacing = 1.0")],
    "z7-explain-cell": [
        (
            "my_answer = None",
            'my_answer = "A number above 11 makes exp overflow to inf in half; the sum is "\\\n'
            '    "inf and inf / inf is nan. Subtract the maximum of the row first and "\\\n'
            '    "compute in float32."',
        )
    ],
}
