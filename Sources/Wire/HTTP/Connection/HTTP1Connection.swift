internal import TapelineBase

/// One direction of one HTTP/1.x connection: bytes in, events out. It does no I/O and has no clock.
///
/// A server reads requests with it, a client reads responses. It copies no content, holds at most one incomplete head or trailer
/// section, and yields no further message after an error or a last message.
package struct HTTP1Connection: ~Copyable, Sendable {
  package enum Role: Sendable {
    /// Reads requests.
    case server
    /// Reads responses, each announced by `expectResponse(to:)`.
    case client
  }

  package let role: Role
  private let limits: HTTPLimits
  /// The framing of the content of the current message, or of the last one.
  package private(set) var framing: BodyFraming = .none
  /// Whether the current message, or the last one, lets the connection be used again (RFC 9112 9.3).
  package private(set) var mayPersist = true

  /// Whether the refused request is a HEAD, as far as it could be read: its answer has no content (RFC 9110 9.3.2).
  package private(set) var refusedHead = false

  /// The bytes of a head that is incomplete, or was refused: then with all that came after it. Client role only.
  package var unreadHead: [UInt8] { refused.isEmpty ? buffer.gathered : refused }

  private var refused: [UInt8] = []
  private var machine = StateMachine()
  private var buffer: ReceiveBuffer
  private var chunks: ChunkedDecoder
  /// The request that the response will answer; client role only.
  private var expected: HTTPMethod?
  /// The reading that follows the end of the current message.
  private var sequel = StateMachine.Sequel.message
  private var preamble = Preamble.open
  /// Bytes of the 1xx responses to the request.
  private var informationalSize = 0
  /// How many bytes of the prefix of a status line have come; client role only.
  private var prefixCount = 0

  /// Bytes that may come before a request line.
  private enum Preamble {
    case open
    /// The CR of an empty line has come.
    case emptyLine
    /// An empty line has come: a second one may not.
    case closed
    /// The head has begun.
    case past
  }

  package init(role: Role, limits: HTTPLimits = .standard) {
    self.role = role
    self.limits = limits
    buffer = Self.makeBuffer(role)
    chunks = ChunkedDecoder(in: Self.part(role))
  }

  /// Whether the connection is between messages and may carry another message.
  package var isIdle: Bool {
    switch machine.reading {
    case .message(.nothing): true
    case .message(.head), .message(.bytes), .message(.chunks), .message(.close), .message(.end), .opaque, .closed: false
    }
  }

  /// Whether the following bytes are not messages: after CONNECT (server role), or after its 2xx or a 101 (client role).
  package var isOpaque: Bool {
    switch machine.reading {
    case .opaque: true
    case .message, .closed: false
    }
  }

  /// Announces the request that the next response answers. Bytes without an announced request are an error.
  package mutating func expectResponse(to method: HTTPMethod) {
    precondition(role == .client, "only a client expects responses")
    precondition(isIdle && expected == nil, "one response is expected at a time")
    expected = method
    informationalSize = 0
  }

  /// The next event of `input`, or `nil` when all of it is used up. Moves `offset` past the bytes of the event.
  ///
  /// After `.end`, the caller decides whether to continue: only another call touches the bytes of the next message. An opaque
  /// connection takes nothing; a closed connection takes everything and yields no event.
  package mutating func receive(_ input: Span<UInt8>, from offset: inout Int) throws(HTTPParseError) -> HTTPEvent? {
    do throws(HTTPParseError) {
      switch machine.reading {
      case .message(.nothing), .message(.head):
        return try receiveHead(input, from: &offset)
      case .message(.bytes(let owed)):
        return receiveContent(input, from: &offset, atMost: owed)
      case .message(.close):
        return receiveContent(input, from: &offset)
      case .message(.chunks):
        return try receiveChunks(input, from: &offset)
      case .message(.end):
        return end()
      case .opaque:
        return nil
      case .closed:
        offset = input.count
        return nil
      }
    } catch {
      mayPersist = false
      machine.closed()
      throw error
    }
  }

  /// How many bytes of content with a length are still to come; `nil` where there is no such content.
  package var contentLeft: UInt64? {
    switch machine.reading {
    case .message(.bytes(let owed)): owed
    case .message(.nothing), .message(.head), .message(.chunks), .message(.close), .message(.end), .opaque, .closed: nil
    }
  }

  /// Content with a length came that nobody reads: not the last of it.
  package mutating func skipContent(_ count: Int) {
    machine.contentReceived(count)
  }

  /// The peer sends no more. Completes content that the end of the connection ends, and refuses an incomplete message.
  package mutating func receiveEnd() throws(HTTPParseError) -> HTTPEvent? {
    let reading = machine.reading
    mayPersist = false
    sequel = .close
    switch reading {
    case .message(.close), .message(.end):
      return end()
    case .message(.nothing), .opaque, .closed:
      machine.closed()
      return nil
    case .message(.head):
      machine.closed()
      throw error(.truncatedHead)
    case .message(.bytes), .message(.chunks):
      machine.closed()
      throw error(.truncatedBody)
    }
  }
}

