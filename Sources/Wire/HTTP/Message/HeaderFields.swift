internal import TapelineBase

/// One field line as text.
package struct HeaderField: Hashable, Sendable {
  package let name: String
  package let value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

/// The field lines of a head or of a trailer section, with order, spelling, duplicates and bytes as they came.
///
/// All lines are in one array of bytes, the received head itself, and one array of ranges. So a head costs two allocations, and
/// text is made only on demand.
package struct HeaderFields: Sendable {
  /// The bytes that contain the lines; they may contain other things too (the start line). See `nameRange(at:)`.
  package private(set) var bytes: [UInt8]
  private(set) var lines: [FieldLine]
  /// The known names among the lines, so that looking up an absent name costs nothing.
  private(set) var knownNames = FieldNameSet()

  package init() {
    bytes = []
    lines = []
  }

  package init(_ fields: [(String, String)]) {
    self.init()
    for (name, value) in fields { append(name: name, value: value) }
  }

  /// Bytes of memory.
  package var memorySize: Int { bytes.memorySize + lines.memorySize }

  /// `lines` are in `bytes`, or in `more`, as if it followed.
  init(bytes: [UInt8], lines: [FieldLine], knownNames: FieldNameSet, more: [UInt8]) {
    self.bytes = more.isEmpty ? bytes : bytes + more
    self.lines = lines
    self.knownNames = knownNames
  }

  /// The same lines after `startLine`, with an empty line after them: a head.
  init(startLine: [UInt8], fields: HeaderFields) {
    self.init()
    bytes = startLine
    bytes.reserveCapacity(startLine.count + fields.bytes.count + HeadSerializer.endSize)
    lines.reserveCapacity(fields.lines.count)
    for index in fields.indices { append(fields, at: index) }
    HeadSerializer.appendEnd(into: &bytes)
  }

  /// Puts the target of a head that came in HTTP/2 after the lines in `bytes`, and answers where it is. Without a scheme it
  /// is the authority alone.
  package mutating func appendTarget(_ scheme: URIScheme?, authority: String, path: Span<UInt8>) -> Range<Int> {
    let start = bytes.count
    bytes.reserveCapacity(start + (scheme.map { $0.text.utf8.count + 3 } ?? 0) + authority.utf8.count + path.count)
    if let scheme {
      bytes.append(bytes: scheme.text.utf8.span)
      bytes.append(contentsOf: "://".utf8)
    }
    bytes.append(bytes: authority.utf8.span)
    // RFC 9112 3.2.4: the target of `OPTIONS *` has no path.
    if path.count != 1 || path[0] != UInt8(ascii: "*") { bytes.append(bytes: path) }
    return start..<bytes.count
  }

  /// Adds a line at the end. The caller is responsible for the syntax: a name that is a token, a value without line ends.
  package mutating func append(name: String, value: String) {
    let start = bytes.count
    bytes.append(contentsOf: name.utf8)
    let nameEnd = bytes.count
    bytes.append(contentsOf: ": ".utf8)
    let valueStart = bytes.count
    bytes.append(contentsOf: value.utf8)
    let valueEnd = bytes.count
    precondition(
      !bytes[start...].contains { $0 == Byte.lineFeed || $0 == Byte.carriageReturn || $0 == 0 },
      "a field made by the proxy holds no line end and no NUL")
    bytes.append(contentsOf: "\r\n".utf8)
    appendLine(name: start..<nameEnd, value: valueStart..<valueEnd, knownName: FieldName(spelling: name))
  }

  /// Lines of another version of HTTP will be added that are in `bytes` already, without the separators of HTTP/1.1.
  package init(linesIn bytes: [UInt8], count: Int) {
    self.bytes = bytes
    lines = []
    lines.reserveCapacity(count)
  }

  /// Adds a line at the end that is in `bytes` already. The caller has checked the syntax, as above.
  package mutating func append(name: Range<Int>, value: Range<Int>) {
    let known = FieldName(token: bytes.span.extracting(name))
    lines.append(FieldLine(name: name, value: value, knownName: known, end: nil))
    knownNames.insert(known)
  }

  /// Adds the line at `index` of other fields at the end, byte by byte.
  package mutating func append(_ other: HeaderFields, at index: Int) {
    let start = bytes.count
    HeadSerializer.appendField(other, at: index, into: &bytes)
    let nameEnd = start + other.nameRange(at: index).count
    appendLine(name: start..<nameEnd, value: nameEnd + 2..<bytes.count - 2, knownName: other.knownName(at: index))
  }

  private mutating func appendLine(name: Range<Int>, value: Range<Int>, knownName: FieldName) {
    lines.append(FieldLine(name: name, value: value, knownName: knownName, end: value.upperBound + 2))
    knownNames.insert(knownName)
  }

  /// Where the name of a line is in `bytes`.
  package func nameRange(at index: Int) -> Range<Int> { lines[index].nameRange }

  /// Where the value of a line is in `bytes`.
  package func valueRange(at index: Int) -> Range<Int> { lines[index].valueRange }

  package func knownName(at index: Int) -> FieldName { lines[index].knownName }

  package func withNameBytes<Result, Failure: Error>(
    at index: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(bytes.span.extracting(lines[index].nameRange))
  }

  package func withValueBytes<Result, Failure: Error>(
    at index: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(bytes.span.extracting(lines[index].valueRange))
  }

  package func name(at index: Int) -> String {
    String(bytes: bytes.span.extracting(lines[index].nameRange))
  }

  package func value(at index: Int) -> String {
    String(bytes: bytes.span.extracting(lines[index].valueRange))
  }
}

extension HeaderFields: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { lines.count }
  /// The collection's own, asked from another module, finds its way by three witnesses.
  package var count: Int { lines.count }

  package subscript(index: Int) -> HeaderField {
    HeaderField(name: name(at: index), value: value(at: index))
  }
}

