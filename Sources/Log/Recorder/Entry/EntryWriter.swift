internal import TapelineCoding
internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineRedaction
internal import TapelineBase
internal import TapelineTime

/// Writes exchanges as HAR entries, straight from the bytes on the wire: no `HAREntry`, few strings.
///
/// Each thread that makes entries has its own. `docs/har.md` explains each member.
struct EntryWriter: ~Copyable {
  let anchor: WallClockAnchor
  let includesDebug: Bool
  let decodedBodyLimit: Int
  /// `nil` when redaction is off.
  var redactor: Redactor?
  /// `nil` when bodies are kept, or have been left out already.
  var outliner: Redactor?
  /// `nil` when bodies are kept in their entries.
  var bodies: BodyStore?
  /// Whether the response of the last entry reports the error of an operation.
  private(set) var reportsOperationError = false
  /// Why a body could not be written into its file.
  var bodyError: RecorderError?
  let decoder = ContentDecoder()
  let transcoder = TextTranscoder()
  var dates = DateWriter()
  var renderedTLS = RenderedTLS()
  var headLines = HeadLines()

  /// For entries that hold their bodies.
  ///
  /// - Parameter key: of the tokens that stand for secrets. A capture has one: in all its entries a secret has the same token.
  init(_ configuration: RecorderConfiguration, key: RedactionKey) {
    self.init(
      anchor: configuration.anchor, redactor: configuration.redaction.map { Redactor($0, key: key) },
      includesDebug: configuration.includesDebug, decodedBodyLimit: configuration.decodedBodyLimit)
    if configuration.outlinesBodies { outliner = Redactor(.standard, key: key) }
  }

  init(anchor: WallClockAnchor, redactor: Redactor?, includesDebug: Bool, decodedBodyLimit: Int = 16 << 20) {
    self.anchor = anchor
    self.redactor = redactor
    self.includesDebug = includesDebug
    self.decodedBodyLimit = decodedBodyLimit
  }

  /// Appends the entry of an exchange, and returns its total in microseconds: `time` without the client's own time and the
  /// proxy's.
  ///
  /// An exchange in flight leaves nothing on the disk: its bodies may still grow, so they are put into the entry.
  mutating func append(_ record: ExchangeRecord, page: PageID, to writer: inout JSONWriter) -> Int64 {
    page.beginEntry(in: &writer)
    return appendRest(of: record, to: &writer)
  }

