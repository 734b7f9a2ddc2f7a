internal import TapelineHAR
internal import TapelineTime

/// Writes times of day as HAR wants them: UTC, `YYYY-MM-DDTHH:MM:SS.ffffffZ`, six digits (readers break on nine).
struct DateWriter {
  /// The second whose text is cached: entries of the same second share it.
  private var second = Int64.min
  private var text: [UInt8] = []

  /// Appends the time without quotes; fractions of a microsecond are cut off.
  mutating func append(unixNanoseconds: Int64, to writer: inout JSONWriter) {
    var (second, rest) = unixNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    if rest < 0 {
      second -= 1
      rest += 1_000_000_000
    }
    if second != self.second {
      text = Array("\(CivilDate(unixSeconds: second).text).".utf8)
      self.second = second
    }
    writer.append(json: text.span)
    writer.append(padded: UInt64(rest / 1_000), digits: 6)
    writer.append(byte: UInt8(ascii: "Z"))
  }
}
