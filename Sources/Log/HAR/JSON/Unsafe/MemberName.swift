internal import TapelineBase

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

  /// Whether the name begins as HAR 1.2 leaves it to programs. A name with escapes may begin so, too.
  @inline(__always)
  var isForeign: Bool { unsafe count > 0 && start.pointee == UInt8(ascii: "_") }

  @inline(__always)
  func matches(_ known: StaticString) -> Bool {
    if count == known.utf8CodeUnitCount { return unsafe start.hasSameBytes(as: known.utf8Start, count: count) }
    guard count == 0, let unescaped else { return false }
    return unescaped == known.description
  }

  @inline(__always)
  func matches(_ known: HARMember) -> Bool {
    let size = known.opening.utf8CodeUnitCount - HARMember.punctuation.before - HARMember.punctuation.behind
    if count == size {
      return unsafe start.hasSameBytes(as: known.opening.utf8Start + HARMember.punctuation.before, count: count)
    }
    guard count == 0, let unescaped else { return false }
    return unescaped == known.name
  }

  @inline(__always)
  static func ~= (known: HARMember, name: MemberName) -> Bool {
    name.matches(known)
  }

  @inline(__always)
  static func ~= (known: StaticString, name: MemberName) -> Bool {
    name.matches(known)
  }
}
