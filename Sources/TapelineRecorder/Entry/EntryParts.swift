internal import TapelineCore
internal import TapelineHTTP
internal import TapelineText

/// The messages of client and origin in an exchange, as the log has them: bodies decoded, secrets replaced.
///
/// All parts are made before the first byte of the entry is written: a secret found in the response may also be in the request.
struct EntryParts {
  /// Absolute; empty when the client's bytes were not a request.
  var url: [UInt8] = []
  var request: RecordedFields?
  var requestBody: RecordedBody?
  var requestTrailers: RecordedFields?
  var informational: [(head: ResponseHead, fields: RecordedFields, reason: String)] = []
  var response: RecordedFields?
  var reason = ""
  var responseBody: RecordedBody?
  var responseTrailers: RecordedFields?
  var messages: [RecordedMessage] = []
  var failure: String?
  var comment: String?
}

extension EntryWriter {
  /// Decodes and redacts a whole exchange.
  mutating func prepareParts(of record: ExchangeRecord) -> EntryParts {
    redactor?.beginEntry()
    var parts = EntryParts()
    prepareRequest(of: record, &parts)
    redactor?.source = .content
    prepareResponse(of: record, &parts)
    parts.messages = prepareMessages(of: record)
    parts.failure = record.failure.map { hidden($0.message) }
    parts.comment = record.comment.map { hidden($0) }
    redactor?.knowsAll()
    if redactor?.matcher.isNeeded == true { hideEchoes(in: &parts) }
    return parts
  }

  private mutating func prepareRequest(of record: ExchangeRecord, _ parts: inout EntryParts) {
    guard let head = record.request else { return }
    parts.url = EntryURL.text(of: head, implied: record.implied)
    redactor?.redactURL(parts.url.span, into: &scratch)
    if redactor != nil { swap(&parts.url, &scratch) }
    parts.request = recorded(head.fields)
    if record.requestBody.size > 0 {
      parts.requestBody = prepare(record.requestBody, MediaType(of: head.fields), head.fields, isGrowing: record.isInFlight)
    }
    parts.requestTrailers = record.requestTrailers.map { recorded($0) }
  }

  private mutating func prepareResponse(of record: ExchangeRecord, _ parts: inout EntryParts) {
    for head in record.informational {
      parts.informational.append((head, recorded(head.fields), hidden(head.reason)))
    }
    guard let head = record.response else { return }
    parts.response = recorded(head.fields)
    parts.reason = hidden(head.reason)
    parts.responseBody = prepare(record.responseBody, MediaType(of: head.fields), head.fields, isGrowing: record.isInFlight)
    parts.responseTrailers = record.responseTrailers.map { recorded($0) }
  }

  private mutating func recorded(_ fields: HeaderFields) -> RecordedFields {
    redactor?.hidden(fields) ?? RecordedFields(fields)
  }

  /// Text that may hold a secret.
  private mutating func hidden(_ text: String) -> String {
    // Such as `OK`: no secret is that short.
    guard text.utf8.count > 4, let bytes = redactor?.redacted(Array(text.utf8).span) else { return text }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func hideEchoes(in parts: inout EntryParts) {
    guard var redactor else { return }
    redactor.hideEchoes(in: &parts.url, from: EntryURL.authorityEnd(of: parts.url))
    parts.request?.hideEchoes(by: &redactor)
    parts.requestBody?.hideEchoes(by: &redactor)
    parts.requestTrailers?.hideEchoes(by: &redactor)
    for index in parts.informational.indices {
      parts.informational[index].fields.hideEchoes(by: &redactor)
      redactor.hideEchoes(in: &parts.informational[index].reason)
    }
    parts.response?.hideEchoes(by: &redactor)
    redactor.hideEchoes(in: &parts.reason)
    parts.responseBody?.hideEchoes(by: &redactor)
    parts.responseTrailers?.hideEchoes(by: &redactor)
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
