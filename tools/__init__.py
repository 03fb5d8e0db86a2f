"""What the commands of the Makefile run; each script says in its first lines for whom it is."""
