internal import TapelineBase

/// An entry of which one pass kept a few values, as the mask of its reader says: `figures`, `shape`, or both.
///
/// Nearly every entry is as HAR wants it, and most of the time to read it would go into the dozens of members of a `HAREntry` or
/// of a tree of values. The scan refuses an entry that is not: its reader then reads it as a `HAREntry`, and finds out whether
/// anything is wrong with it.
package struct ScannedEntry: Sendable {
  package struct Request: Sendable {
    package fileprivate(set) var method = ""
    package fileprivate(set) var url = ""
    package fileprivate(set) var bodySize = -1
  }

  package struct Response: Sendable {
    package fileprivate(set) var status = 0
    package fileprivate(set) var statusText = ""
    package fileprivate(set) var bodySize = -1
    fileprivate var contentSize = -1
    fileprivate var compression: Int?
  }

  /// The time that the proxy added to either message, in milliseconds; `nil` in other programs' logs.
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
  private var pageref: String?
  private var startedDateTime = ""
  private var serverIPAddress: String?

  /// The names that the format does not define, in the objects that are open.
  private var names: [Range<Int>] = []
  /// The text of the response's body in the log, between its quotes.
  private var bodyText: Range<Int>?
  private var isBase64 = false
  private var hasPostText = false

  /// Takes an entry for its figures: one that was answered or failed, and has nothing but numbers for its sizes and times.
  ///
  /// - Returns: `nil` if the entry is refused; the parser's position then means nothing.
  init?(figuresFrom parser: inout JSONParser) throws(HARReadError) {
    guard try take(.entry, from: &parser), response.status > 0 || error ?? .null != .null else { return nil }
  }

  /// Looks at all of an entry.
  ///
  /// - Returns: `nil` if its shape may not be that of HAR 1.2.
  init?(checking bytes: Span<UInt8>) {
    guard bytes.isUTF8 else { return nil }
    names.reserveCapacity(32)
    do throws(HARReadError) {
      let isTaken = try bytes.withParser(range: 0..<bytes.count, parts: .shape) { (parser) throws(HARReadError) in
        guard try take(.entry, from: &parser) else { return false }
        try parser.expectEnd()
        return parser.oddities.isEmpty
      }
      guard isTaken else { return nil }
    } catch {
      return nil
    }
  }

  /// The entry, as far as the rules beyond the shape need it.
  var entry: HAREntry {
    var entry = HAREntry()
    (entry.pageref, entry.startedDateTime, entry.serverIPAddress) = (pageref, startedDateTime, serverIPAddress)
    (entry.time, entry.timings) = (time, timings)
    entry.request.url = request.url
    entry.response.bodySize = response.bodySize
    (entry.response.content.size, entry.response.content.compression) = (response.contentSize, response.compression)
    return entry
  }
}

// Each step returns `false` as soon as the entry is refused.

extension ScannedEntry {
  private mutating func take(_ shape: HARShape, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    guard try parser.take(UInt8(ascii: "{")), parser.depth < JSONParser.depthLimit else { return false }
    parser.depth += 1
    let namesBefore = names.count
    var seen: UInt32 = 0
    // As a rule the members come in the order of the format.
    var expected = 0
    if try !parser.take(UInt8(ascii: "}")) {
      repeat {
        guard try parser.peek() == UInt8(ascii: "\"") else { return false }
        let start = parser.position
        let name = try parser.readName()
        let range = start + 1..<parser.position - 1
        guard try parser.take(UInt8(ascii: ":")) else { return false }
        guard let index = shape.index(of: name, expecting: expected) else {
          guard try takeForeign(name, in: range, since: namesBefore, from: &parser) else { return false }
          continue
        }
        guard seen & 1 << UInt32(index) == 0, try takeMember(index, of: shape, from: &parser) else { return false }
        seen |= 1 << UInt32(index)
        expected = index + 1
      } while try parser.take(UInt8(ascii: ","))
      guard try parser.take(UInt8(ascii: "}")) else { return false }
    }
    parser.depth -= 1
    names.removeLast(names.count - namesBefore)
    return !parser.parts.contains(.shape) || seen & shape.requiredMembers == shape.requiredMembers
  }

