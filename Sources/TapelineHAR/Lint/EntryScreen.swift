internal import TapelineSystem
internal import TapelineText

/// Reads an entry, keeps only a few facts of it, and says whether all of it has the shape of HAR 1.2.
///
/// Nearly every entry has, and then nobody needs it as a tree of values, which takes ten times as long. An accepted entry is
/// right. A rejected entry may be right too: the slower check decides that, and finds what is wrong.
struct EntryScreen: Sendable {
  /// The members that the rules beyond the shape need; all others are left out.
  private var entry = HAREntry()
  /// The names that the format does not define, in the objects that are open.
  private var names: [Range<Int>] = []
  /// Where the text of the response's body is, between its quotes.
  private var bodyText: Range<Int>?
  private var isBase64 = false
  private var hasPostText = false

  /// Reads the entry in `bytes`; `nil` when it is rejected.
  mutating func take(_ bytes: Span<UInt8>) -> HAREntry? {
    guard bytes.isUTF8 else { return nil }
    entry = HAREntry()
    names.removeAll(keepingCapacity: true)
    do throws(HARReadError) {
      return try bytes.withParser(range: 0..<bytes.count) { (parser) throws(HARReadError) in
        guard try takeObject(.entry, from: &parser) else { return nil }
        try parser.expectEnd()
        return parser.oddities.isEmpty ? entry : nil
      }
    } catch {
      return nil
    }
  }

  // MARK: The shape. Each step says `false` as soon as something is wrong; the parser's position then means nothing.

  private mutating func takeObject(_ shape: HARShape, from parser: inout JSONParser) throws(HARReadError) -> Bool {
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
          guard isNew(range, since: namesBefore, in: parser) else { return false }
          try parser.checkValue()
          continue
        }
        guard seen & 1 << UInt32(index) == 0, try takeMember(shape.members[index], from: &parser) else { return false }
        seen |= 1 << UInt32(index)
        expected = index + 1
      } while try parser.take(UInt8(ascii: ","))
      guard try parser.take(UInt8(ascii: "}")) else { return false }
    }
    parser.depth -= 1
    names.removeLast(names.count - namesBefore)
    return seen & shape.requiredMembers == shape.requiredMembers
  }

  /// Notes a name, which must not repeat an earlier name of its object, nor contain escapes.
  private mutating func isNew(_ name: Range<Int>, since start: Int, in parser: JSONParser) -> Bool {
    for index in start..<names.count where names[index].count == name.count {
      if parser.hasSameBytes(in: name, as: names[index]) { return false }
    }
    names.append(name)
    return !name.contains { parser.byte(at: $0) == UInt8(ascii: "\\") }
  }

  private mutating func takeMember(_ member: HARShape.Member, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    let byte = try parser.peek()
    if member.allowsNull, byte == UInt8(ascii: "n") {
      try parser.expectWord("null")
      return true
    }
    switch member.type {
    case .string:
      guard byte == UInt8(ascii: "\"") else { return false }
      return try takeText(member.fact, from: &parser)
    case .number:
      guard byte == UInt8(ascii: "-") || Byte.isDigit(byte) else { return false }
      guard let fact = member.fact else {
        try parser.skipNumber()
        return true
      }
      let number = try parser.readDouble()
      keep(number, as: fact)
      return number.magnitude < .greatestFiniteMagnitude
    case .integer, .size:
      guard byte == UInt8(ascii: "-") || Byte.isDigit(byte) else { return false }
      let start = parser.position
      guard let number = try parser.readInteger() else { return false }
      // A fraction of zero is a fraction, too.
      for index in start + 1..<max(start + 1, parser.position) where !Byte.isDigit(parser.byte(at: index)) { return false }
      if let fact = member.fact { keep(number, as: fact) }
      if case .size = member.type { return number >= -1 && HARNumber.counts.contains(number) }
      return HARNumber.counts.contains(number)
    case .boolean:
      guard byte == UInt8(ascii: "t") || byte == UInt8(ascii: "f") else { return false }
      try parser.checkValue()
      return true
    case .object(let shape): return try takeObject(shape, member.fact, from: &parser)
    case .array(let shape):
      guard try parser.take(UInt8(ascii: "[")), parser.depth < JSONParser.depthLimit else { return false }
      parser.depth += 1
      if try !parser.take(UInt8(ascii: "]")) {
        repeat {
          guard try takeObject(shape, from: &parser) else { return false }
        } while try parser.take(UInt8(ascii: ","))
        guard try parser.take(UInt8(ascii: "]")) else { return false }
      }
      parser.depth -= 1
      return true
    }
  }

  // MARK: What the other rules are about

  private mutating func takeObject(
    _ shape: HARShape, _ fact: HARShape.Fact?, from parser: inout JSONParser
  ) throws(HARReadError) -> Bool {
    switch fact {
    // A cache state has dates, and hardly any log has a cache state.
    case .cacheState: return false
    case .postData:
      hasPostText = false
      guard try takeObject(shape, from: &parser) else { return false }
      return hasPostText
    case .content:
      bodyText = nil
      isBase64 = false
      guard try takeObject(shape, from: &parser) else { return false }
      guard isBase64, let bodyText else { return true }
      return parser.isBase64(in: bodyText)
    default: return try takeObject(shape, from: &parser)
    }
  }

  private mutating func takeText(_ fact: HARShape.Fact?, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch fact {
    case .pageref: entry.pageref = try parser.readString()
    case .startedDateTime: entry.startedDateTime = try parser.readString()
    case .serverIPAddress: entry.serverIPAddress = try parser.readString()
    case .url: entry.request.url = try parser.readString()
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
    case .time: entry.time = number
    case .blocked: entry.timings.blocked = number
    case .dns: entry.timings.dns = number
    case .connect: entry.timings.connect = number
    case .send: entry.timings.send = number
    case .wait: entry.timings.wait = number
    case .receive: entry.timings.receive = number
    case .ssl: entry.timings.ssl = number
    default: break
    }
  }

  private mutating func keep(_ number: Int, as fact: HARShape.Fact) {
    switch fact {
    case .responseBodySize: entry.response.bodySize = number
    case .contentSize: entry.response.content.size = number
    case .compression: entry.response.content.compression = number
    default: break
    }
  }
}
