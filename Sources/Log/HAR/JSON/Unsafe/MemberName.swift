internal import TapelineSystem

/// The name of a member as spelled in the text; it becomes a `String` only when somebody keeps it.
///
/// A `switch` compares it with known names, byte by byte. Like the parser that made it, it lives only as long as the bytes.
@safe
struct MemberName {
  /// Lent; the byte after the opening quote.
  private let start: UnsafePointer<UInt8>
  private let count: Int
  /// The name, if it had escapes.
  private let unescaped: String?

  @unsafe
  init(_ start: UnsafePointer<UInt8>, count: Int) {
    unsafe self.start = start
    self.count = count
    unescaped = nil
  }

  /// A name with escapes: writers of logs do not make such names, so a `String` is good enough.
  @unsafe
  init(unescaped text: String, at start: UnsafePointer<UInt8>) {
    unsafe self.start = start
    count = 0
    unescaped = text
  }

  var text: String {
    if let unescaped { return unescaped }
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  @inline(__always)
  func matches(_ known: StaticString) -> Bool {
    if count == known.utf8CodeUnitCount { return unsafe start.hasSameBytes(as: known.utf8Start, count: count) }
    guard count == 0, let unescaped else { return false }
    return unescaped == known.description
  }

  /// How an exchange ended, if it has: a table of exchanges is wrong without it.
  @inline(__always)
  private var isReadAlways: Bool {
    matches("_error") || matches("_ended") || matches("_tunnel") || matches("_inFlight") || matches("_grpc")
      || matches("_localStatus")
  }

  /// Whether the value is read for a reader of these parts, as a member that the format does not define.
  @inline(__always)
  func isRead(in parts: HAREntryParts) -> Bool {
    parts.contains(.custom) || isReadAlways || parts.contains(.row) && isInRow || parts.contains(.figures) && isFigure
  }

  /// What `stats` counts of an exchange besides the members that are always read.
  private var isFigure: Bool {
    matches("_overhead") || matches("_connectionId")
  }

  /// What was connected, what the exchange was for, and when its body came: with these, a row of a page is complete.
  private var isInRow: Bool {
    matches("_connectionId") || matches("_chunks") || matches("_resourceType") || matches("_transferSize")
  }

  @inline(__always)
  static func ~= (known: StaticString, name: MemberName) -> Bool {
    name.matches(known)
  }
}
