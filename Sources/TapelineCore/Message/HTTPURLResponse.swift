public import FoundationEssentials
package import TapelineHTTP

/// A response's head, lossless: its fields in order, with their spelling and duplicates.
public struct HTTPURLResponse: Sendable {
  package let head: ResponseHead
  /// The request that it answers.
  package let request: RequestHead
  /// The origin that the request's target leaves out.
  package let implied: ImpliedOrigin?

  package init(head: ResponseHead, request: RequestHead, implied: ImpliedOrigin? = nil) {
    self.head = head
    self.request = request
    self.implied = implied
  }

  /// A response to a GET of `url` that no server sent: for tests. `nil` when no server could have sent it, because of the URL,
  /// the status, the reason or a field.
  public init?(url: URL, statusCode: Int, reason: String? = nil, headers: HTTPHeaders = HTTPHeaders()) {
    guard (100...999).contains(statusCode), FieldSyntax.isValue(reason ?? ""), headers.allSatisfy(\.isSendable) else {
      return nil
    }
    do throws(TapelineError) {
      request = try URLRequest(url: url).head()
    } catch {
      return nil
    }
    head = ResponseHead(status: statusCode, reason: reason, fields: headers.fields)
    implied = nil
  }

  /// The status (RFC 9110 15).
  public var statusCode: Int { head.status }

  /// The reason phrase as received; it may be empty.
  public var reason: String { head.reason }

  /// As in the status line, `HTTP/1.1`.
  public var httpVersion: String { head.version.text }

  /// The fields, in order, with their spelling and their duplicates.
  public var headers: HTTPHeaders { HTTPHeaders(head.fields) }

  /// The requested URL, without credentials and fragment; `nil` when the request's target is not a URL.
  public var url: URL? { URL(string: request.urlText(implied: implied)) }

  /// The value of the first field called `field`, in any case.
  public func value(forHTTPHeaderField field: String) -> String? {
    headers.value(for: field)
  }
}

extension HTTPURLResponse: CustomStringConvertible {
  /// One line, the same for equal responses: URL, status and fields in their order.
  public var description: String {
    let fields = head.fields.map { "\"\($0.name)\": \"\($0.value)\"" }.joined(separator: ", ")
    return "{ URL: \(request.urlText(implied: implied)), Status Code: \(statusCode), Headers: { \(fields) } }"
  }
}
