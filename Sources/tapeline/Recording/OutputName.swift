internal import TapelineRecorder
internal import TapelineTime

/// The file to record to if the user named no file.
enum OutputName {
  /// Begins with the file of this moment, or of the next millisecond that no other recording has taken.
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
    let date = CivilDate(unixSeconds: seconds)
    let millisecond = CivilDate.padded(Int(nanoseconds / 1_000_000), 3)
    return "tapeline-\(date.compactDay)T\(date.compactTime).\(millisecond)Z.har"
  }
}
