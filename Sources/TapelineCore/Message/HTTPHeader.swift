internal import TapelineHTTP

/// One header field: a name and a value.
public struct HTTPHeader: Sendable, Hashable {
  /// The name, spelled as it was given. Case does not matter in comparisons of names.
  public let name: String
  /// The value.
  public let value: String

  /// A field; nothing is checked here.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// Whether the field may be sent: the name is a token, and the value has no line end, no NUL and no other control character
  /// (RFC 9110 5). A request with a field that may not be sent is refused before any of it is sent.
  public var isSendable: Bool {
    FieldSyntax.isName(name) && FieldSyntax.isValue(value)
  }
}

extension HTTPHeader: CustomStringConvertible {
  /// `Name: value`.
  public var description: String { "\(name): \(value)" }
}
