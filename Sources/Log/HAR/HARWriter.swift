/// Writes a HAR of any size entry by entry; it holds one entry and one piece.
///
/// ```swift
/// var writer = HARWriter(HARLog(creator: creator, pages: pages)) { piece in
///   for index in piece.indices { text.append(piece[index]) }
/// }
/// writer.write(entry)
/// writer.finish()
/// ```
///
/// Each entry has its own line. Without `finish()` the text has no end and is not JSON.
public struct HARWriter<Failure: Error>: ~Copyable {
  private let sink: (Span<UInt8>) throws(Failure) -> Void
  private var text = JSONWriter(capacity: 128 << 10)
  private let hasPages: Bool
  private var beside: HARObject
  private var hasEntries = false

  /// The bytes of text that are gathered before the sink gets them.
  private static var pieceSize: Int { 64 << 10 }

  /// - Parameters:
  ///   - log: the text before the entries; its own entries are ignored.
  ///   - withPages: `false` leaves `pages` to `finish`, for a log whose pages are known only at its end.
  ///   - sink: takes the next bytes of the text. They are lent for the call.
  public init(_ log: HARLog, withPages: Bool = true, sink: @escaping (Span<UInt8>) throws(Failure) -> Void) {
    self.sink = sink
    hasPages = withPages
    beside = log.beside
    HARFraming.open(log, withPages: withPages, in: &text)
  }

  /// Writes the next entry.
  public mutating func write(_ entry: HAREntry) throws(Failure) {
    separate()
    text.append(entry: entry)
    try giveAway(from: Self.pieceSize)
  }

  /// Writes the next entry from the bytes of an entry, unchanged except that line breaks become blanks: in JSON, no line break is
  /// inside of a value. The bytes are not checked.
  public mutating func write(json entry: Span<UInt8>) throws(Failure) {
    separate()
    let start = text.count
    text.append(json: entry)
    text.replaceLineBreaks(from: start)
    try giveAway(from: Self.pieceSize)
  }

  /// Writes the text after the last entry.
  ///
  /// - Parameters:
  ///   - pages: for a log that was begun without its pages.
  ///   - custom: members of the log that are known only now.
  ///   - beside: members beside the log that are known only now.
  public consuming func finish(
    pages: [HARPage] = [], custom: HARObject = [:], beside: HARObject = [:]
  ) throws(Failure) {
    self.beside.members += beside.members
    HARFraming.close(pages: hasPages ? nil : pages, custom: custom, beside: self.beside, in: &text)
    try giveAway(from: 0)
  }

  private mutating func separate() {
    if hasEntries { HARFraming.separate(in: &text) }
    hasEntries = true
  }

  private mutating func giveAway(from size: Int) throws(Failure) {
    guard text.count >= size else { return }
    try text.withBytes(sink)
    text.truncate(to: 0)
  }
}

/// The text around the entries of a HAR, for writing entries one by one.
public enum HARFraming {
  /// The text up to the first entry; the `entries` of `log` are ignored.
  ///
  /// - Parameter withPages: `false` leaves `pages` to `close`, for a log whose pages are known only at its end.
  public static func open(_ log: HARLog, withPages: Bool = true, in writer: inout JSONWriter) {
    writer.append(json: "{\"log\":{")
    if !log.lacking.contains("version") { writer.append("version", log.version, except: log.custom) }
    if !log.lacking.contains("creator") { writer.append("creator", log.creator, except: log.custom) }
    writer.append("browser", log.browser, except: log.custom)
    if withPages, !log.lacking.contains("pages") { writer.append("pages", log.pages, except: log.custom) }
    writer.append("comment", log.comment, except: log.custom)
    for member in log.custom.members {
      append(member, in: &writer)
    }
    if !writer.ends(with: UInt8(ascii: "{")) { writer.append(byte: UInt8(ascii: ",")) }
    writer.append(json: "\"entries\":[\n")
  }

  /// The text between two entries.
  public static func separate(in writer: inout JSONWriter) {
    writer.append(json: ",\n")
  }

  /// The text after the last entry, with members of the log that are known only then.
  ///
  /// - Parameters:
  ///   - pages: for a log that was opened without its pages.
  ///   - beside: the members beside `log`.
  public static func close(
    pages: [HARPage]? = nil, custom: HARObject = [:], beside: HARObject = [:], in writer: inout JSONWriter
  ) {
    writer.append(json: "\n]")
    writer.append("pages", pages, except: custom)
    for member in custom.members {
      append(member, in: &writer)
    }
    writer.append(byte: UInt8(ascii: "}"))
    for member in beside.members {
      append(member, in: &writer)
    }
    writer.append(json: "}\n")
  }

  private static func append(_ member: HARObject.Member, in writer: inout JSONWriter) {
    if !writer.ends(with: UInt8(ascii: "{")) { writer.append(byte: UInt8(ascii: ",")) }
    writer.append(string: member.name)
    writer.append(byte: UInt8(ascii: ":"))
    writer.append(value: member.value)
  }
}

extension HAREntry {
  /// The bytes of an entry with another `pageref` and otherwise unchanged; an entry that names no page stays so.
  package static func json(_ bytes: [UInt8], pageref: String) throws(HARReadError) -> [UInt8] {
    let place = try bytes.span.withParser(range: bytes.indices) { (parser) throws(HARReadError) in
      var place: Range<Int>?
      try parser.readObject { (parser, name) throws(HARReadError) in
        _ = try parser.peek()
        let start = parser.position
        try parser.skipValue()
        if name.matches("pageref") { place = start..<parser.position }
      }
      return place
    }
    guard let place else { return bytes }
    return bytes[..<place.lowerBound] + HARValue.string(pageref).json + bytes[place.upperBound...]
  }
}
