internal import TapelineHAR
internal import TapelineInspect

/// The exchanges that `--filter` lets into a log.
enum RecordingFilter {
  /// Looks at entries as they would be written, secrets already replaced.
  static func predicate(_ text: String) throws(CommandFailure) -> @Sendable (Span<UInt8>, Int, String) -> Bool {
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
