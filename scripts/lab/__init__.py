"""The laboratory: everything that measures, maltreats and compares the real program from outside. `scripts/lab` runs it."""
