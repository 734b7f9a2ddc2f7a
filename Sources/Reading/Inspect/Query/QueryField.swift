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

  enum Known: String, CaseIterable, Hashable, Sendable {
    case number, method, url, scheme, host, port, origin, path, status
    case statusText = "status.text"
    case version, mime, type, page
    case pageID = "pageref"
    case start, ip, connection, comment
    case time, total, client, proxy, blocked, dns, connect, ssl, send, wait, receive
    case requestSize = "req.size"
    case requestHeadSize = "req.head.size"
    case requestBody = "req.body"
    case requestMime = "req.mime"
    case requestVersion = "req.version"
    case responseSize = "resp.size"
    case responseHeadSize = "resp.head.size"
    case responseBody = "resp.body"
    case contentSize = "content.size"
    case redirect
    case error
    case errorMessage = "error.message"
    case errorOrigin = "error.origin"
    case errorPhase = "error.phase"
    case errorKind = "error.kind"
    case ended, changed
    /// Of HTTP/2.
    case stream, reset
    case grpc
    case grpcMessages = "grpc.messages"
    /// HAR's `blocked`, which includes the parts of client and proxy.
    case blockedInAll = "timings.blocked"
    case reused
    /// The server's own time, by `Server-Timing`.
    case server
    /// The id of the distributed trace, by `traceparent`.
    case trace
    /// The capture, as it was named, and the directory that it is in.
    case file, directory
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

extension QueryField.Known {
  var kind: QueryField.Kind {
    switch self {
    case .method, .url, .scheme, .host, .origin, .path, .statusText, .mime, .type, .page, .pageID, .ip, .connection, .comment,
      .requestBody,
      .requestMime, .responseBody, .reset, .grpc, .redirect, .error, .errorMessage, .errorOrigin, .errorPhase,
      .errorKind, .ended, .trace, .file, .directory:
      .text
    // A text or a number: `HTTP/2`, 2.
    case .version, .requestVersion: .any
    case .start: .date
    case .number, .port, .status, .stream, .grpcMessages: .number(.plain)
    case .time, .total, .client, .proxy, .blocked, .blockedInAll, .dns, .connect, .ssl, .send, .wait, .receive, .server:
      .number(.duration)
    case .requestSize, .requestHeadSize, .responseSize, .responseHeadSize, .contentSize: .number(.size)
    case .reused, .changed: .flag
    }
  }
}

extension QueryField {
  /// Short names for members that tapeline adds to HAR.
  private static let abbreviations: [(name: String, path: [String])] = [
    ("tls", ["_tls"]), ("client.tls", ["_clientTLS"]), ("tcp", ["_tcp", "server"]), ("client.tcp", ["_tcp", "client"]),
    ("overhead", ["_overhead"]), ("tunnel", ["_tunnel"]), ("http2", ["_http2"]), ("grpc", ["_grpc"]),
    ("reset", ["_http2", "reset"]), ("clock", ["_clock"]),
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
