/// Seconds since 2001-01-01T00:00:00Z.
public typealias CFAbsoluteTime = Double

/// A duration in seconds.
public typealias TimeInterval = Double

/// The timing of one request's whole life: four absolute times and the four durations between them.
///
/// The durations are computed once, here, from the four times. Both descriptions print exactly three decimals, with a decimal
/// point in every locale.
public struct Timeline: Sendable, Hashable {
  /// When the request was started: its first `resume()`.
  public let requestStartTime: CFAbsoluteTime
  /// When the first byte was received from, or sent to, the server; `requestCompletedTime` when there was none.
  public let initialResponseTime: CFAbsoluteTime
  /// When the network part of the request ended.
  public let requestCompletedTime: CFAbsoluteTime
  /// When the response value was ready.
  public let serializationCompletedTime: CFAbsoluteTime

  /// Seconds from the start to the first byte.
  public let latency: TimeInterval
  /// Seconds from the start to the end of the network part.
  public let requestDuration: TimeInterval
  /// Seconds from the end of the network part to the value.
  public let serializationDuration: TimeInterval
  /// Seconds from the start to the value.
  public let totalDuration: TimeInterval

  /// A timeline of these four times. Times that are left out are 0.
  public init(
    requestStartTime: CFAbsoluteTime = 0.0,
    initialResponseTime: CFAbsoluteTime = 0.0,
    requestCompletedTime: CFAbsoluteTime = 0.0,
    serializationCompletedTime: CFAbsoluteTime = 0.0
  ) {
    self.requestStartTime = requestStartTime
    self.initialResponseTime = initialResponseTime
    self.requestCompletedTime = requestCompletedTime
    self.serializationCompletedTime = serializationCompletedTime
    latency = initialResponseTime - requestStartTime
    requestDuration = requestCompletedTime - requestStartTime
    serializationDuration = serializationCompletedTime - requestCompletedTime
    totalDuration = serializationCompletedTime - requestStartTime
  }
}

extension Timeline: CustomStringConvertible {
  /// The four durations.
  public var description: String {
    "Timeline: { " + durations.joined(separator: ", ") + " }"
  }

  private var durations: [String] {
    [
      "\"Latency\": \(thousandths(latency)) secs",
      "\"Request Duration\": \(thousandths(requestDuration)) secs",
      "\"Serialization Duration\": \(thousandths(serializationDuration)) secs",
      "\"Total Duration\": \(thousandths(totalDuration)) secs",
    ]
  }
}

extension Timeline: CustomDebugStringConvertible {
  /// The four absolute times, then the four durations.
  public var debugDescription: String {
    let times = [
      "\"Request Start Time\": \(thousandths(requestStartTime))",
      "\"Initial Response Time\": \(thousandths(initialResponseTime))",
      "\"Request Completed Time\": \(thousandths(requestCompletedTime))",
      "\"Serialization Completed Time\": \(thousandths(serializationCompletedTime))",
    ]
    return "Timeline: { " + (times + durations).joined(separator: ", ") + " }"
  }
}

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
