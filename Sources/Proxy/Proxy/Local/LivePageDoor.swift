internal import TapelineHTTP

/// Where requests for the live page go, and the key that opens it.
///
/// The kernel says whose the connection of a visitor is; but that may be another proxy of this user, which asks for somebody
/// else. The key is in the page's address, which only this user is told.
package struct LivePageDoor: Sendable {
  private let key: String
  /// Takes the requests, each with its connection. Called on a loop: it does not wait.
  let receive: @Sendable (LocalVisit) -> Void

  private static let keyName = "key"

  /// - Parameter key: letters and digits that nobody can guess.
  package init(key: String, receive: @escaping @Sendable (LocalVisit) -> Void) {
    self.key = key
    self.receive = receive
  }

  /// The page's address.
  ///
  /// - Parameters:
  ///   - authority: host and port of the proxy.
  ///   - key: `nil` where visitors give the proxy's password instead.
  package static func address(at authority: String, key: String?) -> String {
    "http://\(authority)\(LocalVisit.root)\(query(key))"
  }

  /// The address that Chrome opens to attach its panel; parameters as for `address`.
  package static func panelAddress(at authority: String, key: String?) -> String {
    // Chrome removes an address with a question mark of its own.
    let place = "\(authority)\(LocalVisit.devTools)\(query(key))".replacing("?", with: "%3F")
    return "devtools://devtools/bundled/devtools_app.html?ws=\(place)&panel=network"
  }

  private static func query(_ key: String?) -> String { key.map { "?\(keyName)=\($0)" } ?? "" }

  /// Whether a request gives the key: in its target, or, where the query says something else, in the field of the page.
  func opens(to head: RequestHead) -> Bool {
    Self.givenKey(head)?.utf8.equalsSecret(key.utf8) ?? false
  }

  private static func givenKey(_ head: RequestHead) -> String? {
    if let field = head.fields.values(named: LocalVisit.tokenField).first { return field }
    let items = LocalPages.query(of: head).split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
    return items.first { $0.count == 2 && $0[0] == keyName }.map { String($0[1]) }
  }
}
