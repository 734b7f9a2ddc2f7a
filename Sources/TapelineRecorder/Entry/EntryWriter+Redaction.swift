internal import TapelineCore
internal import TapelineHTTP
internal import TapelineRedaction

extension EntryWriter {
  /// Redacts a page's title, which may be a command with its arguments.
  mutating func hidden(commandLine text: String) -> String {
    redactor?.beginEntry()
    guard let bytes = redactor?.redacted(Array(text.utf8).span, style: .commandLine) else { return text }
    return String(decoding: bytes, as: UTF8.self)
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
