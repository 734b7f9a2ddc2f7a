internal import TapelineHTTP
internal import TapelineRedaction
internal import TapelineBase

/// Redaction of the lines of any message, however they came and whatever was mended in them: a secret of the exchange is nowhere
/// in them afterwards, and the lines can be written again.
enum HeadRedactionOracle {
  /// A secret that the client has sent. The dictionaries have it, so that messages repeat it.
  private static let secret = "q8Zk4Lw0Xys3cr3tV7"

  static func check(_ fields: HeaderFields) throws(OracleViolation) {
    var redactor = Redactor(.standard, key: RedactionKey(1, 2))
    redactor.beginEntry()
    _ = redactor.hidden(HeaderFields([("Authorization", "Bearer \(secret)")]))
    redactor.source = .content
    var recorded = redactor.hidden(fields)
    redactor.knowsAll()
    recorded.hideEchoes(by: &redactor)
    let shown = recorded.headerFields
    try OracleViolation.requireEqual(shown.count, fields.count, "each line stays a line")
    for line in fields.indices {
      try OracleViolation.requireEqual(shown.name(at: line), fields.name(at: line), "a line keeps its name")
      guard fields.knownName(at: line) != .host else { continue }
      let value = recorded.withValue(at: line) { [UInt8](copying: $0) }
      try OracleViolation.require(
        !String(validOrLatin1: value).contains(secret), "a secret of the exchange is in no line: \(shown.name(at: line))")
    }
  }
}
