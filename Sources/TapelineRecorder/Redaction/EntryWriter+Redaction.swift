internal import TapelineCore
internal import TapelineHTTP

extension EntryWriter {
  /// The exchange with heads that hold no secrets: for texts that are made from the whole record.
  mutating func redacted(_ record: ExchangeRecord) -> ExchangeRecord {
    guard var redactor else { return record }
    var result = record
    result.request = record.request.flatMap { redactor.redacted($0) }
    result.response = record.response.map { head in
      ResponseHead(status: head.status, reason: head.reason, version: head.version, fields: redactor.redacted(head.fields))
    }
    self.redactor = redactor
    return result
  }
}

extension Redactor {
  /// `nil` when the target without its secrets is none any more: then nothing of it is shown.
  fileprivate mutating func redacted(_ head: RequestHead) -> RequestHead? {
    var target: [UInt8] = []
    if case .absolute = head.target {
      appendURL(EntryURL.text(of: head).span, to: &target)
    } else {
      appendURL(Array(head.targetText.utf8).span, to: &target)
    }
    let text = String(decoding: target, as: UTF8.self)
    do {
      return try RequestHead(method: head.method, target: text, version: head.version, fields: redacted(head.fields))
    } catch {
      return nil
    }
  }
}
