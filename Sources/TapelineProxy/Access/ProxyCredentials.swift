internal import TapelineTLS

/// The name and password that clients of the proxy must give (RFC 9110 11.7, RFC 7617).
package struct ProxyCredentials: Sendable {
  /// What a client sends behind `Basic `.
  private let token: [UInt8]

  /// - Parameter pair: `USER:PASSWORD`; the name has no colon.
  package init(pair: String) {
    token = Array(base64(Array(pair.utf8)).utf8)
  }

  /// Whether a `Proxy-Authorization` value gives them. How long it takes tells nothing of how much of it is right.
  func match(_ value: String) -> Bool {
    let words = value.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "basic" else { return false }
    let given = Array(words[1].utf8)
    var difference = given.count ^ token.count
    for index in given.indices {
      difference |= Int(given[index] ^ token[index % token.count])
    }
    return difference == 0
  }
}
