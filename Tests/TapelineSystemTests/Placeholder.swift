// Tests of TapelineSystem.
