// Tests of TapelineDigest.
