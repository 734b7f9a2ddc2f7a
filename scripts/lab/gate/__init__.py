"""`scripts/lab/run gate`: what fixed work costs in instructions, against the figures in this folder."""
