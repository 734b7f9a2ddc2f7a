package import TapelineHTTP

/// A response head as it came, lossless.
public struct HTTPURLResponse: Sendable, CustomStringConvertible {
  package let head: ResponseHead
  /// What it answers.
  package let request: RequestHead
  /// What the request leaves unsaid of its target.
  package let implied: ImpliedOrigin?

  package init(head: ResponseHead, request: RequestHead, implied: ImpliedOrigin? = nil) {
    self.head = head
    self.request = request
    self.implied = implied
  }

  public var statusCode: Int { head.status }

  /// The reason phrase as received; it may be empty.
  public var reason: String { head.reason }

  public var headers: HTTPHeaders { HTTPHeaders(head.fields) }

  /// One line, the same for equal responses: URL, status and fields in their order.
  public var description: String {
    let fields = head.fields.map { "\"\($0.name)\": \"\($0.value)\"" }.joined(separator: ", ")
    return "{ URL: \(request.urlText(implied: implied)), Status Code: \(statusCode), Headers: { \(fields) } }"
  }
}
