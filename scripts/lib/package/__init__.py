"""`scripts/package`: what people install, made from a commit, the same byte for byte wherever it is made."""
