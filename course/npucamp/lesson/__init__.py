"""What lessons call: begin, check, expect, hint, predict. One file each."""