  private mutating func takeMember(
    _ index: Int, of shape: HARShape, from parser: inout JSONParser
  ) throws(HARReadError) -> Bool {
    let byte = try parser.peek()
    let step = shape.steps[index]
    if step.allowsNull, byte == UInt8(ascii: "n") {
      try parser.expectWord("null")
      return true
    }
    let isKept = !step.parts.isDisjoint(with: parser.parts)
    guard isKept || step.isObject || parser.parts.contains(.shape) else { return try pass(step.fact, byte, in: &parser) }
    let fact = isKept ? step.fact : nil
    switch shape.members[index].type {
    case .string:
      guard byte == UInt8(ascii: "\"") else { return false }
      return try takeText(fact, from: &parser)
    case .number:
      guard byte == UInt8(ascii: "-") || Byte.isDigit(byte) else { return false }
      let number = try parser.readDouble()
      if let fact { keep(number, as: fact) }
      return number.magnitude < .greatestFiniteMagnitude
    case .integer: return try takeInteger(fact, atLeast: HARNumber.counts.lowerBound, byte, from: &parser)
    case .size: return try takeInteger(fact, atLeast: -1, byte, from: &parser)
    case .boolean:
      guard byte == UInt8(ascii: "t") || byte == UInt8(ascii: "f") else { return false }
      try parser.checkValue()
      return true
    case .object(let shape): return try take(shape, fact, from: &parser)
    case .array(let shape):
      guard try parser.take(UInt8(ascii: "[")), parser.depth < JSONParser.depthLimit else { return false }
      parser.depth += 1
      if try !parser.take(UInt8(ascii: "]")) {
        repeat {
          guard try take(shape, from: &parser) else { return false }
        } while try parser.take(UInt8(ascii: ","))
        guard try parser.take(UInt8(ascii: "]")) else { return false }
      }
      parser.depth -= 1
      return true
    }
  }

  private mutating func takeInteger(
    _ fact: HARShape.Fact?, atLeast least: Int, _ byte: UInt8, from parser: inout JSONParser
  ) throws(HARReadError) -> Bool {
    guard byte == UInt8(ascii: "-") || Byte.isDigit(byte) else { return false }
    let start = parser.position
    guard let number = try parser.readInteger() else { return false }
    // A fraction of zero is a fraction, too.
    for index in start + 1..<max(start + 1, parser.position) where !Byte.isDigit(parser.byte(at: index)) { return false }
    if let fact { keep(number, as: fact) }
    return number >= least && HARNumber.counts.contains(number)
  }

  /// Takes an object that the rules beyond the shape are about.
  private mutating func take(
    _ shape: HARShape, _ fact: HARShape.Fact?, from parser: inout JSONParser
  ) throws(HARReadError) -> Bool {
    switch fact {
    // A cache state has dates, and hardly any log has a cache state.
    case .cacheState: return false
    case .postData:
      hasPostText = false
      guard try take(shape, from: &parser) else { return false }
      return hasPostText
    case .content:
      bodyText = nil
      isBase64 = false
      guard try take(shape, from: &parser) else { return false }
      guard isBase64, let bodyText else { return true }
      return parser.isBase64(in: bodyText)
    default: return try take(shape, from: &parser)
    }
  }

  private mutating func takeText(_ fact: HARShape.Fact?, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch fact {
    case .pageref: pageref = try parser.readString()
    case .startedDateTime: startedDateTime = try parser.readString()
    case .serverIPAddress: serverIPAddress = try parser.readString()
    case .method: request.method = try parser.readString()
    case .url: request.url = try parser.readString()
    case .statusText: response.statusText = try parser.readString()
    case .encoding: isBase64 = try parser.readString().lowercased() == "base64"
    case .bodyText: bodyText = try parser.checkString()
    case .postText:
      _ = try parser.checkString()
      hasPostText = true
    case .cookieExpires:
      var date = Optional(try parser.readString())
      return DateLint.mend(&date) == nil
    case .fieldValue:
      let start = parser.position
      let range = try parser.checkString()
      guard !parser.isPlain(range) else { return true }
      parser.position = start
      return try !parser.readString().contains(where: \.isNewline)
    default: _ = try parser.checkString()
    }
    return true
  }

