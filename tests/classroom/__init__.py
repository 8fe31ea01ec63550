"""A class: its folder, autograding and an instructor's whole day."""
