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

  /// A timeline of four times, in seconds since 2001-01-01T00:00:00Z.
  ///
  /// - Parameters:
  ///   - requestStartTime: the start.
  ///   - initialResponseTime: the first byte was received from, or sent to, the server.
  ///   - requestCompletedTime: the network part ended.
  ///   - serializationCompletedTime: the value was there.
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
      "\"Latency\": \(secondsText(latency)) secs",
      "\"Request Duration\": \(secondsText(requestDuration)) secs",
      "\"Serialization Duration\": \(secondsText(serializationDuration)) secs",
      "\"Total Duration\": \(secondsText(totalDuration)) secs",
    ]
  }
}

extension Timeline: CustomDebugStringConvertible {
  /// The four absolute times, then the four durations.
  public var debugDescription: String {
    let times = [
      "\"Request Start Time\": \(secondsText(requestStartTime))",
      "\"Initial Response Time\": \(secondsText(initialResponseTime))",
      "\"Request Completed Time\": \(secondsText(requestCompletedTime))",
      "\"Serialization Completed Time\": \(secondsText(serializationCompletedTime))",
    ]
    return "Timeline: { " + (times + durations).joined(separator: ", ") + " }"
  }
}

/// `seconds` with exactly three decimals, as C's `%.3f` prints it in the C locale: the exact binary value is rounded,
/// ties go to even, and the sign of a tiny negative is kept (`-0.000`).
///
/// Written out because `printf` follows the process's locale and this text must not.
func secondsText(_ seconds: Double) -> String {
  guard seconds.isFinite, seconds.magnitude < 0x1p63 else { return String(seconds) }
  let sign = seconds.sign == .minus ? "-" : ""
  let (whole, fraction) = seconds.wholeMilliseconds.quotientAndRemainder(dividingBy: 1_000)
  let digits = String(fraction)
  return sign + String(whole) + "." + String(repeating: "0", count: 3 - digits.count) + digits
}

extension Double {
  /// Seconds as milliseconds without their sign, rounded to the nearest integer, exactly, ties to even. They are finite and below
  /// 2^63: the significand is an integer below 2^53, so nothing is lost in 128 bits.
  package var wholeMilliseconds: UInt128 {
    let shift = 52 - Int(isNormal ? magnitude.exponent : -1_000)
    let scaled = UInt128(significandBitPattern | 1 << 52) * 1_000
    guard shift > 0 else { return scaled &<< UInt128(-shift) }
    // 2^53 × 1000 < 2^63: shifted by 64 or more, nothing but a fraction below one half is left.
    guard shift < 64 else { return 0 }
    let quotient = scaled &>> UInt128(shift)
    let remainder = scaled & ((1 &<< UInt128(shift)) - 1)
    let half = UInt128(1) &<< UInt128(shift - 1)
    return remainder > half || (remainder == half && quotient & 1 == 1) ? quotient + 1 : quotient
  }
}
