/// `value` with exactly three decimals, as C's `%.3f` prints it in the C locale: the exact binary value is rounded,
/// ties go to even, and the sign of a tiny negative is kept (`-0.000`).
///
/// Written out because `printf` follows the process's locale and this text must not.
func thousandths(_ value: Double) -> String {
  guard value.isFinite, value.magnitude < 0x1p63 else { return String(value) }
  let sign = value.sign == .minus ? "-" : ""
  let rounded = roundedThousandths(of: value.magnitude)
  let (whole, fraction) = rounded.quotientAndRemainder(dividingBy: 1_000)
  let digits = String(fraction)
  return sign + String(whole) + "." + String(repeating: "0", count: 3 - digits.count) + digits
}

/// `magnitude × 1000`, rounded to the nearest integer, exactly: the significand is an integer below 2^53, so nothing is lost in
/// 128 bits.
private func roundedThousandths(of magnitude: Double) -> UInt128 {
  guard magnitude > 0 else { return 0 }
  let exponent = Int(magnitude.exponent) - 52
  let significand = UInt128((magnitude.significand * 0x1p52).rounded())
  let scaled = significand * 1_000
  guard exponent < 0 else { return scaled << UInt128(exponent) }
  let shift = -exponent
  // 2^53 × 1000 < 2^63: shifted by 64 or more, nothing but a fraction below one half is left.
  guard shift < 64 else { return 0 }
  let quotient = scaled >> UInt128(shift)
  let remainder = scaled & ((1 << UInt128(shift)) - 1)
  let half = UInt128(1) << UInt128(shift - 1)
  let roundsUp = remainder > half || (remainder == half && quotient & 1 == 1)
  return roundsUp ? quotient + 1 : quotient
}
