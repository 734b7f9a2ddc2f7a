internal import TapelineCore
internal import TapelineHAR

/// Writes the debug description of a `Timeline` as a JSON string: the same text, in a tenth of the time.
enum TimelineText {
  static func append(_ timeline: Timeline, to writer: inout JSONWriter) {
    let values = [
      timeline.requestStartTime, timeline.initialResponseTime, timeline.requestCompletedTime, timeline.serializationCompletedTime,
    ]
    // No clock shows such a time, and the arithmetic below cannot handle it.
    guard values.allSatisfy({ $0.magnitude < 0x1p40 }) else {
      writer.append(string: timeline.debugDescription)
      return
    }
    writer.append(json: #""Timeline: { \"Request Start Time\": "#)
    append(thousandths: timeline.requestStartTime, to: &writer)
    writer.append(json: #", \"Initial Response Time\": "#)
    append(thousandths: timeline.initialResponseTime, to: &writer)
    writer.append(json: #", \"Request Completed Time\": "#)
    append(thousandths: timeline.requestCompletedTime, to: &writer)
    writer.append(json: #", \"Serialization Completed Time\": "#)
    append(thousandths: timeline.serializationCompletedTime, to: &writer)
    writer.append(json: #", \"Latency\": "#)
    append(thousandths: timeline.latency, to: &writer)
    writer.append(json: #" secs, \"Request Duration\": "#)
    append(thousandths: timeline.requestDuration, to: &writer)
    writer.append(json: #" secs, \"Serialization Duration\": "#)
    append(thousandths: timeline.serializationDuration, to: &writer)
    writer.append(json: #" secs, \"Total Duration\": "#)
    append(thousandths: timeline.totalDuration, to: &writer)
    writer.append(json: #" secs }""#)
  }

  /// Exactly three decimals: the exact binary value is rounded, ties go to even.
  private static func append(thousandths value: Double, to writer: inout JSONWriter) {
    if value.sign == .minus { writer.append(byte: UInt8(ascii: "-")) }
    let (whole, fraction) = rounded(value.magnitude).quotientAndRemainder(dividingBy: 1_000)
    writer.append(integer: whole)
    writer.append(byte: UInt8(ascii: "."))
    writer.append(padded: fraction, digits: 3)
  }

  /// `magnitude × 1000`, below 2^50: the significand is an integer below 2^53, so the product fits into 64 bits.
  private static func rounded(_ magnitude: Double) -> UInt64 {
    let shift = 52 - Int(truncatingIfNeeded: magnitude.isNormal ? magnitude.exponent : -1_000)
    guard shift < 64 else { return 0 }
    let product = (magnitude.significandBitPattern | 1 << 52) * 1_000
    let quotient = product >> UInt64(shift)
    let remainder = product & ((1 << UInt64(shift)) - 1)
    let half: UInt64 = 1 << UInt64(shift - 1)
    return remainder > half || (remainder == half && quotient & 1 == 1) ? quotient + 1 : quotient
  }
}
