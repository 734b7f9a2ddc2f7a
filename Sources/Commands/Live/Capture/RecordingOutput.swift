package import TapelineOffline
internal import TapelineHAR
internal import TapelineInspect
internal import TapelineRecorder
internal import TapelineBase
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

  /// The heading of a page about the file.
  static func title(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// `tapeline-20260102T030405.678Z.har`: UTC, to the millisecond.
  static func standard(unixNanoseconds: Int64) -> String {
    let (seconds, nanoseconds) = unixNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let date = CivilDate(unixSeconds: seconds)
    let millisecond = CivilDate.padded(Int(nanoseconds / 1_000_000), 3)
    return "tapeline-\(date.compactDay)T\(date.compactTime).\(millisecond)Z.har"
  }
}

/// The exchanges that `--filter` lets into a log.
package enum RecordingFilter {
  /// Looks at entries as they would be written, secrets already replaced.
  package static func predicate(_ text: String) throws(CommandFailure) -> @Sendable (Span<UInt8>, Int, String) -> Bool {
    let query = try parse(text)
    return { bytes, number, title in
      do throws(HARReadError) {
        var entry = try HAREntry(json: bytes, parts: query.parts)
        entry.pageTitle = title.isEmpty ? nil : title
        return query.matches(entry, number: number)
      } catch {
        preconditionFailure("An entry that was written can be read")
      }
    }
  }

  private static func parse(_ text: String) throws(CommandFailure) -> Query {
    do throws(QueryError) {
      return try Query(text)
    } catch {
      throw CommandFailure(status: .usage, what: "--filter", why: error.description, remedy: error.remedy)
    }
  }
}
