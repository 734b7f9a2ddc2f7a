internal import FoundationEssentials

/// Where the text of a query goes.
public enum QueryDestination: Sendable, Hashable {
  /// Into the URL for GET, HEAD and DELETE, into the body for any other method.
  case methodDependent
  /// Always into the URL.
  case queryString
  /// Always into the body.
  case httpBody

  func encodesParametersInURL(for method: HTTPMethod) -> Bool {
    switch self {
    case .methodDependent: method == .get || method == .head || method == .delete
    case .queryString: true
    case .httpBody: false
    }
  }

  /// Adds `query` to the URL or sets it as the body. Keeps the URL's own query as it is. Throws `missingURL` if the query belongs
  /// in the URL and there is no URL.
  func add(_ query: String, to request: inout URLRequest, missingURL: @autoclosure () -> TapelineError) throws {
    if encodesParametersInURL(for: request.method) {
      guard let url = request.url else { throw missingURL() }
      guard !query.isEmpty else { return }
      request.url = try url.addingQuery(query)
    } else {
      if !request.headers.contains(name: "Content-Type") {
        request.headers.update(.contentType("application/x-www-form-urlencoded; charset=utf-8"))
      }
      request.httpBody = Data(query.utf8)
    }
  }
}

extension URL {
  /// The same URL with `query`, which is percent-encoded, after its own query.
  fileprivate func addingQuery(_ query: String) throws(TapelineError) -> URL {
    let text = absoluteString
    let fragment = text.drop { $0 != "#" }
    let start = text[..<fragment.startIndex]
    let separator = !start.contains("?") ? "?" : start.hasSuffix("?") ? "" : "&"
    let extended = start + separator + query + fragment
    guard let url = URL(string: String(extended)) else { throw .invalidURL(url: String(extended)) }
    return url
  }
}
