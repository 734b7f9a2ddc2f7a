import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Numbered entries")
struct NumberedEntriesTests {
  private func file(_ tail: String = "]}}") throws -> TemporaryFile {
    let entries = (1...5).map { number in
      var entry = HAREntry.ordinary()
      entry.time = Double(number)
      return String(decoding: entry.json, as: UTF8.self)
    }
    return try TemporaryFile(#"{"log":{"version":"1.2","entries":["# + entries.joined(separator: ",") + tail)
  }

  @Test("Those that are asked for, whole")
  func found() throws {
    let file = try file()
    let (entries, _) = try NumberedEntries.read(path: file.path, numbers: [4, 2])
    #expect(entries.mapValues(\.time) == [2: 2, 4: 4])
    #expect(entries[2]?.request.headers.count == 2)
  }

  @Test("What the file does not have is missing, and the number of those that it has is told")
  func missing() throws {
    let file = try file()
    let (entries, count) = try NumberedEntries.read(path: file.path, numbers: [1, 6])
    #expect(entries.keys.sorted() == [1])
    #expect(count == 5)
  }

  @Test("Damage behind the last of them does not matter; before it, it does")
  func damage() throws {
    let file = try file(",{\"oh\":")
    #expect(try NumberedEntries.read(path: file.path, numbers: [5]).entries.count == 1)
    #expect(throws: CaptureError.self) { try NumberedEntries.read(path: file.path, numbers: [6]) }
  }
}
