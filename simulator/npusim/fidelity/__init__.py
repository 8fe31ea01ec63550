"""Floor 9: is the simulated time true? Published measurements against predictions.

`python -m npusim.fidelity` runs every modelled row of the calibration set and writes
`docs/fidelity.md`; `npusim.fidelity.micro` has one small experiment for each mechanism
of the timing model. Reading order: `rows` (measurements), `instructions`, `ladders`,
`library` (the predictions), `score`, `page`.
"""
