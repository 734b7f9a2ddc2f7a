// Tests of TapelineText.
