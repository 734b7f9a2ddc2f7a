import TapelineTestSupport
import Testing

@testable import TapelineCapture

/// Entries found in a file that grows.
@Suite("File of the live page")
struct LiveFileTests {
  private static let opening = "{\"log\":{\"entries\":[\n"

  @Test("Each entry is found once, wherever the reads end")
  func growth() throws {
    let directory = try TemporaryDirectory()
    let entries = (1...200).map { "{\"n\":\($0)}" }
    let path = try directory.write(Self.opening + entries.joined(separator: ",\n") + "\n],\"pages\":[]}}   ", to: "a.har")
    let file = try LiveFile(path: path, firstNumber: 41)
    var end = Self.opening.utf8.count
    try file.scan(upTo: end)
    #expect(file.nextNumber == 41)
    for (index, entry) in entries.enumerated() {
      end += entry.utf8.count
      try file.scan(upTo: end)
      #expect(file.nextNumber == 42 + index)
      #expect(try file.entry(41 + index) == Array(entry.utf8))
      #expect(try file.entry(41 + index / 2) == Array(entries[index / 2].utf8))
      end += ",\n".utf8.count
    }
    #expect(try file.entry(40) == nil && file.entry(241) == nil)
    try file.scanToEnd()
    #expect(file.nextNumber == 241)
    #expect(try file.entry(240) == Array("{\"n\":200}".utf8))
  }

  @Test("A whole file is read to its end, with entries or without", arguments: [0, 1, 3])
  func wholeFile(count: Int) throws {
    let directory = try TemporaryDirectory()
    let entries = (0..<count).map { "{\"n\":\($0)}" }
    let path = try directory.write(Self.opening + entries.joined(separator: ",\n") + "\n],\"pages\":[]}}", to: "a.har")
    let file = try LiveFile(path: path, firstNumber: 1)
    try file.scanToEnd()
    #expect(file.nextNumber == 1 + count)
    for (index, entry) in entries.enumerated() { #expect(try file.entry(1 + index) == Array(entry.utf8)) }
  }
}
