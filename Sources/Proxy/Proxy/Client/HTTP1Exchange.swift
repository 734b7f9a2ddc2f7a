internal import TapelineHTTP

/// One exchange on a client's HTTP/1 connection, as a value: how its response is framed, and whether the connection may carry
/// another exchange after it (RFC 9112 6 and 9.3).
struct HTTP1Exchange {
  private enum Response {
    /// The client was told nothing yet.
    case untold
    case content(BodyFraming)
    /// We have all of it, or it has switched protocols.
    case ended(BodyFraming)
    /// We have answered ourselves.
    case answered
    case brokenOff
  }

  /// How a piece of the content goes to the client.
  enum Passage {
    case none
    case plain
    case chunk
  }

  /// A way to keep the client from taking a cut response for the whole.
  enum Interruption {
    /// A reset: the end of the connection would end the content (RFC 9112 6.3).
    case reset
    /// The end of the connection, before everything promised has come.
    case end
  }

  private(set) var requestEnded = false
  private var response = Response.untold
  private var persists: Bool
  private var isLast: Bool

  /// - Parameters:
  ///   - persists: whether the connection may carry another exchange, if the client wants one.
  ///   - isLast: whether the client has said that it sends no other request (RFC 9112 9.6).
  init(persists: Bool = true, isLast: Bool = false) {
    self.persists = persists && !isLast
    self.isLast = isLast
  }

  // MARK: The request

  mutating func endRequest() {
    requestEnded = true
  }

  /// The client broke the protocol: nothing that comes after this is a request.
  mutating func requestDidFail() {
    persists = false
    isLast = false
  }

  /// Whether all has come that the client says it sends.
  var hasWholeLastRequest: Bool { isLast && requestEnded }

  // MARK: The response

  /// The final head goes out. Answers whether it says that the connection persists: after an early answer the rest of the request
  /// is still read, and relayed.
  ///
  /// - Parameter mayPersist: whether the connection still leads somewhere afterwards.
  mutating func begin(_ framing: BodyFraming, mayPersist: Bool) -> Bool {
    response = .content(framing)
    persists = persists && mayPersist && framing != .untilClose
    return persists
  }

  /// We have ended our direction of the connection, as the origin has ended its own.
  mutating func endOutput() {
    persists = false
  }

  var passage: Passage {
    switch response {
    case .content(.chunked): .chunk
    case .content(.length), .content(.untilClose): .plain
    case .content(.none), .untold, .ended, .answered, .brokenOff: .none
    }
  }

  /// The response is complete. Answers whether a last chunk says so.
  mutating func end() -> Bool {
    guard case .content(let framing) = response else { return false }
    response = .ended(framing)
    return framing == .chunked
  }

  /// We answer ourselves. Answers whether the reply says that the connection persists.
  mutating func answer() -> Bool {
    response = .answered
    persists = persists && requestEnded
    return persists
  }

  /// The 101 goes out. From here on the connection carries no messages.
  mutating func upgrade() {
    response = .ended(.none)
    persists = false
  }

  /// The client gets no more of the response, although bytes of it may still wait.
  mutating func breakOff() -> Interruption {
    defer { response = .brokenOff }
    persists = false
    return switch response {
    case .content(.untilClose), .ended(.untilClose): .reset
    case .content(.none), .content(.length), .content(.chunked), .ended, .untold, .answered, .brokenOff: .end
    }
  }

  /// Whether another exchange may follow this one, which is over.
  ///
  /// - Parameter leadsOn: whether the connection still leads somewhere after an exchange with an origin.
  func mayBeFollowed(leadsOn: Bool) -> Bool {
    let isOurs = if case .answered = response { true } else { false }
    return persists && requestEnded && (isOurs || leadsOn)
  }
}

// MARK: - Messages of our own

extension HeadSerializer {
  /// A 100 (RFC 9110 15.2.1).
  static func appendContinue(into output: inout [UInt8]) {
    appendStatusLine(status: 100, into: &output)
    appendEnd(into: &output)
  }

  /// The answer to a CONNECT whose tunnel is open (RFC 9110 9.3.6).
  static func appendTunnelEstablished(into output: inout [UInt8]) {
    appendStatusLine(status: HTTPStatus.tunnelEstablished, reason: HTTPStatus.tunnelReasonPhrase, into: &output)
    appendEnd(into: &output)
  }

  /// - Parameters:
  ///   - version: of the request.
  ///   - persists: whether the connection goes on after the reply.
  ///   - hasBody: `false` for HEAD.
  ///   - date: as IMF-fixdate.
  ///   - isEndless: whether the end of the connection ends the body.
  static func append(
    _ reply: LocalReply, to version: HTTPVersion, persists: Bool, hasBody: Bool, date: String, isEndless: Bool = false,
    into output: inout [UInt8]
  ) {
    appendStatusLine(status: reply.status, into: &output)
    output.append(contentsOf: "Date: \(date)\r\n".utf8)
    for (name, value) in reply.headFields where !isEndless || name != "Content-Length" {
      output.append(contentsOf: "\(name): \(value)\r\n".utf8)
    }
    if !persists {
      output.append(contentsOf: "Connection: close\r\n".utf8)
    } else if version < .http11 {
      output.append(contentsOf: "Connection: keep-alive\r\n".utf8)
    }
    appendEnd(into: &output)
    if hasBody { output.append(contentsOf: reply.body) }
  }
}
