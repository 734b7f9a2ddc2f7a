/// Why a text does not name an upstream proxy.
public struct UpstreamProxyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence for people. It never holds the password.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
