internal import TapelineHTTP

/// The origin that a request goes to: scheme, host and port (RFC 6454 4). Another origin must not get what this one may know.
struct Origin: Hashable, Sendable {
  let scheme: URIScheme
  /// In lower case.
  let host: String
  let port: UInt16

  init(_ target: AbsoluteTarget) {
    scheme = target.scheme
    host = target.host.lowercased()
    port = target.port
  }

  /// `nil` for a request whose target names no origin.
  init?(_ head: RequestHead) {
    guard case .absolute(let target) = head.target else { return nil }
    self.init(target)
  }

  /// `nil` for a request that cannot be sent.
  init?(_ request: URLRequest) {
    do throws(TapelineError) {
      self.init(try request.head())
    } catch {
      return nil
    }
  }
}
