"""Performance notes: what made a right kernel slow (severity P, never raises).

They need the timed run and are made on demand, not at every launch; each names what it
costs, estimated from the times of the run itself, and stays silent where little is to
be gained. Thresholds are data.
"""

from npusim.check.notes.report import performance_notes

__all__ = ["performance_notes"]
