"""The families: a file for each, with code in stand-in names, and ``draw(rng, form)``, which fills it."""
