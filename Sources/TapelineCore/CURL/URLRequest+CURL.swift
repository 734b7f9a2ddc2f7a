internal import FoundationEssentials
internal import TapelineText

extension URLRequest {
  /// A curl command that makes this request, over several lines, to be pasted into a shell.
  ///
  /// It says all it knows, credentials included: it is not for logs that others read. A body that is not in memory is not in it.
  ///
  /// - Parameters:
  ///   - credential: a name and a password that the request is authenticated with, besides what its fields say.
  ///   - sessionHeaders: fields that the session adds where the request has none of that name.
  public func cURLDescription(
    credential: (user: String, password: String)? = nil, sessionHeaders: HTTPHeaders = HTTPHeaders()
  ) -> String {
    guard let url, let host = URIReference(url.absoluteString).hostAndPort, !host.isEmpty else {
      return "$ curl command could not be created"
    }
    var pieces = ["$ curl -v", "-X \(method.isToken ? method.rawValue : Self.quoted(method.rawValue))"]
    if let credential { pieces.append("-u " + Self.argument("\(credential.user):\(credential.password)")) }
    let fields = sessionHeaders.filter { !headers.contains(name: $0.name) } + headers
    let cookies = fields.filter(\.isCookie).flatMap(\.cookiePairs)
    if !cookies.isEmpty { pieces.append("-b " + Self.quoted(cookies.joined(separator: ";"))) }
    for field in fields where !field.isCookie { pieces.append("-H " + Self.quoted("\(field.name): \(field.value)")) }
    if let httpBody { pieces.append("-d " + Self.quoted(String(decoding: httpBody, as: UTF8.self))) }
    pieces.append(Self.quoted(url.absoluteString))
    return pieces.joined(separator: " \\\n\t")
  }

  /// As it is where a shell would take it so; else in quotes.
  private static func argument(_ text: String) -> String {
    let plain = ByteSet.unreserved.union(":@%+=,")
    return text.utf8.allSatisfy(plain.contains) ? text : quoted(text)
  }

  /// In double quotes. Quotes are escaped, and so is whatever else a shell would not leave alone between them: what a field says must not
  /// run as a command. A backslash means itself there unless one of those follows.
  private static func quoted(_ text: String) -> String {
    let special = Set("\"$`\\".unicodeScalars)
    var result = "\""
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      let isEscaped =
        scalar == "\\" ? scalars.first.map { special.contains($0) || $0 == "\n" } ?? true : special.contains(scalar)
      if isEscaped { result.append("\\") }
      result.unicodeScalars.append(scalar)
    }
    return result + "\""
  }
}

extension HTTPHeader {
  fileprivate var isCookie: Bool { name.lowercased() == "cookie" }

  /// The pairs of a `Cookie` field (RFC 6265 4.2.1).
  fileprivate var cookiePairs: [String] {
    value.split(separator: ";").map { String($0.drop { $0 == " " }) }
  }
}
