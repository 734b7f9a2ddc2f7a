/// What is counted of an ordinary entry: one that was answered or failed, and says of its sizes and times nothing but numbers.
///
/// Nearly every entry is like this, and most of the time to read it would go into the dozens of members of a `HAREntry`. An entry
/// that is not ordinary may be right, too: then its reader reads it as a `HAREntry`, and finds what is wrong with it.
package struct EntryFigures: Sendable {
  package struct Request: Sendable {
    package fileprivate(set) var method = ""
    package fileprivate(set) var url = ""
    package fileprivate(set) var bodySize = -1
  }

  package struct Response: Sendable {
    package fileprivate(set) var status = 0
    package fileprivate(set) var statusText = ""
    package fileprivate(set) var bodySize = -1
  }

  /// What the proxy added to either message, in milliseconds; `nil` in other programs' logs.
  package struct Overhead: Sendable {
    package fileprivate(set) var request: Double?
    package fileprivate(set) var response: Double?
  }

  /// −1 if the log has none.
  package private(set) var time = -1.0
  package private(set) var request = Request()
  package private(set) var response = Response()
  package private(set) var timings = HARTimings()
  package private(set) var blockedShares = BlockedShares()
  package private(set) var overhead = Overhead()
  /// Our recorder's `_error`.
  package private(set) var error: HARValue?
}

/// An object of which a few members are kept. What `HAREntry` keeps and nobody counts is an error, as is what it refuses.
private protocol FigureRecord {
  /// As if each member were missing.
  init()
  /// Takes the value of member `name` if it is known.
  mutating func keep(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool
}

extension JSONParser {
  /// Takes an entry.
  ///
  /// - Throws: when it is not ordinary.
  mutating func readFigures() throws(HARReadError) -> EntryFigures {
    var figures = EntryFigures()
    try keep(&figures)
    guard figures.response.status > 0 || figures.error ?? .null != .null else { throw notOrdinary }
    return figures
  }

  fileprivate var notOrdinary: HARReadError { failure(.expected("an ordinary entry")) }

  fileprivate mutating func keep<Record: FigureRecord>(_ record: inout Record) throws(HARReadError) {
    // The last of several objects with the same name counts.
    var new = Record()
    try readObject { (parser, name) throws(HARReadError) in
      if try new.keep(name, from: &parser) { return }
      guard !name.isRead(in: parser.parts) else { throw parser.notOrdinary }
      try parser.skipValue()
    }
    record = new
  }

  fileprivate mutating func keep(_ figure: inout Int) throws(HARReadError) {
    guard let integer = try readInteger(), HARNumber.counts.contains(integer) else { throw notOrdinary }
    figure = integer
  }

  fileprivate mutating func keep(_ figure: inout Double?) throws(HARReadError) {
    figure = try readDouble()
  }

  /// Takes a number that is a `Double`: as a member of a `HAREntry`, any other would be infinite.
  fileprivate mutating func readFiniteDouble() throws(HARReadError) -> Double {
    let number = try readDouble()
    guard number.magnitude < .greatestFiniteMagnitude else { throw notOrdinary }
    return number
  }

  fileprivate mutating func keep(_ text: inout String) throws(HARReadError) {
    guard try peek() == UInt8(ascii: "\"") else { throw notOrdinary }
    text = try readString()
  }

  /// Takes a value that is not kept, and checks it if it is a text: a `HAREntry` would have made a `String` of it.
  fileprivate mutating func pass() throws(HARReadError) {
    if try peek() == UInt8(ascii: "\"") { _ = try checkString() } else { try skipValue() }
  }
}

extension JSONParser {
  /// Skips a value that is not ordinary if it has one of the hints.
  fileprivate mutating func pass(unlessItHas hints: [TextHint]) throws(HARReadError) {
    _ = try peek()
    let start = position
    try skipValue()
    if has(hints, in: start..<position) { throw notOrdinary }
  }

