internal import TapelineHAR

/// A field of an exchange that a query can ask for.
struct QueryField: Hashable, Sendable {
  enum Source: Hashable, Sendable {
    case known(Known)
    /// `req.header["x"]` and similar: the lines of that name, in any case.
    case named(Named, String)
    /// A member that HAR does not define, by its path: `_tcp`, `server`, `rtt`.
    case custom(Owner, [String])
    /// A metric of `Server-Timing`, by its name in any case.
    case serverTime(String)
    /// Any other member of an entry, by its path in the log: `cache`, `afterRequest`, `hitCount`.
    case member([String], Kind)
  }

  /// The kind of a field's values, which decides what they can be compared with.
  enum Kind: Hashable, Sendable {
    case text
    /// A date as text.
    case date
    case number(QueryQuantity.Dimension)
    case flag
    /// Any value in the log.
    case any
  }

  enum Named: String, CaseIterable, Hashable, Sendable {
    case requestHeader = "req.header"
    case responseHeader = "resp.header"
    case requestCookie = "req.cookie"
    case responseCookie = "resp.cookie"
    case query
    case parameter = "req.param"
  }

  /// The object of an entry that a custom member belongs to.
  enum Owner: Hashable, Sendable {
    case entry
    case request
    case response
    case content
  }

  let source: Source

  var kind: Kind {
    switch source {
    // A header line may hold a number.
    case .named, .custom: .any
    case .known(let field): field.kind
    case .serverTime: .number(.duration)
    case .member(_, let kind): kind
    }
  }

  /// Whether it is a version of HTTP.
  var isVersion: Bool { source == .known(.version) || source == .known(.requestVersion) }

  /// The spelling of a method that was probably meant: methods are case-sensitive (RFC 9110 9.1), and people are not.
  func usualSpelling(of text: String) -> String? {
    let upper = text.uppercased()
    guard source == .known(.method), text != upper, Self.methods.contains(upper) else { return nil }
    return upper
  }

  private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]

  /// Whether its texts are in lower case, whatever case the log uses.
  var isLowercase: Bool {
    switch source {
    case .known(let field): field == .host || field == .scheme || field == .origin || field == .mime || field == .requestMime
    case .named, .custom, .member, .serverTime: false
    }
  }
}

extension QueryField {
  /// Short names for members that tapeline adds to HAR.
  static let abbreviations: [(name: String, path: [String])] = [
    ("tls", [HARMember.tls.name]), ("client.tls", [HARMember.clientTLS.name]),
    ("tcp", [HARMember.tcp.name, "server"]), ("client.tcp", [HARMember.tcp.name, "client"]),
    ("overhead", [HARMember.overhead.name]), ("tunnel", [HARMember.tunnel.name]), ("http2", [HARMember.http2.name]),
    ("grpc", [HARMember.grpc.name]), ("reset", [HARMember.http2.name, "reset"]), ("clock", [HARMember.clock.name]),
  ]

  private static let owners: [(prefix: String, owner: Owner)] = [
    ("req._", .request), ("resp._", .response), ("content._", .content), ("_", .entry),
    ("request._", .request), ("response._", .response), ("response.content._", .content),
  ]

  private static let metricPrefix = "server."

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
    if name.hasPrefix(Self.metricPrefix), name.count > Self.metricPrefix.count {
      source = .serverTime(String(name.dropFirst(Self.metricPrefix.count)))
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

/// Fields with the names that the user gave: `total,host,req.header["x"]`.
enum QueryFieldList {
  /// - Parameter additional: words that are not fields.
  static func parse(
    _ text: String, additional: Set<String> = []
  ) throws(QueryError) -> [(name: String, field: QueryField?)] {
    let characters = Array(text)
    var parser = try QueryParser(text)
    var fields: [(name: String, field: QueryField?)] = []
    repeat {
      if case .word(let word) = parser.token, additional.contains(word) {
        try parser.advance()
        fields.append((word, nil))
        continue
      }
      let start = parser.offset
      let field = try parser.field()
      let name = characters[start..<parser.offset]
      fields.append((String(name[...(name.lastIndex { !$0.isWhitespace } ?? start)]), field))
    } while try parser.take(.comma)
    guard parser.token == .end else { throw parser.failure("expected a comma", "write the fields as a,b,c") }
    return fields
  }
}
