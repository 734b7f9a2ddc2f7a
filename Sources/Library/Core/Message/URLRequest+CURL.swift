internal import FoundationEssentials
internal import TapelineBase

extension URLRequest {
  /// A curl command that makes this request, over several lines, to be pasted into a shell.
  ///
  /// The command contains everything, credentials included: keep it out of logs that others read. It leaves out a body that is
  /// not in memory.
  ///
  /// - Parameters:
  ///   - credential: a name and a password for the request, in addition to its fields.
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

  /// The text as it is if a shell leaves it alone, otherwise in quotes.
  private static func argument(_ text: String) -> String {
    let plain = ByteSet.unreserved.union(":@%+=,")
    return text.utf8.allSatisfy(plain.contains) ? text : quoted(text)
  }

  /// The text in double quotes. Quotes and everything else that a shell would interpret there are escaped: a field's value must
  /// not run as a command. A backslash needs no escape unless one of those characters, a line feed or the closing quote follows.
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
