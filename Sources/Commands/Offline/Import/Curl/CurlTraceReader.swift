internal import TapelineBase

/// Reads the text that curl writes for `--trace`, `--trace-ascii` and `-v`, in pieces of any size.
///
/// Other text between curl's lines, such as a response that went to the same terminal, is skipped. Memory holds one line and one
/// dump.
struct CurlTraceReader {
  private var line: [UInt8] = []
  private var dump: CurlDump?
  /// How much the trace shows; `nil` before its first line with data or a part of a head.
  private(set) var detail: CurlDetail?

  /// Curl writes no longer line; what comes after it is output of another kind.
  private static let lineLimit = 1 << 20

  /// Takes the next bytes of the text, and gives away the events that are complete.
  mutating func feed<Failure: Error>(
    _ bytes: Span<UInt8>, _ take: (CurlEvent, CurlDetail?) throws(Failure) -> Void
  ) throws(Failure) {
    var start = 0
    while let end = bytes.first(of: Byte.lineFeed, from: start) {
      gather(bytes.extracting(start..<end))
      try endLine(take)
      start = end + 1
    }
    gather(bytes.extracting(start..<bytes.count))
  }

  /// Ends the text.
  mutating func finish<Failure: Error>(_ take: (CurlEvent, CurlDetail?) throws(Failure) -> Void) throws(Failure) {
    if !line.isEmpty { try endLine(take) }
    if let event = endDump() { try take(event, detail) }
  }

  private mutating func gather(_ bytes: Span<UInt8>) {
    line.append(bytes: bytes.extracting(first: min(bytes.count, Self.lineLimit - line.count)))
  }

  private mutating func endLine<Failure: Error>(_ take: (CurlEvent, CurlDetail?) throws(Failure) -> Void) throws(Failure) {
    defer { line.removeAll(keepingCapacity: true) }
    if dump?.isComplete == false, dump?.take(line) == true {
      guard dump?.isComplete == true, let event = endDump() else { return }
      return try take(event, detail)
    }
    guard let found = CurlLine(line) else { return }
    if let event = endDump() { try take(event, detail) }
    switch found.content {
    case .event(let kind):
      if case .info = kind {} else { detail = .heads }
      try take(CurlEvent(kind: kind, timeOfDay: found.timeOfDay, ids: found.ids), detail)
    case .dump(let sort, let size):
      dump = CurlDump(sort, size: size, timeOfDay: found.timeOfDay, ids: found.ids, detail: detail)
    }
  }

  /// The event of the dump that has been read, even if lines of it are missing.
  private mutating func endDump() -> CurlEvent? {
    guard let dump else { return nil }
    self.dump = nil
    detail = dump.detail ?? detail
    return dump.event
  }
}

/// A line that curl begins with a time, numbers, and a marker.
private struct CurlLine {
  enum Content {
    case event(CurlEvent.Kind)
    /// A dump of so many bytes follows.
    case dump(CurlDump.Sort, size: Int)
  }

  let content: Content
  let timeOfDay: Int64?
  let ids: CurlIDs

  /// `nil` for a line of another kind.
  init?(_ line: [UInt8]) {
    var text = line[...]
    if text.last == Byte.carriageReturn { text.removeLast() }
    if let found = CurlLine(at: text) {
      self = found
      return
    }
    // Other output has no line end before curl's line: a body, or the progress meter.
    for place in text.indices.dropFirst() where text[place] == UInt8(ascii: ":") && place >= text.startIndex + 3 {
      if let found = CurlLine(at: text[(place - 2)...]), found.timeOfDay != nil {
        self = found
        return
      }
    }
    return nil
  }

  private init?(at text: ArraySlice<UInt8>) {
    var rest = text
    timeOfDay = Self.takeTime(&rest)
    ids = Self.takeIDs(&rest)
    guard let content = Self.content(of: rest) else { return nil }
    self.content = content
  }

  /// `06:15:00.448028 `.
  private static func takeTime(_ text: inout ArraySlice<UInt8>) -> Int64? {
    guard text.count >= 16, text[text.startIndex + 2] == UInt8(ascii: ":"), text[text.startIndex + 5] == UInt8(ascii: ":"),
      text[text.startIndex + 8] == UInt8(ascii: "."), text[text.startIndex + 15] == Byte.space
    else { return nil }
    let parts = [0..<2, 3..<5, 6..<8, 9..<15].map {
      number(text[text.startIndex + $0.lowerBound..<text.startIndex + $0.upperBound])
    }
    guard let hour = parts[0], let minute = parts[1], let second = parts[2], let fraction = parts[3], hour < 24, minute < 60,
      second <= 60
    else { return nil }
    text = text.dropFirst(16)
    return (Int64(hour * 60 + minute) * 60 + Int64(second)) * 1_000_000_000 + Int64(fraction) * 1_000
  }

  /// `[0-0] `, or `[0-x] ` before there is a connection.
  private static func takeIDs(_ text: inout ArraySlice<UInt8>) -> CurlIDs {
    guard text.first == UInt8(ascii: "["), let end = text.prefix(48).firstIndex(of: UInt8(ascii: "]")),
      let dash = text[..<end].firstIndex(of: UInt8(ascii: "-")), text.index(after: end) < text.endIndex,
      text[end + 1] == Byte.space, let transfer = number(text[(text.startIndex + 1)..<dash])
    else { return CurlIDs() }
    let connection = number(text[(dash + 1)..<end])
    guard connection != nil || text[(dash + 1)..<end].elementsEqual("x".utf8) else { return CurlIDs() }
    text = text[(end + 2)...]
    return CurlIDs(transfer: transfer, connection: connection)
  }

  private static func content(of text: ArraySlice<UInt8>) -> Content? {
    if let rest = text.after("== Info: ") { return .event(.info(String(decoding: rest, as: UTF8.self))) }
    for sort in CurlDump.Sort.allCases {
      guard let rest = text.after(sort.rawValue), let size = size(rest, after: ", ", before: " bytes (0x") else { continue }
      return .dump(sort, size: size)
    }
    guard let marker = text.first, text.dropFirst().first == Byte.space else { return nil }
    let rest = text.dropFirst(2)
    switch marker {
    case UInt8(ascii: "*"): return .event(.info(String(decoding: rest, as: UTF8.self)))
    case UInt8(ascii: ">"): return .event(.sentHead(rest + [Byte.carriageReturn, Byte.lineFeed]))
    case UInt8(ascii: "<"): return .event(.receivedHead(rest + [Byte.carriageReturn, Byte.lineFeed]))
    case UInt8(ascii: "}") where size(rest, after: "[", before: " bytes data]") != nil: return .event(.sentData(.unseen))
    case UInt8(ascii: "{") where size(rest, after: "[", before: " bytes data]") != nil: return .event(.receivedData(.unseen))
    default: return nil
    }
  }

  private static func size(_ text: ArraySlice<UInt8>, after prefix: String, before suffix: String) -> Int? {
    guard let rest = text.after(prefix) else { return nil }
    let digits = rest.prefix { Byte.isDigit($0) }
    guard rest.dropFirst(digits.count).after(suffix) != nil else { return nil }
    return number(digits)
  }

  /// Digits alone, at most 18 of them.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.count <= 18, digits.allSatisfy({ Byte.isDigit($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }
}

extension ArraySlice<UInt8> {
  /// The bytes after `prefix`; `nil` if they do not begin with it.
  func after(_ prefix: String) -> ArraySlice<UInt8>? {
    starts(with: prefix.utf8) ? dropFirst(prefix.utf8.count) : nil
  }
}
