import TapelineTestSupport
import TapelineBase
import Testing

@testable import TapelineLive

/// Entries found in a file that grows.
@Suite("File of the live page")
struct LiveFileTests {
  private static let opening = "{\"log\":{\"entries\":[\n"

  private static func entry(_ number: Int, of file: LiveFile) throws -> String? {
    try file.withEntry(number) { String(decoding: [UInt8](copying: $0), as: UTF8.self) }
  }

  @Test("Each entry of a file that grows is there, whichever is asked for first")
  func growth() throws {
    let directory = try TemporaryDirectory()
    let entries = (1...200).map { "{\"n\":\($0)}" }
    let path = try directory.write(Self.opening + entries.joined(separator: ",\n") + "\n],\"pages\":[]}}   ", to: "a.har")
    let file = try LiveFile(path: path, firstNumber: 41)
    var end = Self.opening.utf8.count
    file.grow(to: end, entries: 0)
    #expect(file.nextNumber == 41)
    for (index, entry) in entries.enumerated() {
      end += entry.utf8.count
      file.grow(to: end, entries: index + 1)
      #expect(file.nextNumber == 42 + index)
      if index % 3 == 0 { #expect(try Self.entry(41 + index, of: file) == entry) }
      #expect(try Self.entry(41 + index / 2, of: file) == entries[index / 2])
      end += ",\n".utf8.count
    }
    #expect(try Self.entry(40, of: file) == nil && Self.entry(241, of: file) == nil)
    file.finish(at: end - ",\n".utf8.count, entries: entries.count)
    #expect(file.nextNumber == 241)
    #expect(try Self.entry(240, of: file) == "{\"n\":200}" && Self.entry(239, of: file) == "{\"n\":199}")
  }

  @Test("An entry that two reads have in part, or that is larger than a read, is whole")
  func largeEntries() throws {
    let directory = try TemporaryDirectory()
    let entries = (1...40).map { "{\"n\":\"\(String(repeating: "x", count: $0 * 10_000))\"}" }
    let text = Self.opening + entries.joined(separator: ",\n")
    let file = try LiveFile(path: try directory.write(text + "\n],\"pages\":[]}}", to: "a.har"), firstNumber: 1)
    file.grow(to: text.utf8.count, entries: entries.count)
    for (index, entry) in entries.enumerated() { #expect(try Self.entry(1 + index, of: file) == entry) }
    #expect(try Self.entry(17, of: file) == entries[16])
  }

  @Test("A file that was finished before anybody looked has all of its entries", arguments: [0, 1, 3])
  func wholeFile(count: Int) throws {
    let directory = try TemporaryDirectory()
    let entries = (0..<count).map { "{\"n\":\($0)}" }
    let text = Self.opening + entries.joined(separator: ",\n")
    let file = try LiveFile(path: try directory.write(text + "\n],\"pages\":[]}}", to: "a.har"), firstNumber: 1)
    file.finish(at: text.utf8.count, entries: count)
    #expect(file.nextNumber == 1 + count)
    for _ in 0..<2 {
      for (index, entry) in entries.enumerated() { #expect(try Self.entry(1 + index, of: file) == entry) }
    }
    #expect(try Self.entry(1 + count, of: file) == nil)
  }
}