extension HTTP1Connection {
  private mutating func receiveHead(_ input: Span<UInt8>, from offset: inout Int) throws(HTTPParseError) -> HTTPEvent? {
    guard offset < input.count else { return nil }
    if role == .server {
      guard try skipPreamble(input, from: &offset) else { return nil }
    } else if expected == nil {
      throw error(.unsolicitedBytes)
    }
    let start = offset
    do throws(HTTPParseError) {
      if role == .client { try checkPrefix(input, from: offset) }
      machine.headStarted()
      guard let section = try buffer.receive(input, from: &offset, limits) else { return nil }
      let event =
        switch role {
        case .server: try requestReceived(section)
        case .client: try responseReceived(section)
        }
      buffer = Self.makeBuffer(role)
      preamble = .open
      prefixCount = 0
      return event
    } catch {
      switch role {
      case .server: refusedHead = buffer.begins(with: "HEAD ", more: input.extracting(droppingFirst: start))
      case .client: keepRefused(input, from: start, taken: offset)
      }
      throw error
    }
  }

  /// A reader with other rules may want what was refused.
  ///
  /// - Parameters:
  ///   - start: where the part of the head begins that came last.
  ///   - taken: where the part ends that the buffer has taken, if it had an earlier part.
  private mutating func keepRefused(_ input: Span<UInt8>, from start: Int, taken: Int) {
    refused = buffer.gathered
    refused.append(bytes: input.extracting(droppingFirst: refused.isEmpty ? start : taken))
  }

  private mutating func requestReceived(_ section: ReceiveBuffer.Section) throws(HTTPParseError) -> HTTPEvent {
    let head = try HeadParser.request(
      section.readable(by: limits.tolerance), lineCount: section.lineCount, tolerating: limits.tolerance)
    let framing = try BodyFraming.ofRequest(head, tolerating: limits.tolerance)
    let persists =
      !BodyFraming.isDoubtful(head.fields, version: head.version)
      && Persistence.isAllowed(by: head.fields, version: head.version)
    begin(framing, persists: persists, sequel: head.method == .connect ? .opaque : persists ? .message : .close)
    return .requestHead(head)
  }

  private mutating func responseReceived(_ section: ReceiveBuffer.Section) throws(HTTPParseError) -> HTTPEvent {
    guard let method = expected else { preconditionFailure("a response is read only when one is expected") }
    let head = try HeadParser.response(
      section.readable(by: limits.tolerance), lineCount: section.lineCount, tolerating: limits.tolerance)
    if HTTPStatus.isInformational(head.status), head.status != 101 {
      informationalSize += head.size + HTTPLimits.informationalOverhead
      if informationalSize > limits.informationalResponses { throw error(.tooManyInformationalResponses) }
      machine.informationalReceived()
      return .informational(head)
    }
    let framing = try BodyFraming.ofResponse(head, to: method, tolerating: limits.tolerance)
    // Content may still come where none is allowed; it must not be taken for another response.
    let contradictsItself = HTTPStatus.forbidsFramingFields(head.status, to: method) && BodyFraming.isAnnounced(by: head.fields)
    let opensTunnel = head.status == 101 || (method == .connect && HTTPStatus.isSuccessful(head.status))
    let persists =
      framing != .untilClose && !contradictsItself && !BodyFraming.isDoubtful(head.fields, version: head.version)
      && Persistence.isAllowed(by: head.fields, version: head.version)
    expected = nil
    begin(framing, persists: persists, sequel: opensTunnel ? .opaque : persists ? .message : .close)
    return .responseHead(head)
  }

