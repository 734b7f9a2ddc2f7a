internal import TapelineText

/// Why there is no curl command for what a capture says.
package enum CurlRefusal: Error, Hashable, CustomStringConvertible {
  /// No request was seen in it.
  case tunnel
  /// curl speaks many protocols, and reads files by some of them.
  case scheme
  case url
  case method
  /// A name that begins with `@` would be that of a file for curl.
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
  /// Throws where curl, or who reads what curl sends, would see something else than this request.
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
