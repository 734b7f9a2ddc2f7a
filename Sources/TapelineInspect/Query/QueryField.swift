/// What a query can ask of an exchange.
struct QueryField: Hashable, Sendable {
  enum Source: Hashable, Sendable {
    case known(Known)
    /// `req.header["x"]` and its like: the lines of that name, in any case.
    case named(Named, String)
    /// A member that HAR does not define, by its path: `_tcp`, `server`, `rtt`.
    case custom(Owner, [String])
  }

  /// What values a field holds, and so what it can be compared with.
  enum Kind: Hashable, Sendable {
    case text
    case number(QueryQuantity.Dimension)
    case flag
    /// Whatever the log holds there.
    case any
  }

  enum Known: String, CaseIterable, Hashable, Sendable {
    case number, method, url, scheme, host, port, path, status
    case statusText = "status.text"
    case version, mime, page, start, ip, connection, comment
    case total, blocked, dns, connect, ssl, send, wait, receive
    case requestSize = "req.size"
    case requestHeadSize = "req.head.size"
    case requestBody = "req.body"
    case requestMime = "req.mime"
    case responseSize = "resp.size"
    case responseHeadSize = "resp.head.size"
    case responseBody = "resp.body"
    case contentSize = "content.size"
    case redirect
    case error
    case errorOrigin = "error.origin"
    case errorPhase = "error.phase"
    case errorKind = "error.kind"
    case reused
  }

  enum Named: String, CaseIterable, Hashable, Sendable {
    case requestHeader = "req.header"
    case responseHeader = "resp.header"
    case requestCookie = "req.cookie"
    case responseCookie = "resp.cookie"
    case query
    case parameter = "req.param"
  }

  /// Which object of an entry a custom member belongs to.
  enum Owner: Hashable, Sendable {
    case entry
    case request
    case response
    case content
  }

  let source: Source

  var kind: Kind {
    switch source {
    case .named: .text
    case .custom: .any
    case .known(let field): field.kind
    }
  }
}

extension QueryField.Known {
  var kind: QueryField.Kind {
    switch self {
    case .method, .url, .scheme, .host, .path, .statusText, .version, .mime, .page, .start, .ip, .connection, .comment,
      .requestBody,
      .requestMime, .responseBody, .redirect, .error, .errorOrigin, .errorPhase, .errorKind:
      .text
    case .number, .port, .status: .number(.plain)
    case .total, .blocked, .dns, .connect, .ssl, .send, .wait, .receive: .number(.duration)
    case .requestSize, .requestHeadSize, .responseSize, .responseHeadSize, .contentSize: .number(.size)
    case .reused: .flag
    }
  }
}

extension QueryField {
  /// Short names for members that tapeline adds to HAR.
  private static let abbreviations: [(prefix: String, path: [String])] = [
    ("tls.", ["_tls"]), ("client.tls.", ["_clientTLS"]), ("tcp.", ["_tcp", "server"]), ("client.tcp.", ["_tcp", "client"]),
    ("overhead.", ["_overhead"]), ("tunnel.", ["_tunnel"]),
  ]

  private static let owners: [(prefix: String, owner: Owner)] = [
    ("req._", .request), ("resp._", .response), ("content._", .content), ("_", .entry),
  ]

  /// A field by its name alone; `nil` when there is none of that name.
  init?(name: String) {
    if let known = Known(rawValue: name) {
      source = .known(known)
      return
    }
    for (prefix, path) in Self.abbreviations where name.hasPrefix(prefix) && name.count > prefix.count {
      source = .custom(.entry, path + Self.path(name.dropFirst(prefix.count)))
      return
    }
    for (prefix, owner) in Self.owners where name.hasPrefix(prefix) && name.count > prefix.count {
      source = .custom(owner, Self.path(name.dropFirst(prefix.count - 1)))
      return
    }
    return nil
  }

  /// A field by its name and what stands in brackets behind it.
  init?(name: String, key: String) {
    guard let named = Named(rawValue: name) else { return nil }
    source = .named(named, key)
  }

  private static func path(_ text: Substring) -> [String] {
    text.split(separator: ".").map(String.init)
  }
}
