internal import TapelineSystem

/// A file of the log, and where each of its entries is. Used on the live page's thread.
///
/// The recorder writes each entry in a line of its own, after a line that opens the log.
final class LiveFile {
  /// Of the first entry.
  let firstNumber: Int
  /// Owned: for reading beside the recorder.
  private let descriptor: Int32
  /// The offset of each entry.
  private var starts: [Int] = []
  /// Everything before was looked at.
  private var end = 0
  private var isAtLineStart = false

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
  var nextNumber: Int { firstNumber + starts.count }

  /// Finds the entries up to `limit`, which is the end of an entry, or of the line that opens the log.
  func scan(upTo limit: Int) throws(SystemCallError) {
    var piece = [UInt8](repeating: 0, count: Self.pieceSize)
    while end < limit {
      let count = min(try SystemCalls.read(descriptor, at: end, into: &piece), limit - end)
      guard count > 0 else { return }
      find(in: piece.span.extracting(0..<count))
      end += count
    }
  }

  /// Finds the rest of the entries of a file to which nothing is added any more. Its last line closes the log.
  func scanToEnd() throws(SystemCallError) {
    try scan(upTo: .max)
    guard let last = starts.popLast() else { return }
    end = last - 1
  }

  private func find(in bytes: Span<UInt8>) {
    var position = 0
    while position < bytes.count {
      // A file without entries has an empty line.
      if isAtLineStart, bytes[position] != UInt8(ascii: "\n") {
        starts.append(end + position)
        isAtLineStart = false
      }
      guard let newline = bytes.firstIndex(of: UInt8(ascii: "\n"), from: position) else { return }
      isAtLineStart = true
      position = newline + 1
    }
  }

  /// The entry as JSON; `nil` if the file has no such entry.
  func entry(_ number: Int) throws(SystemCallError) -> [UInt8]? {
    let index = number - firstNumber
    guard starts.indices.contains(index) else { return nil }
    // A comma and the end of the line are between two entries.
    let stop = index + 1 < starts.count ? starts[index + 1] - 2 : end
    var bytes = [UInt8](repeating: 0, count: stop - starts[index])
    var filled = 0
    while filled < bytes.count {
      let count = try SystemCalls.read(descriptor, at: starts[index] + filled, into: &bytes, from: filled)
      guard count > 0 else { return nil }
      filled += count
    }
    return bytes
  }
}
