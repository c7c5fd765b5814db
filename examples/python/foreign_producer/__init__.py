"""A package that is not DRI's: see lattice.py."""
