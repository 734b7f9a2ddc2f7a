import Testing

@testable import TapelineHTTP

/// What one side of a connection made of some bytes, in a form that does not depend on the pieces in which they came.
struct Conversation: Equatable, CustomStringConvertible {
  var entries: [Entry] = []

  enum Entry: Equatable {
    case request(method: String, target: String, fields: HeaderFields, framing: BodyFraming)
    case informational(Int, fields: HeaderFields)
    case response(Int, reason: String, fields: HeaderFields, anomalies: HeadAnomalies, framing: BodyFraming)
    /// All content of one message that came in one run.
    case body([UInt8])
    case trailers(HeaderFields)
    case end
    /// The connection became opaque; what was left for the next protocol.
    case opaque(rest: [UInt8])
    case error(HTTPParseError.Kind, status: Int)
    /// The peer closed with nothing owed.
    case closed
  }

  var error: HTTPParseError.Kind? {
    for case .error(let kind, _) in entries { return kind }
    return nil
  }

  /// The content of all messages.
  var body: [UInt8] {
    entries.flatMap { entry in
      if case .body(let bytes) = entry { bytes } else { [UInt8]() }
    }
  }

  var description: String {
    entries.map { "\($0)" }.joined(separator: "\n")
  }

  /// Feeds `pieces`, then closes. In the client role the responses answer `methods`, one after the other.
  static func reading(
    _ pieces: [[UInt8]], as role: HTTP1Connection.Role, to methods: [HTTPMethod] = [.get], limits: HTTPLimits = .standard,
    closes: Bool = true
  ) -> Conversation {
    var conversation = Conversation()
    var connection = HTTP1Connection(role: role, limits: limits)
    var methods = methods[...]
    if role == .client, let method = methods.popFirst() { connection.expectResponse(to: method) }
    do {
      for piece in pieces {
        var offset = 0
        while let event = try connection.receive(piece.span, from: &offset) {
          conversation.record(event, of: piece, framing: connection.framing)
          if case .end = event, role == .client, connection.isIdle, let method = methods.popFirst() {
            connection.expectResponse(to: method)
          }
        }
        if connection.isOpaque { conversation.recordOpaque(Array(piece[offset...])) }
      }
      guard closes else { return conversation }
      if let event = try connection.receiveEnd() {
        conversation.record(event, of: [], framing: connection.framing)
      } else {
        conversation.entries.append(.closed)
      }
    } catch {
      conversation.entries.append(.error(error.kind, status: error.status))
    }
    return conversation
  }

  private mutating func record(_ event: HTTPEvent, of piece: [UInt8], framing: BodyFraming) {
    switch event {
    case .requestHead(let head):
      entries.append(
        .request(method: head.method.rawValue, target: head.targetText, fields: head.fields, framing: framing))
    case .informational(let head):
      entries.append(.informational(head.status, fields: head.fields))
    case .responseHead(let head):
      entries.append(
        .response(head.status, reason: head.reason, fields: head.fields, anomalies: head.anomalies, framing: framing))
    case .body(let range):
      if case .body(let before) = entries.last {
        entries[entries.count - 1] = .body(before + piece[range])
      } else {
        entries.append(.body(Array(piece[range])))
      }
    case .trailers(let fields):
      entries.append(.trailers(fields))
    case .end:
      entries.append(.end)
    }
  }

  private mutating func recordOpaque(_ rest: [UInt8]) {
    if case .opaque(let before) = entries.last {
      entries[entries.count - 1] = .opaque(rest: before + rest)
    } else {
      entries.append(.opaque(rest: rest))
    }
  }
}

/// Reads `text` whole, at every split into two, and byte by byte; all must agree, and the common result is returned.
func read(
  _ text: String, as role: HTTP1Connection.Role, to methods: [HTTPMethod] = [.get], limits: HTTPLimits = .standard,
  sourceLocation: SourceLocation = #_sourceLocation
) -> Conversation {
  read(Array(text.utf8), as: role, to: methods, limits: limits, sourceLocation: sourceLocation)
}

func read(
  _ bytes: [UInt8], as role: HTTP1Connection.Role, to methods: [HTTPMethod] = [.get], limits: HTTPLimits = .standard,
  sourceLocation: SourceLocation = #_sourceLocation
) -> Conversation {
  let whole = Conversation.reading([bytes], as: role, to: methods, limits: limits)
  for split in bytes.indices {
    let halves = Conversation.reading(
      [Array(bytes[..<split]), Array(bytes[split...])], as: role, to: methods, limits: limits)
    #expect(halves == whole, "split at \(split)", sourceLocation: sourceLocation)
  }
  let drip = Conversation.reading(bytes.map { [$0] }, as: role, to: methods, limits: limits)
  #expect(drip == whole, "byte by byte", sourceLocation: sourceLocation)
  return whole
}

/// One request head, or the error it meets.
func requestHead(_ text: String) throws(HTTPParseError) -> RequestHead {
  try requestHead(Array(text.utf8))
}

func requestHead(_ bytes: [UInt8]) throws(HTTPParseError) -> RequestHead {
  var connection = HTTP1Connection(role: .server)
  var offset = 0
  guard case .requestHead(let head) = try connection.receive(bytes.span, from: &offset) else {
    throw HTTPParseError(.truncatedHead, in: .request)
  }
  return head
}

/// One response head, or the error it meets.
func responseHead(_ text: String, to method: HTTPMethod = .get) throws(HTTPParseError) -> ResponseHead {
  try responseHead(Array(text.utf8), to: method)
}

func responseHead(_ bytes: [UInt8], to method: HTTPMethod = .get) throws(HTTPParseError) -> ResponseHead {
  var connection = HTTP1Connection(role: .client)
  connection.expectResponse(to: method)
  var offset = 0
  switch try connection.receive(bytes.span, from: &offset) {
  case .responseHead(let head), .informational(let head): return head
  case .requestHead, .body, .trailers, .end, nil: throw HTTPParseError(.truncatedHead, in: .response)
  }
}

/// What the request of `text` is refused for.
func refusal(ofRequest text: String) -> HTTPParseError.Kind? {
  refusal(ofRequest: Array(text.utf8))
}

func refusal(ofRequest bytes: [UInt8]) -> HTTPParseError.Kind? {
  do {
    _ = try requestHead(bytes)
    return nil
  } catch {
    return error.kind
  }
}

/// What the response of `text` is refused for.
func refusal(ofResponse text: String, to method: HTTPMethod = .get) -> HTTPParseError.Kind? {
  refusal(ofResponse: Array(text.utf8), to: method)
}

func refusal(ofResponse bytes: [UInt8], to method: HTTPMethod = .get) -> HTTPParseError.Kind? {
  do {
    _ = try responseHead(bytes, to: method)
    return nil
  } catch {
    return error.kind
  }
}
