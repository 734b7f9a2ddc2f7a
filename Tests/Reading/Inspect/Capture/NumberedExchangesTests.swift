import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Numbered exchanges")
struct NumberedExchangesTests {
  private func file(_ tail: String = "]}}") throws -> TemporaryFile {
    let entries = (1...5).map { number in
      var entry = HAREntry.ordinary()
      entry.time = Double(number)
      return String(decoding: entry.json, as: UTF8.self)
    }
    return try TemporaryFile(#"{"log":{"version":"1.2","entries":["# + entries.joined(separator: ",") + tail)
  }

  private func read(
    _ ranges: [ClosedRange<Int>], of file: TemporaryFile
  ) throws(CaptureError) -> (found: [(number: Int, entry: HAREntry)], count: Int) {
    var exchanges = NumberedExchanges(ranges, in: try InputSource.open(file.path))
    var found: [(number: Int, entry: HAREntry)] = []
    while let next = try exchanges.next() { found.append(next) }
    return (found, exchanges.count)
  }

  @Test("Those that are asked for, whole and in the order of the file")
  func found() throws {
    let (found, _) = try read([4...4, 2...3], of: file())
    #expect(found.map(\.number) == [2, 3, 4] && found.map(\.entry.time) == [2, 3, 4])
    #expect(found.first?.entry.request.headers.count == 2)
  }

  @Test("What the file does not have is missing, and the number of those that it has is told")
  func missing() throws {
    let (found, count) = try read([1...1, 6...9], of: file())
    #expect(found.map(\.number) == [1])
    #expect(count == 5)
  }

  @Test("Damage behind the last of them does not matter; before it, it does")
  func damage() throws {
    let file = try file(",{\"oh\":")
    #expect(try read([5...5], of: file).found.count == 1)
    #expect(throws: CaptureError.self) { try read([6...6], of: file) }
  }
}
