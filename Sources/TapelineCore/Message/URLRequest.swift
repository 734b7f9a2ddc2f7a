package import TapelineHTTP

/// A request as it was made, lossless: the head with its exact target and fields.
public struct URLRequest: Sendable, CustomStringConvertible {
  package let head: RequestHead
  /// What the head leaves unsaid of its target.
  package let implied: ImpliedOrigin?

  package init(head: RequestHead, implied: ImpliedOrigin? = nil) {
    self.head = head
    self.implied = implied
  }

  public var httpMethod: String { head.method.rawValue }

  public var headers: HTTPHeaders { HTTPHeaders(head.fields) }

  /// What is asked for, without credentials: for a proxied request that is the absolute URL.
  public var description: String { head.urlText(implied: implied) }
}