extension HeaderFields: Equatable {
  /// Whether both have the same lines in the same order, byte by byte. Blanks around values do not count.
  package static func == (left: HeaderFields, right: HeaderFields) -> Bool {
    guard left.count == right.count else { return false }
    return left.indices.allSatisfy { index in
      left.bytes.span.extracting(left.nameRange(at: index)).equals(right.bytes.span.extracting(right.nameRange(at: index)))
        && left.bytes.span.extracting(left.valueRange(at: index)).equals(
          right.bytes.span.extracting(right.valueRange(at: index)))
    }
  }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements)
  }
}

extension HeaderFields {
  package func firstIndex(of name: FieldName) -> Int? {
    guard knownNames.contains(name) else { return nil }
    return lines.firstIndex { $0.knownName == name }
  }

  package func contains(_ name: FieldName) -> Bool {
    knownNames.contains(name)
  }

  /// The value of the first line with this name.
  package func first(of name: FieldName) -> String? {
    firstIndex(of: name).map { value(at: $0) }
  }

  /// The values of all lines with this name, in order.
  package func values(of name: FieldName) -> [String] {
    indices.filter { lines[$0].knownName == name }.map { value(at: $0) }
  }

  /// The values of all lines with this name in any case, in order.
  package func values(named name: String) -> [String] {
    indices.filter { bytes.span.extracting(nameRange(at: $0)).equalsIgnoringCase(name.utf8.span) }.map { value(at: $0) }
  }

  /// Whether a comma-separated list (RFC 9110 5.6.1), over all lines of the field, has this member in any case.
  ///
  /// A member is compared up to its parameters: `trailers` is found in `TE: gzip, trailers;q=0.5`.
  package func listContains(token: String, in name: FieldName) -> Bool {
    guard let first = firstIndex(of: name) else { return false }
    for index in first..<count where lines[index].knownName == name {
      var members = ListMembers(of: valueRange(at: index))
      while let member = members.next(in: bytes.span) {
        if bytes.span.extracting(ListMembers.token(of: member, in: bytes.span)).equalsIgnoringCase(token.utf8.span) {
          return true
        }
      }
    }
    return false
  }
}

/// Iterates over the members of a comma-separated list without copying: ranges, blanks trimmed, empty members left out.
struct ListMembers {
  private var rest: Range<Int>

  init(of value: Range<Int>) {
    rest = value
  }

  mutating func next(in bytes: Span<UInt8>) -> Range<Int>? {
    while !rest.isEmpty {
      var end = rest.lowerBound
      while end < rest.upperBound, bytes[end] != Byte.comma { end += 1 }
      let member = bytes.trimmed(rest.lowerBound..<end)
      rest = min(end + 1, rest.upperBound)..<rest.upperBound
      if !member.isEmpty { return member }
    }
    return nil
  }

  /// A member without its parameters.
  static func token(of member: Range<Int>, in bytes: Span<UInt8>) -> Range<Int> {
    var end = member.lowerBound
    while end < member.upperBound, bytes[end] != Byte.semicolon { end += 1 }
    return bytes.trimmed(member.lowerBound..<end)
  }
}

/// Where one field line is in its bytes.
struct FieldLine: Sendable {
  private let name: ByteRange
  private let value: ByteRange
  /// The end of the line with its CRLF; 0 when the line must not be sent on as it came.
  private let end: UInt32
  let knownName: FieldName

  /// `end` is `nil` for a line that was mended or came in another version: name and value are valid, the bytes around them are
  /// not.
  init(name: Range<Int>, value: Range<Int>, knownName: FieldName, end: Int?) {
    self.name = ByteRange(name)
    self.value = ByteRange(value)
    self.end = UInt32(truncatingIfNeeded: end ?? 0)
    self.knownName = knownName
  }

  var nameRange: Range<Int> { name.range }

  var valueRange: Range<Int> { value.range }

  /// The whole line with its CRLF, if it can be sent on as it is.
  var verbatimRange: Range<Int>? { end == 0 ? nil : name.range.lowerBound..<Int(end) }
}
