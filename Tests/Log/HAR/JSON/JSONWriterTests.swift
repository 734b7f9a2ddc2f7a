import Testing

@testable import TapelineHAR

struct JSONWriterTests {
  @Test func growsByWhateverIsAppended() {
    var writer = JSONWriter(capacity: 1)
    var expected: [UInt8] = []
    for count in 0..<300 {
      let piece = [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: count)
      writer.append(json: piece.span)
      expected += piece
    }
    #expect(writer.bytes == expected)
    #expect(writer.count == expected.count)
  }

  @Test func forgetsWhatIsTruncated() {
    var writer = JSONWriter()
    writer.append(json: "{}")
    writer.append(byte: UInt8(ascii: "x"))
    writer.truncate(to: 2)
    writer.append(byte: UInt8(ascii: "\n"))
    #expect(writer.text == "{}\n")
  }

  @Test func knowsWhatWasWrittenLast() {
    var writer = JSONWriter()
    let before = writer.ends(with: UInt8(ascii: "{"))
    writer.append(byte: UInt8(ascii: "{"))
    let after = writer.ends(with: UInt8(ascii: "{"))
    #expect(!before && after)
  }

  @Test func lendsWhatWasWritten() {
    var writer = JSONWriter()
    writer.append(json: "[1]")
    let sum = writer.withBytes { bytes in bytes.indices.reduce(0) { $0 + Int(bytes[$1]) } }
    #expect(sum == 0x5B + 0x31 + 0x5D)
  }

  @Test func nothingMayBeTruncatedToMore() async {
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      writer.truncate(to: 1)
    }
  }
}

extension JSONWriter {
  var text: String { String(decoding: bytes, as: UTF8.self) }
}