  private mutating func keep(_ number: Double, as fact: HARShape.Fact) {
    switch fact {
    case .time: time = number
    case .phase(let phase): timings[phase] = number
    default: break
    }
  }

  private mutating func keep(_ number: Int, as fact: HARShape.Fact) {
    switch fact {
    case .requestBodySize: request.bodySize = number
    case .status: response.status = number
    case .responseBodySize: response.bodySize = number
    case .contentSize: response.contentSize = number
    case .compression: response.compression = number
    default: break
    }
  }
}

// The values that no mask keeps.

extension ScannedEntry {
  /// Passes over a member of the format. Refuses a text or headers that may say how an operation ended, and a text that a
  /// `HAREntry` would not make a `String` of.
  private func pass(_ fact: HARShape.Fact?, _ byte: UInt8, in parser: inout JSONParser) throws(HARReadError) -> Bool {
    let start = parser.position
    let isText = byte == UInt8(ascii: "\"")
    switch fact {
    case .postText, .bodyText:
      try parser.skipValue()
      let hints = fact == .postText ? OperationError.requestHints : OperationError.responseHints
      return !isText || !parser.mayTell(start + 1..<parser.position - 1, hints)
    case .responseHeaders:
      try parser.skipValue()
      return !parser.has(HARResponse.callHints, in: start..<parser.position)
    default:
      if isText { _ = try parser.checkString() } else { try parser.skipValue() }
      return true
    }
  }

  private mutating func takeForeign(
    _ name: MemberName, in range: Range<Int>, since namesBefore: Int, from parser: inout JSONParser
  ) throws(HARReadError) -> Bool {
    if parser.parts.contains(.shape) {
      guard isNew(range, since: namesBefore, in: parser) else { return false }
      try parser.checkValue()
      return true
    }
    return parser.depth == 1 ? try takeOurs(name, from: &parser) : try passForeign(name, in: &parser)
  }

  /// Notes a name, which must not repeat an earlier name of its object, nor contain escapes.
  private mutating func isNew(_ name: Range<Int>, since start: Int, in parser: JSONParser) -> Bool {
    for index in start..<names.count where names[index].count == name.count {
      if parser.hasSameBytes(in: name, as: names[index]) { return false }
    }
    names.append(name)
    return !name.contains { parser.byte(at: $0) == UInt8(ascii: "\\") }
  }

  /// Takes a member that the format does not give an entry.
  private mutating func takeOurs(_ name: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch name {
    case HARMember.blocked:
      guard let shares = try parser.readBlockedShares() else { return false }
      blockedShares = shares
    case HARMember.overhead:
      overhead = Overhead()
      try parser.readObject { (parser, name) throws(HARReadError) in
        switch name {
        case "request": overhead.request = try parser.readDouble()
        case "response": overhead.response = try parser.readDouble()
        default: try parser.checkValue()
        }
      }
      // As a member of a `HAREntry`, any other number would be infinite.
      return [overhead.request, overhead.response].allSatisfy { $0?.magnitude ?? 0 < .greatestFiniteMagnitude }
    case HARMember.connectionID: try parser.checkValue()
    case HARMember.error: error = try parser.readValue()
    // Beside a failure it says what the client was told; alone, that no server was asked.
    case HARMember.localStatus where error ?? .null != .null: try parser.checkValue()
    default:
      guard !name.isRead(in: parser.parts) else { return false }
      try parser.skipValue()
    }
    return true
  }

  /// Passes over a member that the format does not give an object in an entry.
  private func passForeign(_ name: MemberName, in parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch name {
    // Chrome writes null where nothing failed.
    case HARMember.error: try parser.expectWord("null")
    // In a CONNECT they tell a WebSocket from a tunnel.
    case HARMember.pseudo where request.method == "CONNECT": return false
    default:
      guard !name.isRead(in: parser.parts) else { return false }
      try parser.skipValue()
    }
    return true
  }
}
