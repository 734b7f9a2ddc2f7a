internal import TapelineBase
internal import TapelineSystem

/// A file of the log, and where each of its entries is. Used on the live page's thread.
///
/// The recorder writes each entry in a line of its own, after a line that opens the log. Lines are looked for when somebody wants
/// their entries, and not before: a file that grows at full load has more text than a busy machine has time for.
final class LiveFile {
  /// The number of the first entry.
  let firstNumber: Int
  /// Owned: for reading beside the recorder.
  private let descriptor: Int32
  /// The end of the last entry, or of the line that opens the log.
  private var end = 0
  /// Entries before `end`.
  private var count = 0
  /// The offset of each entry that was found.
  private var starts: [Int] = []
  /// Everything before was looked at.
  private var scanned = 0
  private var isAtLineStart = false
  private var isFinished = false
  /// The entries that were looked at last, and their places in the file: most are wanted as soon as they are found.
  private var piece: [UInt8] = []
  private var pieceRange = 0..<0

  private static let pieceSize = 256 << 10

  init(path: String, firstNumber: Int) throws(SystemCallError) {
    descriptor = try SystemCalls.open(path)
    self.firstNumber = firstNumber
  }

  /// Reads the file of `descriptor`, whatever its name is by now.
  convenience init(of descriptor: Int32, firstNumber: Int) throws(SystemCallError) {
    try self.init(path: "/proc/self/fd/\(descriptor)", firstNumber: firstNumber)
  }

  deinit {
    SystemCalls.discard(descriptor)
  }

  /// The number after that of the last entry.
  var nextNumber: Int { firstNumber + count }

  /// The file has grown.
  ///
  /// - Parameters:
  ///   - end: of the last entry, or of the line that opens the log.
  ///   - count: entries before `end`.
  func grow(to end: Int, entries count: Int) {
    self.end = end
    self.count = count
  }

  /// The file has grown for the last time.
  func finish(at end: Int, entries count: Int) {
    grow(to: end, entries: count)
    isFinished = true
  }

  /// Looks at the next piece of the file. Returns whether there was any.
  private func scan() throws(SystemCallError) -> Bool {
    pieceRange = 0..<0
    if piece.isEmpty { piece = [UInt8](repeating: 0, count: Self.pieceSize) }
    let count = min(try SystemCalls.read(descriptor, at: scanned, into: &piece), end - scanned)
    guard count > 0 else { return false }
    let piece = piece
    find(in: piece.span.extracting(0..<count))
    pieceRange = scanned..<scanned + count
    scanned += count
    return true
  }

  private func find(in bytes: Span<UInt8>) {
    var position = 0
    while position < bytes.count {
      // A file without entries has an empty line.
      if isAtLineStart, bytes[position] != UInt8(ascii: "\n") {
        starts.append(scanned + position)
        isAtLineStart = false
      }
      guard let newline = bytes.firstIndex(of: UInt8(ascii: "\n"), from: position) else { return }
      isAtLineStart = true
      position = newline + 1
    }
  }

  /// Lends the entry as JSON; `nil` if the file has no such entry.
  func withEntry<Result>(_ number: Int, _ body: (Span<UInt8>) -> Result) throws(SystemCallError) -> Result? {
    let index = number - firstNumber
    guard index >= 0, index < count else { return nil }
    // An entry ends before the next.
    while starts.count <= index + 1, scanned < end, try scan() {}
    guard index < starts.count else { return nil }
    // It is passed once, and rarely looked into after that.
    defer { if isFinished, number == nextNumber - 1 { (piece, pieceRange) = ([], 0..<0) } }
    // A comma and the end of the line are between two entries.
    let range = starts[index]..<(index + 1 < starts.count ? starts[index + 1] - 2 : end)
    if pieceRange.lowerBound <= range.lowerBound, range.upperBound <= pieceRange.upperBound {
      let start = range.lowerBound - pieceRange.lowerBound
      let piece = piece
      return body(piece.span.extracting(start..<start + range.count))
    }
    guard let bytes = try read(range) else { return nil }
    return body(bytes.span)
  }

  private func read(_ range: Range<Int>) throws(SystemCallError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: range.count)
    var filled = 0
    while filled < bytes.count {
      let count = try SystemCalls.read(descriptor, at: range.lowerBound + filled, into: &bytes, from: filled)
      guard count > 0 else { return nil }
      filled += count
    }
    return bytes
  }
}
