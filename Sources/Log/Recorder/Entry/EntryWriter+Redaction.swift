internal import TapelineCore
internal import TapelineHTTP
internal import TapelineRedaction
internal import TapelineBase

extension EntryWriter {
  /// Redacts a page's title, which may be a command with its arguments.
  mutating func hidden(commandLine text: String) -> String {
    redactor?.beginEntry()
    guard let bytes = redactor?.redacted(Array(text.utf8).span, style: .commandLine) else { return text }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The gate for each text of an entry that is neither a line of a message nor content, whoever made it: the proxy, a peer, a
  /// certificate. Hides the secrets that it has and those of the messages, which are known by now (`Redactor.knowsAll`).
  mutating func shown(_ text: String) -> String {
    var text = hidden(text)
    redactor?.hideEchoes(in: &text)
    return text
  }

  /// Text that may hold a secret of its own.
  mutating func hidden(_ text: String) -> String {
    // Such as `OK` or `OPTIONS`: no secret is that short.
    guard text.utf8.count > 7, let bytes = redactor?.redacted(Array(text.utf8).span) else { return text }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The same gate for the value of a line that we wrote. It may hold what several lines had that came, such as all cookies.
  mutating func shown(_ value: String, of name: String) -> String {
    guard var redactor = redactor.take() else { return value }
    var line = redactor.hidden(HeaderFields([(name, value)]))
    line.hideEchoes(by: &redactor)
    self.redactor = redactor
    return line.withValue(at: 0) { String(bytes: $0) }
  }

  /// The exchange with redacted heads: for texts that are made from the whole record.
  mutating func redacted(_ record: ExchangeRecord) -> ExchangeRecord {
    guard var redactor = redactor.take() else { return record }
    var result = record
    result.request = record.request.flatMap { redactor.redacted($0) }
    result.response = record.response.map { head in
      ResponseHead(
        status: head.status, reason: head.reason, version: head.version, fields: redactor.hidden(head.fields).headerFields)
    }
    self.redactor = redactor
    return result
  }
}

extension Redactor {
  /// The name of a field without the secret that it is, or that the entry has elsewhere (`knowsAll`); `nil` if it is none, like
  /// nearly all names.
  mutating func hidden(name: Span<UInt8>) -> [UInt8]? {
    if name.count > 19, let hidden = redacted(name) { return hidden }
    return withoutEchoes(name)
  }

  /// `nil` when the redacted target is not a valid target: then nothing of it is shown.
  fileprivate mutating func redacted(_ head: RequestHead) -> RequestHead? {
    var target: [UInt8] = []
    if case .absolute = head.target {
      redactURL(EntryURL.text(of: head, implied: nil).span, into: &target)
    } else {
      redactURL(Array(head.targetText.utf8).span, into: &target)
    }
    let text = String(decoding: target, as: UTF8.self)
    do {
      return try RequestHead(method: head.method, target: text, version: head.version, fields: hidden(head.fields).headerFields)
    } catch {
      return nil
    }
  }
}
