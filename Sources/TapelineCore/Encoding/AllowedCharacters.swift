/// The ASCII characters that stay as they are when text is percent-encoded; every other byte is encoded.
public struct AllowedCharacters: Sendable, Hashable {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  /// The characters of `text`. Those beyond ASCII are always encoded, and ignored here.
  public init(_ text: String) {
    for byte in text.utf8 { insert(byte) }
  }

  /// What needs no encoding inside a name or a value of a query: the unreserved characters of RFC 3986 2.3, and `/` and `?`, which 3.4
  /// lets stand in a query. The reserved rest (`:#[]@!$&'()*+,;=`) is encoded.
  public static let urlQuery = AllowedCharacters(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/?")

  /// The unreserved characters of RFC 3986 2.3 alone.
  public static let unreserved = AllowedCharacters(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")

  /// These characters and those of `text`.
  public func adding(_ text: String) -> AllowedCharacters {
    var result = self
    for byte in text.utf8 { result.insert(byte) }
    return result
  }

  func contains(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<64: low & (1 << UInt64(byte)) != 0
    case 64..<128: high & (1 << UInt64(byte - 64)) != 0
    default: false
    }
  }

  private mutating func insert(_ byte: UInt8) {
    switch byte {
    case 0..<64: low |= 1 << UInt64(byte)
    case 64..<128: high |= 1 << UInt64(byte - 64)
    default: break
    }
  }
}
