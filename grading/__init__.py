"""The course assignments' machinery: one source for each becomes notebooks, checks and marks."""