  /// Appends what follows the page in the entry of an exchange, and returns its total as above.
  mutating func appendRest(of record: ExchangeRecord, to writer: inout JSONWriter) -> Int64 {
    let store = bodies
    if record.isInFlight { bodies = nil }
    defer { if record.isInFlight { bodies = store } }
    // Filled in place: a copy would cost as much as a field.
    var parts = EntryParts()
    prepare(&parts, of: record)
    reportsOperationError = parts.reportsOperationError(record)
    let timings = EntryTimings(ExchangePhases(record.marks, until: record.inFlightAt, isTunnel: record.isTunnel))
    writer.append(json: #","startedDateTime":""#)
    let start = record.started
    dates.append(unixNanoseconds: start.map(anchor.unixNanoseconds(at:)) ?? anchor.unixNanoseconds, to: &writer)
    writer.append(json: #"","time":"#)
    writer.append(thousandths: timings.total)
    appendRequest(of: record, parts, to: &writer)
    appendResponse(of: record, parts, to: &writer)
    writer.append(json: #","cache":{},"timings":{"#)
    timings.append(to: &writer)
    writer.append(byte: UInt8(ascii: "}"))
    timings.appendBlocked(to: &writer)
    appendPeers(of: record, to: &writer)
    appendOutcome(of: record, parts, to: &writer)
    appendChanges(of: record, parts, to: &writer)
    if !record.injections.isEmpty { append(record.injections, from: start, to: &writer) }
    appendHTTP2(of: record, to: &writer)
    appendCall(of: record, parts, from: start, to: &writer)
    appendTLS(of: record, to: &writer)
    appendMeasurements(of: record, parts.responseBody, from: start, timings, to: &writer)
    append(parts.messages, of: record, from: start, to: &writer)
    appendDebug(of: record, to: &writer)
    if let count = redactor?.count, count > 0 {
      writer.append(member: .redacted)
      writer.append(integer: count)
    }
    writer.append(byte: UInt8(ascii: "}"))
    return timings.totalOfOthers
  }
}

extension EntryWriter {
  /// The error since the last call.
  mutating func takeBodyError() -> RecorderError? {
    defer { bodyError = nil }
    return bodyError
  }

  func append(_ version: HTTPVersion, to writer: inout JSONWriter) {
    if version == .http11 {
      writer.append(json: #""HTTP/1.1""#)
    } else {
      writer.append(string: version.text)
    }
  }

  /// Appends the elements of `headers`: one for each line, in order, as spelled.
  ///
  /// - Parameter lines: their JSON in `headLines`, if it was made.
  mutating func append(_ recorded: RecordedFields, _ lines: Range<Int>? = nil, to writer: inout JSONWriter) {
    if let lines { return headLines.append(lines, to: &writer) }
    let bytes = recorded.fields.bytes
    for line in 0..<recorded.fields.count {
      if line > 0 { writer.append(byte: UInt8(ascii: ",")) }
      let name = bytes.span.extracting(recorded.fields.nameRange(at: line))
      if let hiddenName = redactor?.hidden(name: name) {
        recorded.withValue(at: line) { writer.append(name: hiddenName.span, value: $0) }
      } else {
        recorded.withValue(at: line) { writer.append(name: name, value: $0) }
      }
    }
  }

  /// Appends the `Content-Type`, whose parameters may repeat a secret.
  mutating func append(_ media: MediaType, to writer: inout JSONWriter) {
    if redactor?.matcher.isNeeded == true, let hidden = redactor?.withoutEchoes(media.text.span) {
      writer.append(text: hidden.span)
    } else {
      media.append(to: &writer)
    }
  }
}

/// The messages of client and origin in an exchange, as the log has them: bodies decoded, secrets replaced.
///
/// All parts are made before the first byte of the entry is written: a secret found in the response may also be in the request.
struct EntryParts {
  /// Absolute; empty when the client's bytes were not a request.
  var url: [UInt8] = []
  /// Where its members are in `headLines`; `nil` if it has a secret of another part.
  var urlMembers: Range<Int>?
  /// The request's; `nil` if the client speaks HTTP/1.
  var pseudoFields: PseudoFields?
  var request: RecordedFields?
  /// Where the lines are in `headLines`; `nil` if they have a secret of another part there.
  var requestLines: Range<Int>?
  var requestBody: EntryBody?
  var requestTrailers: RecordedFields?
  var informational: [(head: ResponseHead, fields: RecordedFields, reason: String)] = []
  var response: RecordedFields?
  /// As above.
  var responseLines: Range<Int>?
  var reason = ""
  var responseBody: EntryBody?
  var responseTrailers: RecordedFields?
  /// Those of gRPC-Web.
  var callTrailers: RecordedFields?
  var messages: [RecordedMessage] = []
  var failure: String?
  var comment: String?
}

extension EntryParts {
  /// Whether readers of the log will find an error in its bodies (`OperationError`).
  fileprivate func reportsOperationError(_ record: ExchangeRecord) -> Bool {
    guard let body = responseBody, body.isText, body.missing == 0 else { return false }
    return OperationError(
      body.bytes.span, type: record.response?.fields.first(of: .contentType) ?? "", url: String(decoding: url, as: UTF8.self),
      isAskedFor: requestBody.map { asked in
        let type = record.request?.fields.first(of: .contentType) ?? ""
        return asked.isText && asked.missing == 0 && OperationError.isAskedFor(by: asked.bytes.span, type: type)
      } ?? false) != nil
  }
}

extension EntryWriter {
  /// Decodes and redacts a whole exchange.
  private mutating func prepare(_ parts: inout EntryParts, of record: ExchangeRecord) {
    redactor?.beginEntry()
    headLines.beginEntry()
    prepareRequest(of: record, &parts)
    redactor?.source = .content
    prepareResponse(of: record, &parts)
    parts.messages = prepareMessages(of: record)
    parts.failure = record.failure.map { hidden($0.message) }
    parts.comment = record.comment.map { hidden($0) }
    redactor?.knowsAll()
    if redactor?.matcher.isNeeded == true { hideEchoes(in: &parts) }
  }

  private mutating func prepareRequest(of record: ExchangeRecord, _ parts: inout EntryParts) {
    guard let head = record.request else { return }
    (parts.url, parts.urlMembers) = headLines.takeURL(
      EntryURL.text(of: head, implied: record.implied), hidingBy: &redactor)
    if let list = record.http2?.request { parts.pseudoFields = PseudoFields(list, redactor: &redactor, lines: &headLines) }
    (parts.request, parts.requestLines) = headLines.take(head.fields, hidingBy: &redactor)
    if record.requestBody.size > 0 {
      parts.requestBody = prepare(
        record.requestBody, MediaType(of: head.fields), head.fields, isGrowing: record.isInFlight,
        isBrokenOff: record.isBrokenOff || record.requestEndedBy != nil, isRequest: true)
    }
    parts.requestTrailers = record.requestTrailers.map { recorded($0) }
  }

  private mutating func prepareResponse(of record: ExchangeRecord, _ parts: inout EntryParts) {
    for head in record.informational {
      parts.informational.append((head, recorded(head.fields), hidden(head.reason)))
    }
    guard let head = record.response else { return }
    (parts.response, parts.responseLines) = headLines.take(head.fields, hidingBy: &redactor)
    parts.reason = hidden(head.reason)
    parts.responseBody = prepare(
      record.responseBody, MediaType(of: head.fields), head.fields, isGrowing: record.isInFlight,
      isBrokenOff: record.isBrokenOff, arrivals: record.arrivals)
    parts.responseTrailers = record.responseTrailers.map { recorded($0) }
    parts.callTrailers = record.grpc?.trailers.map { recorded($0) }
  }

  private mutating func recorded(_ fields: HeaderFields) -> RecordedFields {
    redactor?.hidden(fields) ?? RecordedFields(fields)
  }

  private mutating func hideEchoes(in parts: inout EntryParts) {
    // Moved: a copy would count the references of all that it knows.
    guard var redactor = redactor.take() else { return }
    if redactor.hideEchoes(in: &parts.url, from: EntryURL.authorityEnd(of: parts.url)) { parts.urlMembers = nil }
    parts.pseudoFields?.hideEchoes(by: &redactor)
    if parts.request?.hideEchoes(by: &redactor) == true { parts.requestLines = nil }
    parts.requestBody?.hideEchoes(by: &redactor)
    parts.requestTrailers?.hideEchoes(by: &redactor)
    for index in parts.informational.indices {
      parts.informational[index].fields.hideEchoes(by: &redactor)
      redactor.hideEchoes(in: &parts.informational[index].reason)
    }
    if parts.response?.hideEchoes(by: &redactor) == true { parts.responseLines = nil }
    redactor.hideEchoes(in: &parts.reason)
    parts.responseBody?.hideEchoes(by: &redactor)
    parts.responseTrailers?.hideEchoes(by: &redactor)
    parts.callTrailers?.hideEchoes(by: &redactor)
    for index in parts.messages.indices { redactor.hideEchoes(in: &parts.messages[index].bytes) }
    if var failure = parts.failure {
      redactor.hideEchoes(in: &failure)
      parts.failure = failure
    }
    if var comment = parts.comment {
      redactor.hideEchoes(in: &comment)
      parts.comment = comment
    }
    self.redactor = redactor
  }
}
