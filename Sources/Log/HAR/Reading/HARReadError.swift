/// Why bytes are not a HAR, and where.
public struct HARReadError: Error, Sendable, Hashable {
  /// The kinds of faults.
  public enum Kind: Sendable, Hashable {
    /// The text ended inside of a value.
    case unexpectedEnd
    /// Something else is where this was expected.
    case expected(String)
    /// A string holds a control character or an escape that JSON does not have.
    case invalidString
    /// Text that starts like a number but is not a number.
    case invalidNumber
    /// Values are nested deeper than in any sane text.
    case tooDeep
    /// One value is larger than the reader's limit.
    case tooLarge(limit: Int)
    /// More pages or members of a log, which are kept together, than any program writes.
    case tooMany(String, limit: Int)
    /// JSON, but without an object `log`.
    case missingLog
  }

  /// The fault.
  public let kind: Kind
  /// Bytes from the start of the text.
  public let offset: Int

  /// Makes an error.
  public init(kind: Kind, offset: Int) {
    self.kind = kind
    self.offset = offset
  }
}

extension HARReadError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    "\(reason) at byte \(offset)"
  }

  private var reason: String {
    switch kind {
    case .unexpectedEnd: "the text ends in the middle of a value"
    case .expected(let what): "expected \(what)"
    case .invalidString: "a string holds a control character or an unknown escape"
    case .invalidNumber: "malformed number"
    case .tooDeep: "values are nested too deeply"
    case .tooLarge(let limit): "one value is larger than \(limit) bytes"
    case .tooMany(let what, let limit): "more than \(limit) \(what)"
    case .missingLog: "no object \"log\": this is not a HAR"
    }
  }
}
