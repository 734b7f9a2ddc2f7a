import Testing

@testable import TapelineTLS

struct RecordWalkerTests {
  private func walk(_ bytes: [UInt8], inPiecesOf size: Int) -> [(type: UInt8, length: Int, bytes: [UInt8])]? {
    var walker = RecordWalker()
    var fragments: [(type: UInt8, length: Int, bytes: [UInt8])] = []
    var start = 0
    while start < bytes.count {
      let piece = Array(bytes[start..<min(start + size, bytes.count)])
      start += piece.count
      var position = 0
      step: while true {
        switch walker.next(in: piece.span, from: &position) {
        case .needsMore: break step
        case .invalid: return nil
        case .fragment(let fragment):
          fragments.append((fragment.type.rawValue, fragment.recordLength, Array(piece[fragment.range])))
        }
      }
    }
    return fragments
  }

  private let stream: [UInt8] = [22, 3, 1, 0, 3, 1, 2, 3, 20, 3, 3, 0, 1, 1, 23, 3, 3, 0, 2, 8, 9]

  @Test func recordsAreFoundByTheirHeaders() throws {
    let fragments = try #require(walk(stream, inPiecesOf: .max >> 1))
    #expect(fragments.map(\.type) == [22, 20, 23])
    #expect(fragments.map(\.length) == [3, 1, 2])
    #expect(fragments.map(\.bytes) == [[1, 2, 3], [1], [8, 9]])
  }

  @Test(arguments: 1...8) func piecesMakeNoDifference(_ size: Int) throws {
    let fragments = try #require(walk(stream, inPiecesOf: size))
    for (type, bytes) in [(UInt8(22), [UInt8(1), 2, 3]), (20, [1]), (23, [8, 9])] {
      #expect(fragments.filter { $0.type == type }.flatMap(\.bytes) == bytes)
    }
  }

  @Test func everythingElseIsInvalid() {
    for bytes: [UInt8] in [[19], [24], [22, 4], [22, 3, 3, 0x49], [22, 3, 3, 0x48, 1]] {
      #expect(walk(bytes, inPiecesOf: 1) == nil)
    }
    #expect(walk([22, 3, 3, 0x48, 0], inPiecesOf: 1) != nil)
  }
}
