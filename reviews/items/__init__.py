"""The changes to review, one file each; the names' numbers are the order of the page."""
