import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineRecorder

/// Where a log ends that a crash has left, wherever the last write broke off.
struct LogTailTests {
  private static let blockSize = 4096
  private static let opening = Array(
    "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"t\",\"version\":\"1\"},\"entries\":[\n".utf8)

  private static func entry(_ number: Int, size: Int) -> [UInt8] {
    Array("{\"comment\":\"\(number) }],\\\"\(String(repeating: "x", count: size))\"}".utf8)
  }

  /// A text with entries of these sizes, and where each ends.
  private static func text(_ sizes: [Int]) -> (text: [UInt8], ends: [Int]) {
    var (text, ends) = (opening, [Int]())
    for (number, size) in sizes.enumerated() {
      if number > 0 { text += Array(",\n".utf8) }
      text += entry(number, size: size)
      ends.append(text.count)
    }
    return (text + FileClosing(pages: [], missing: MissingCounts()).bytes, ends)
  }

  private static func tail(of bytes: [UInt8], known: Int, counted: Int) throws -> LogTail {
    let directory = try TemporaryDirectory()
    let path = try directory.write(bytes, to: "a.har")
    let descriptor = try SystemCalls.open(path)
    defer { SystemCalls.discard(descriptor) }
    return try LogTail(descriptor, path: path, known: known, counted: Int64(counted))
  }

  private static func expect(_ tail: LogTail, endsAt end: Int, _ count: Int, of text: [UInt8], _ remark: Comment) {
    #expect(tail.end == end && tail.entryCount == UInt64(count), remark)
    #expect(tail.block == Array(text[(end - end % blockSize)..<end]), remark)
  }

  @Test(
    "Behind the last whole entry, whatever of the write got there",
    arguments: [[10, 20, 30], [4_000, 90, 5_000], [1, 9_000, 1]])
  func broken(sizes: [Int]) throws {
    let (text, ends) = Self.text(sizes)
    // Before the first entry, and behind each.
    for known in [Self.opening.count - 1] + ends {
      let before = ends.count { $0 <= known }
      let start = max(known, Self.opening.count)
      let cuts =
        stride(from: start, through: text.count, by: max(1, (text.count - start) / 40)) + ends.filter { $0 >= start } + [
          text.count
        ]
      for cut in cuts {
        let count = max(before, ends.count { $0 <= cut })
        let end = count > before ? ends[count - 1] : known
        let tail = try Self.tail(of: Array(text[..<cut]), known: known, counted: before)
        Self.expect(tail, endsAt: end, count, of: text, "known to \(known), written to \(cut)")
      }
    }
  }

  @Test("The entries of a batch whose number was not noted yet are not counted as none")
  func uncounted() throws {
    let (text, ends) = Self.text([10, 20])
    let tail = try Self.tail(of: text, known: ends[0], counted: 0)
    Self.expect(tail, endsAt: ends[1], 2, of: text, "one was known by the text alone")
  }

  @Test("Zeros of a block that was not written, and the closing of before, are no entries", arguments: [0, 1, 5_000])
  func garbage(size: Int) throws {
    let (text, ends) = Self.text([10, 20])
    let zeros = [UInt8](repeating: 0, count: size)
    let tail = try Self.tail(of: Array(text[..<ends[0]]) + zeros + Array(text[ends[0]...]), known: ends[0], counted: 1)
    Self.expect(tail, endsAt: size == 0 ? ends[1] : ends[0], size == 0 ? 2 : 1, of: text, "\(size) zeros")
    let closed = Array(text[..<ends[0]]) + FileClosing(pages: [], missing: MissingCounts()).bytes + text[ends[0]...]
    Self.expect(try Self.tail(of: closed, known: ends[0], counted: 1), endsAt: ends[0], 1, of: text, "closed before")
  }
}
