internal import TapelineBase

/// The lines of a dump: bytes as `--trace` writes them in hexadecimal, or as `--trace-ascii` writes them as text.
struct CurlDump {
  /// A kind of dump, in curl's words.
  enum Sort: String, CaseIterable {
    case sentHead = "=> Send header"
    case sentData = "=> Send data"
    case sentTLS = "=> Send SSL data"
    case receivedHead = "<= Recv header"
    case receivedData = "<= Recv data"
    case receivedTLS = "<= Recv SSL data"
  }

  private let sort: Sort
  private let size: Int
  private let timeOfDay: Int64?
  private let ids: CurlIDs
  private var bytes: [UInt8] = []
  /// `nil` before the first line.
  private(set) var detail: CurlDetail?

  /// Curl passes on much less at once.
  private static let largestSize = 64 << 20

  /// - Parameter detail: how earlier dumps were written.
  init(_ sort: Sort, size: Int, timeOfDay: Int64?, ids: CurlIDs, detail: CurlDetail?) {
    self.sort = sort
    self.detail = detail
    self.size = min(size, Self.largestSize)
    self.timeOfDay = timeOfDay
    self.ids = ids
  }

  /// Whether all bytes have come.
  var isComplete: Bool { bytes.count == size }

  /// Call it when no more lines come.
  var event: CurlEvent {
    var whole = self
    // A line of full width does not show whether a line end follows.
    if detail == .ascii, size - bytes.count == 2 { whole.endLine() }
    return CurlEvent(kind: whole.kind, timeOfDay: timeOfDay, ids: ids)
  }

  private var kind: CurlEvent.Kind {
    switch sort {
    case .sentHead: .sentHead(bytes)
    case .receivedHead: .receivedHead(bytes)
    case .sentData: .sentData(.bytes(bytes))
    case .receivedData: .receivedData(.bytes(bytes))
    case .sentTLS, .receivedTLS: .encrypted
    }
  }

  /// Takes a line, and returns whether it belongs to the dump: `0010: 0a 48 6f … .Ho`, or `0011: Host: localhost`.
  mutating func take(_ line: [UInt8]) -> Bool {
    let digits = line.prefix { Hexadecimal.value(of: $0) != nil }
    guard (4...16).contains(digits.count), let rest = line[digits.count...].after(": ") else { return false }
    let offset = digits.reduce(0) { $0 << 4 | Int(Hexadecimal.value(of: $1) ?? 0) }
    guard offset <= size else { return false }
    // In text, a line that ends with CRLF in the data ends there, and the next line's place is two bytes further.
    if offset == bytes.count + 2 { endLine() }
    guard offset == bytes.count else { return false }
    let room = size - offset
    if detail != .ascii, let content = Self.hexadecimal(rest, count: min(16, room)) {
      detail = .hexadecimal
      bytes += content
      return true
    }
    guard detail != .hexadecimal else { return false }
    detail = .ascii
    bytes += rest.prefix(room)
    // The last line stands for its line end, too.
    if size - bytes.count == 2, rest.count < Self.textWidth { endLine() }
    return true
  }

  /// The bytes in a line of text.
  private static let textWidth = 0x40

  private mutating func endLine() {
    bytes += [Byte.carriageReturn, Byte.lineFeed]
  }

  /// `count` bytes, each of two digits and a blank; `nil` if the line has another form.
  private static func hexadecimal(_ text: ArraySlice<UInt8>, count: Int) -> [UInt8]? {
    guard count > 0, text.count >= 48 + count else { return nil }
    var bytes: [UInt8] = []
    var place = text.startIndex
    for _ in 0..<count {
      guard let high = Hexadecimal.value(of: text[place]), let low = Hexadecimal.value(of: text[place + 1]),
        text[place + 2] == Byte.space
      else { return nil }
      bytes.append(UInt8(high << 4 | low))
      place += 3
    }
    return bytes
  }
}
