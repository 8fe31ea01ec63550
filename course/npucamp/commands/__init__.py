"""One file for each command of `npucamp` that is more than a call."""
