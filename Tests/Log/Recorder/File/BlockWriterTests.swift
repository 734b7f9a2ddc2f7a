import TapelineHAR
import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineRecorder

struct BlockWriterTests {
  private let directory: TemporaryDirectory
  private let closing = Array("]".utf8)

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test(arguments: [1, 2, 4_093, 4_094, 4_095, 4_096, 4_097, 8_191, 8_192, 300_000])
  func textOfAnySizeIsWhole(size: Int) throws {
    let path = try directory.write("", to: "a")
    let descriptor = try SystemCalls.open(path, .readWrite)
    defer { SystemCalls.discard(descriptor) }
    var writer = BlockWriter(descriptor)
    var expected: [UInt8] = []
    for round in 0..<6 {
      let piece = [UInt8](repeating: UInt8(ascii: "a") + UInt8(round), count: size)
      writer.text.append(json: piece.span)
      try writer.write(closing: closing)
      expected += piece
      let found = try readFile(path)
      #expect(found.count == writer.size(with: closing))
      #expect(found.count.isMultiple(of: 4_096))
      #expect(found.starts(with: expected + closing))
      #expect(found.dropFirst(expected.count + 1).dropLast().allSatisfy { $0 == 0x20 })
      #expect(found.last == 0x0A)
    }
    writer.trim(closing: closing)
    #expect(try readFile(path) == expected + closing)
  }

  @Test func memoryOfALargeWriteIsGivenBackAndWhatFollowsIsWhole() throws {
    let path = try directory.write("", to: "a")
    let descriptor = try SystemCalls.open(path, .readWrite)
    defer { SystemCalls.discard(descriptor) }
    var writer = BlockWriter(descriptor)
    let usual = writer.text.capacity
    var expected: [UInt8] = []
    for (round, size) in [5_000, 6 << 20, 5_001, 300_000, 7 << 20].enumerated() {
      let piece = [UInt8](repeating: UInt8(ascii: "a") + UInt8(round), count: size)
      writer.text.append(json: piece.span)
      try writer.write(closing: closing)
      expected += piece
      #expect(try readFile(path).starts(with: expected + closing))
      let capacity = writer.text.capacity
      #expect(size < 1 << 20 || capacity == usual)
    }
  }

  @Test func whatFailedIsTakenBack() throws {
    let path = try directory.write("", to: "a")
    let descriptor = try SystemCalls.open(path, .readWrite)
    defer { SystemCalls.discard(descriptor) }
    var writer = BlockWriter(descriptor)
    let text = [UInt8](repeating: 0x61, count: 5_000)
    writer.text.append(json: text.span)
    try writer.write(closing: closing)
    let before = try readFile(path)
    // As if half of a large append had been written.
    try directory.write(before.dropLast(100) + [UInt8](repeating: 0x62, count: 20_000), to: "a")
    writer.text.append(json: text.span)
    writer.restore(closing: closing)
    #expect(try readFile(path) == before)
    // It may be tried again.
    try writer.write(closing: closing)
    #expect(try readFile(path).starts(with: text + text + closing))
  }
}
