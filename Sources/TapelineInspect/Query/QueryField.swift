/// A field of an exchange that a query can ask for.
struct QueryField: Hashable, Sendable {
  enum Source: Hashable, Sendable {
    case known(Known)
    /// `req.header["x"]` and similar: the lines of that name, in any case.
    case named(Named, String)
    /// A member that HAR does not define, by its path: `_tcp`, `server`, `rtt`.
    case custom(Owner, [String])
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
    case number, method, url, scheme, host, port, path, status
    case statusText = "status.text"
    case version, mime, page
    case pageID = "pageref"
    case start, ip, connection, comment
    case time, total, client, blocked, dns, connect, ssl, send, wait, receive
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
    case errorOrigin = "error.origin"
    case errorPhase = "error.phase"
    case errorKind = "error.kind"
    case ended, changed
    /// HAR's `blocked`, which includes the client's part.
    case blockedInAll = "timings.blocked"
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
    case .member(_, let kind): kind
    }
  }

  /// Whether its texts are in lower case, whatever case the log uses.
  var isLowercase: Bool {
    switch source {
    case .known(let field): field == .host || field == .scheme || field == .mime || field == .requestMime
    case .named, .custom, .member: false
    }
  }
}

extension QueryField.Known {
  var kind: QueryField.Kind {
    switch self {
    case .method, .url, .scheme, .host, .path, .statusText, .version, .mime, .page, .pageID, .ip, .connection, .comment,
      .requestBody,
      .requestMime, .requestVersion, .responseBody, .redirect, .error, .errorOrigin, .errorPhase, .errorKind,
      .ended:
      .text
    case .start: .date
    case .number, .port, .status: .number(.plain)
    case .time, .total, .client, .blocked, .blockedInAll, .dns, .connect, .ssl, .send, .wait, .receive: .number(.duration)
    case .requestSize, .requestHeadSize, .responseSize, .responseHeadSize, .contentSize: .number(.size)
    case .reused, .changed: .flag
    }
  }
}
