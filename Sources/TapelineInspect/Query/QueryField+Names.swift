extension QueryField {
  /// Short names for members that tapeline adds to HAR.
  private static let abbreviations: [(name: String, path: [String])] = [
    ("tls", ["_tls"]), ("client.tls", ["_clientTLS"]), ("tcp", ["_tcp", "server"]), ("client.tcp", ["_tcp", "client"]),
    ("overhead", ["_overhead"]), ("tunnel", ["_tunnel"]),
  ]

  private static let owners: [(prefix: String, owner: Owner)] = [
    ("req._", .request), ("resp._", .response), ("content._", .content), ("_", .entry),
    ("request._", .request), ("response._", .response), ("response.content._", .content),
  ]

  /// A field by its name alone; `nil` if no field has that name.
  init?(name: String) {
    if let known = Known(rawValue: name) ?? HARMemberPath.known[name] {
      source = .known(known)
      return
    }
    for (short, path) in Self.abbreviations where name == short || name.hasPrefix(short + ".") {
      source = .custom(.entry, path + Self.path(name.dropFirst(short.count)))
      return
    }
    for (prefix, owner) in Self.owners where name.hasPrefix(prefix) && name.count > prefix.count {
      source = .custom(owner, Self.path(name.dropFirst(prefix.count - 1)))
      return
    }
    let path = Self.path(name[...])
    guard let kind = HARMemberPath.kind(of: path) else { return nil }
    source = .member(path, kind)
  }

  /// A field by its name and the key in brackets after it.
  init?(name: String, key: String) {
    guard let named = Named(rawValue: name) ?? HARMemberPath.named[name] else { return nil }
    source = .named(named, key)
  }

  private static func path(_ text: Substring) -> [String] {
    text.split(separator: ".").map(String.init)
  }
}