  /// The same of a text that must be JSON to be looked at.
  fileprivate mutating func passBody(unlessItHas hints: [TextHint]) throws(HARReadError) {
    let isText = try peek() == UInt8(ascii: "\"")
    let start = position
    try skipValue()
    if isText, mayTell(start + 1..<position - 1, hints) { throw notOrdinary }
  }
}

extension EntryFigures: FigureRecord {
  fileprivate mutating func keep(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "time": time = try parser.readDouble()
    case "request": try parser.keep(&request)
    case "response": try parser.keep(&response)
    case "timings": try parser.keep(&timings)
    case "_blocked":
      guard let shares = try parser.readBlockedShares() else { return false }
      blockedShares = shares
    case "_overhead": try parser.keep(&overhead)
    case "pageref", "startedDateTime", "serverIPAddress", "connection", "comment": try parser.pass()
    case "_connectionId": try parser.checkValue()
    case "cache":
      var cache = EmptyCache()
      try parser.keep(&cache)
    case "_error": error = try parser.readValue()
    // Beside a failure it says what the client was told; alone, that no server was asked.
    case "_localStatus" where error ?? .null != .null: try parser.checkValue()
    default: return false
    }
    return true
  }
}

extension EntryFigures.Request: FigureRecord {
  fileprivate mutating func keep(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "method": try parser.keep(&method)
    case "url": try parser.keep(&url)
    case "bodySize": try parser.keep(&bodySize)
    case "httpVersion", "headersSize", "comment": try parser.pass()
    case "postData":
      var body = UncountedRequestBody()
      try parser.keep(&body)
    case "_pseudo":
      // In a CONNECT they are read, for they tell a WebSocket from a tunnel.
      guard method != "CONNECT" else { throw parser.notOrdinary }
      return false
    default: return false
    }
    return true
  }
}

extension EntryFigures.Response: FigureRecord {
  fileprivate mutating func keep(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "status": try parser.keep(&status)
    case "statusText": try parser.keep(&statusText)
    case "bodySize": try parser.keep(&bodySize)
    case "httpVersion", "headersSize", "redirectURL", "comment": try parser.pass()
    case "content":
      var body = UncountedResponseBody()
      try parser.keep(&body)
    case "headers": try parser.pass(unlessItHas: HARResponse.callHints)
    // Chrome writes null where nothing failed.
    case "_error": try parser.expectWord("null")
    default: return false
    }
    return true
  }
}

extension HARTimings: FigureRecord {
  fileprivate mutating func keep(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "blocked": try parser.keep(&blocked)
    case "dns": try parser.keep(&dns)
    case "connect": try parser.keep(&connect)
    case "send": send = try parser.readDouble()
    case "wait": wait = try parser.readDouble()
    case "receive": receive = try parser.readDouble()
    case "ssl": try parser.keep(&ssl)
    case "comment": try parser.pass()
    default: return false
    }
    return true
  }
}

extension EntryFigures.Overhead: FigureRecord {
  fileprivate mutating func keep(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "request": request = try parser.readFiniteDouble()
    case "response": response = try parser.readFiniteDouble()
    default: try parser.checkValue()
    }
    return true
  }
}

/// The body of a message, of which nothing is counted unless it may say how an operation ended.
private protocol UncountedBody: FigureRecord {
  static var hints: [TextHint] { get }
}

extension UncountedBody {
  fileprivate mutating func keep(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "mimeType", "size", "compression", "comment":
      try parser.pass()
      return true
    case "text":
      try parser.passBody(unlessItHas: Self.hints)
      return true
    default: return false
    }
  }
}

private struct UncountedRequestBody: UncountedBody {
  static var hints: [TextHint] { OperationError.requestHints }
}

private struct UncountedResponseBody: UncountedBody {
  static var hints: [TextHint] { OperationError.responseHints }
}

/// What every log has that knows nothing of a cache.
private struct EmptyCache: FigureRecord {
  mutating func keep(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    throw parser.notOrdinary
  }
}
