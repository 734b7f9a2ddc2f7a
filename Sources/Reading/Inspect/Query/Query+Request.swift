package import TapelineHAR

extension Query {
  /// A condition that can be judged when no more is known than a request's head.
  package init(aboutRequest text: String) throws(QueryError) {
    try self.init(text)
    var lexer = QueryLexer(text)
    while true {
      let (token, offset) = try lexer.next()
      switch token {
      case .end: return
      case .word(let name):
        guard let field = QueryField(name: name) ?? QueryField(name: name, key: ""), !field.isKnownWithRequest else { continue }
        throw QueryError(
          "\(name) is not known when the request comes",
          remedy: "a rule asks for \(Self.fieldsOfRequests)", at: offset)
      case .text, .quantity, .comparison, .leftParenthesis, .rightParenthesis, .leftBracket, .rightBracket, .comma, .percent,
        .questionMark:
        continue
      }
    }
  }

  private static let fieldsOfRequests =
    (QueryField.Known.allCases.filter(\.isKnownWithRequest).map(\.rawValue)
    + QueryField.Named.allCases.filter(\.isKnownWithRequest).map { "\($0.rawValue)[\"…\"]" }).joined(separator: ", ")

  /// How many of the conditions that it joins by `and` hold: of two requests that it does not match, the one with more is nearer.
  package func countOfHolding(in request: HAREntry) -> Int { expression.countOfHolding(in: request) }
}

extension QueryExpression {
  fileprivate func countOfHolding(in entry: HAREntry) -> Int {
    switch self {
    case .both(let left, let right): left.countOfHolding(in: entry) + right.countOfHolding(in: entry)
    case .either, .not, .holds, .compares: matches(entry, number: 0) ? 1 : 0
    }
  }
}

extension QueryField {
  fileprivate var isKnownWithRequest: Bool {
    switch source {
    case .known(let field): field.isKnownWithRequest
    case .named(let list, _): list.isKnownWithRequest
    case .custom, .serverTime, .member: false
    }
  }
}

extension QueryField.Named {
  fileprivate var isKnownWithRequest: Bool {
    switch self {
    case .requestHeader, .requestCookie, .query: true
    case .responseHeader, .responseCookie, .parameter: false
    }
  }
}

extension QueryField.Known {
  fileprivate var isKnownWithRequest: Bool {
    switch self {
    case .method, .url, .scheme, .host, .port, .origin, .path, .start, .requestHeadSize, .requestVersion, .trace: true
    case .number, .status, .statusText, .version, .mime, .type, .page, .pageID, .ip, .connection, .comment, .time, .total,
      .client,
      .proxy, .blocked, .blockedInAll, .dns, .connect, .ssl, .send, .wait, .receive, .requestSize, .requestBody, .requestMime,
      .responseSize, .responseHeadSize, .responseBody, .contentSize, .redirect, .error, .errorMessage, .errorOrigin, .errorPhase,
      .errorKind, .ended, .changed, .injected, .stream, .reset, .grpc, .grpcMessages, .events, .eventFirst, .eventGap,
      .eventGap50, .eventGap99, .eventGapMax, .eventStalls, .eventRate, .operation, .model, .modelInput, .modelCached,
      .modelOutput, .modelReasoning, .modelFirst, .modelRate, .modelStalls, .modelStop, .modelTools, .reused, .server, .file,
      .directory:
      false
    }
  }
}
