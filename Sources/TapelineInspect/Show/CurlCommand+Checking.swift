internal import TapelineText

/// Why there is no curl command for a recorded request.
package enum CurlRefusal: Error, Hashable, CustomStringConvertible {
  /// The exchange is a tunnel, in which no request was seen.
  case tunnel
  /// curl speaks many protocols, and some of them read files.
  case scheme
  case url
  case method
  /// curl reads a name that begins with `@` as the name of a file.
  case fieldName(String)
  case fieldValue(String)
  case body

  package var description: String {
    switch self {
    case .tunnel: "it is a tunnel, in which no request was seen"
    case .scheme: "its URL does not begin with http:// or https://"
    case .url: "its URL has control characters"
    case .method: "its method is not an HTTP method"
    case .fieldName(let name): "\"\(name)\" is not the name of a header"
    case .fieldValue(let name): "its header \(name) has a line break or a NUL, which HTTP cannot carry"
    case .body: "its body is not the base64 that it says"
    }
  }
}

extension CurlCommand {
  /// Throws if curl, or the server that curl sends to, would read this as a different request.
  func check() throws(CurlRefusal) {
    let start = url.utf8.prefix(8).map { $0 | 0x20 }
    guard start.starts(with: "http://".utf8) || start.starts(with: "https://".utf8) else { throw .scheme }
    guard !url.unicodeScalars.contains(where: \.isControl) else { throw .url }
    guard method.isToken else { throw .method }
    for field in sentFields {
      guard field.name.isToken else { throw .fieldName(field.name) }
      guard !field.value.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" || $0 == "\0" }) else {
        throw .fieldValue(field.name)
      }
    }
    if case .base64(let text) = body, Base64.decode(text) == nil { throw .body }
  }
}
