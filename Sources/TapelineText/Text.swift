// Text and its codings.
