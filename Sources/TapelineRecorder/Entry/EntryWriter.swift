internal import TapelineCoding
internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineTime

/// Writes exchanges as HAR entries, straight from the bytes on the wire: no `HAREntry`, few strings.
///
/// Lives on the recorder's thread. `docs/har.md` explains each member.
struct EntryWriter {
  let anchor: WallClockAnchor
  let includesDebug: Bool
  let decodedBodyLimit: Int
  /// `nil` when redaction is off.
  var redactor: Redactor?
  /// `nil` when bodies are kept in their entries.
  var bodies: BodyStore?
  /// Why a body could not be written into its file.
  var bodyError: RecorderError?
  let decoder = ContentDecoder()
  let transcoder = TextTranscoder()
  var dates = DateWriter()
  /// A buffer for values that are changed before they are written.
  var scratch: [UInt8] = []

  init(_ configuration: RecorderConfiguration) throws(RecorderError) {
    self.init(
      anchor: configuration.anchor, redactor: configuration.redaction.map { Redactor($0) },
      includesDebug: configuration.includesDebug, decodedBodyLimit: configuration.decodedBodyLimit)
    if let directory = configuration.bodiesDirectory {
      bodies = try BodyStore(directory: directory, besideHAR: configuration.path, syncs: configuration.sync == .eachWrite)
    }
  }

  init(anchor: WallClockAnchor, redactor: Redactor?, includesDebug: Bool, decodedBodyLimit: Int = 16 << 20) {
    self.anchor = anchor
    self.redactor = redactor
    self.includesDebug = includesDebug
    self.decodedBodyLimit = decodedBodyLimit
  }

  /// Appends the entry of an exchange, and returns its total in microseconds: `time` without the client's own time.
  ///
  /// An exchange in flight leaves nothing on the disk: its bodies may still grow, so they are put into the entry.
  mutating func append(_ record: ExchangeRecord, page: PageID, to writer: inout JSONWriter) -> Int64 {
    let store = bodies
    if record.isInFlight { bodies = nil }
    defer { if record.isInFlight { bodies = store } }
    let parts = prepareParts(of: record)
    let timings = EntryTimings(ExchangePhases(record.marks, until: record.inFlightAt))
    writer.append(json: #"{"pageref":"page_"#)
    writer.append(integer: page.number)
    writer.append(json: #"","startedDateTime":""#)
    let start = record.started
    dates.append(unixNanoseconds: start.map(anchor.unixNanoseconds(at:)) ?? anchor.unixNanoseconds, to: &writer)
    writer.append(json: #"","time":"#)
    writer.append(millisecondsOf: timings.total)
    appendRequest(of: record, parts, to: &writer)
    appendResponse(of: record, parts, to: &writer)
    writer.append(json: #","cache":{},"timings":{"#)
    timings.append(to: &writer)
    writer.append(byte: UInt8(ascii: "}"))
    timings.blockedParts.append(to: &writer)
    appendPeers(of: record, to: &writer)
    appendOutcome(of: record, parts, to: &writer)
    appendChanges(of: record, parts, to: &writer)
    appendTLS(of: record, to: &writer)
    appendMeasurements(of: record, from: start, timings, to: &writer)
    append(parts.messages, of: record, to: &writer)
    appendDebug(of: record, to: &writer)
    if let redactor, redactor.count > 0 {
      writer.append(json: #","_redacted":"#)
      writer.append(integer: redactor.count)
    }
    writer.append(byte: UInt8(ascii: "}"))
    return timings.total - timings.blockedParts.client
  }
}

extension EntryWriter {
  /// The error since the last call.
  mutating func takeBodyError() -> RecorderError? {
    defer { bodyError = nil }
    return bodyError
  }
}
