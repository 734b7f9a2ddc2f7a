import TapelineTestSupport
import Testing

@testable import TapelineCoding

@Suite("Compressed files")
struct FileDecompressorTests {
  private static let text = Array(CodedText.text.utf8)

  /// Gives the decompressor pieces of so many bytes, and room for so many.
  private func decompress(
    _ bytes: [UInt8], piece: Int = 7, room size: Int = 5
  ) throws(DecodingError) -> (bytes: [UInt8], isComplete: Bool) {
    guard let decompressor = FileDecompressor(startingWith: bytes.span) else {
      throw .unknownCoding
    }
    var result: [UInt8] = []
    var room = [UInt8](repeating: 0, count: size)
    var rest = bytes.span
    while rest.count > 0 {
      var input = rest.extracting(first: min(piece, rest.count))
      rest = rest.extracting(droppingFirst: min(piece, rest.count))
      var isFull = false
      while input.count > 0 || isFull {
        // From the middle on, too.
        let start = size / 2
        let step = try decompressor.decode(input, into: &room, from: start)
        input = input.extracting(droppingFirst: step.taken)
        isFull = start + step.made == size
        result += room[start..<start + step.made]
      }
    }
    return (result, decompressor.isComplete)
  }

  @Test("In pieces of any size, into room of any size", arguments: [CodedText.gzip, CodedText.zstandard])
  func pieces(bytes: [UInt8]) throws {
    for piece in [1, 2, 7, 1_000] {
      for room in [1, 3, 64, 1_000] {
        let (text, isComplete) = try decompress(bytes, piece: piece, room: room)
        #expect(text == Self.text && isComplete)
      }
    }
  }

  @Test("Members and frames follow each other; a tape's padding behind them is nothing")
  func members() throws {
    #expect(try decompress(CodedText.gzip + CodedText.gzip).bytes == Self.text + Self.text)
    #expect(try decompress(CodedText.zstandard + CodedText.zstandard).bytes == Self.text + Self.text)
    let padded = try decompress(CodedText.gzip + [UInt8](repeating: 0, count: 20))
    #expect(padded.bytes == Self.text && padded.isComplete)
    // As parallel compressors begin: a frame to be skipped.
    let skippable: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 9, 9]
    #expect(try decompress(skippable + CodedText.zstandard).bytes == Self.text)
  }

  @Test("What is cut off is not complete, wherever it is cut", arguments: [CodedText.gzip, CodedText.zstandard])
  func truncated(bytes: [UInt8]) throws {
    for count in 4..<bytes.count {
      let (text, isComplete) = try decompress(Array(bytes.prefix(count)))
      #expect(Self.text.starts(with: text) && !isComplete)
    }
  }

  @Test("Wrong data is an error")
  func wrong() {
    var damaged = CodedText.gzip
    damaged[damaged.count - 6] ^= 0xFF
    #expect(throws: DecodingError.wrongData(.gzip, reason: "incorrect data check")) { try decompress(damaged) }
    #expect(throws: DecodingError.self) { try decompress(CodedText.gzip + Array("more".utf8)) }
    #expect(throws: DecodingError.self) { try decompress(CodedText.gzip + [0, 0, 1]) }
    #expect(throws: DecodingError.self) { try decompress(CodedText.zstandard + Array("more and more".utf8)) }
  }

  @Test("A file may want a larger window than a body")
  func window() throws {
    #expect(try decompress(CodedText.wideZstandard).bytes.starts(with: "abc".utf8))
  }

  @Test("What is not compressed, or says nothing, is none", arguments: [[], [0x1F], Array("{\"log\"".utf8), CodedText.brotli])
  func none(bytes: [UInt8]) {
    #expect(FileDecompressor(startingWith: bytes.span) == nil)
  }
}
