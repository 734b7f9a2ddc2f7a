internal import Glibc
internal import TapelineRecorder

/// The file to record to when nobody named one.
enum OutputName {
  /// Begins with the file of a moment, or of the next millisecond that no other recording has taken.
  static func beginUnused<Begun>(
    from unixNanoseconds: Int64, _ begin: (String) throws(RecorderError) -> Begun
  ) throws(RecorderError) -> Begun {
    var time = unixNanoseconds
    while true {
      let name = standard(unixNanoseconds: time)
      do throws(RecorderError) {
        return try begin(name)
      } catch {
        guard error == .fileExists(path: name) || error == .locked(path: name) else { throw error }
        time += 1_000_000
      }
    }
  }

  /// `tapeline-20260102T030405.678Z.har`: UTC, to the millisecond.
  static func standard(unixNanoseconds: Int64) -> String {
    let (seconds, nanoseconds) = unixNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    var time = time_t(seconds)
    var parts = unsafe tm()
    unsafe gmtime_r(&time, &parts)
    let date = unsafe padded(parts.tm_year + 1_900, 4) + padded(parts.tm_mon + 1, 2) + padded(parts.tm_mday, 2)
    let clock = unsafe padded(parts.tm_hour, 2) + padded(parts.tm_min, 2) + padded(parts.tm_sec, 2)
    return "tapeline-\(date)T\(clock).\(padded(Int32(nanoseconds / 1_000_000), 3))Z.har"
  }

  private static func padded(_ value: Int32, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