  private mutating func begin(_ framing: BodyFraming, persists: Bool, sequel: StateMachine.Sequel) {
    self.framing = framing
    self.sequel = sequel
    mayPersist = persists
    if framing == .chunked { chunks = ChunkedDecoder(in: Self.part(role)) }
    machine.headReceived(framing)
  }

  /// Skips the one empty line that may come before a request (RFC 9112 2.2), and refuses at once a byte that begins no method.
  /// Returns whether a byte of a head is next.
  private mutating func skipPreamble(_ input: Span<UInt8>, from offset: inout Int) throws(HTTPParseError) -> Bool {
    while offset < input.count {
      switch (preamble, input[offset]) {
      case (.past, _):
        return true
      case (.open, Byte.carriageReturn):
        preamble = .emptyLine
      case (.emptyLine, Byte.lineFeed):
        preamble = .closed
      case (.emptyLine, _):
        throw error(.bareCarriageReturn)
      case (.open, let byte), (.closed, let byte):
        guard ByteSet.token.contains(byte) else { throw error(.invalidRequestLine) }
        preamble = .past
      }
      if preamble != .past { offset += 1 }
    }
    return false
  }

  /// Refuses at once what begins no status line: another protocol might never send the end of a head, or any more bytes.
  private mutating func checkPrefix(_ input: Span<UInt8>, from offset: Int) throws(HTTPParseError) {
    let prefix = "HTTP/".utf8.span
    var index = offset
    while prefixCount < prefix.count, index < input.count {
      guard input[index] == prefix[prefixCount] else { throw error(.invalidVersion) }
      prefixCount += 1
      index += 1
    }
  }

  private mutating func receiveContent(
    _ input: Span<UInt8>, from offset: inout Int, atMost owed: UInt64? = nil
  ) -> HTTPEvent? {
    let available = input.count - offset
    guard available > 0 else { return nil }
    let count = owed.map { Int(min($0, UInt64(available))) } ?? available
    let content = offset..<offset + count
    offset += count
    if owed != nil { machine.contentReceived(count) }
    return .body(content)
  }

  private mutating func receiveChunks(_ input: Span<UInt8>, from offset: inout Int) throws(HTTPParseError) -> HTTPEvent? {
    switch try chunks.next(input, from: &offset, limits: limits) {
    case .content(let range): .body(range)
    case .trailers(let fields): .trailers(fields)
    case .end: end()
    case nil: nil
    }
  }

  private mutating func end() -> HTTPEvent {
    machine.messageEnded(then: sequel)
    return .end
  }

  private func error(_ kind: HTTPParseError.Kind) -> HTTPParseError {
    HTTPParseError(kind, in: Self.part(role))
  }

  private static func part(_ role: Role) -> HTTPParseError.Part {
    switch role {
    case .server: .request
    case .client: .response
    }
  }

  private static func makeBuffer(_ role: Role) -> ReceiveBuffer {
    switch role {
    case .server: ReceiveBuffer(.request)
    case .client: ReceiveBuffer(.response)
    }
  }
}

/// An event on one connection. Events come in order: a message is a head, content, perhaps trailers, and `end`.
package enum HTTPEvent: Sendable {
  case requestHead(RequestHead)
  /// A 1xx response other than 101: the final response follows.
  case informational(ResponseHead)
  case responseHead(ResponseHead)
  /// Content, as a range of the received input, without its framing: nothing is copied.
  case body(Range<Int>)
  /// The trailer fields of chunked content, if there are any.
  case trailers(HeaderFields)
  /// The message is complete.
  case end
}

/// Whether a connection may carry another message after one with these fields (RFC 9112 9.3).
package enum Persistence {
  /// `close` ends the connection; otherwise HTTP/1.1 persists, and HTTP/1.0 does so on request.
  package static func isAllowed(by fields: HeaderFields, version: HTTPVersion) -> Bool {
    if fields.listContains(token: "close", in: .connection) { return false }
    return version >= .http11 || fields.listContains(token: "keep-alive", in: .connection)
  }
}
