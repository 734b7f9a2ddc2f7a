import TapelineHAR
import TapelineSystem
import Testing

@testable import TapelineInspect

@Suite("Input files")
struct InputFileTests {
  @Test("All bytes, in pieces")
  func pieces() throws {
    let bytes = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let temporary = try TemporaryFile(bytes)
    var file = try InputFile(path: temporary.path, expecting: .anything)
    var found: [UInt8] = []
    var count = 0
    while try file.read() {
      count += 1
      file.withPiece { piece in
        for index in piece.indices { found.append(piece[index]) }
      }
    }
    #expect(found == bytes && count > 1)
    #expect(try !file.read())
  }

  @Test("Bytes anywhere in the file, wherever the reading stands")
  func ranges() throws {
    let temporary = try TemporaryFile("0123456789")
    let file = try InputFile(path: temporary.path)
    #expect(try file.bytes(in: 3..<6) == Array("345".utf8))
    #expect(try file.bytes(in: 8..<20) == Array("89".utf8))
    #expect(try file.bytes(in: 20..<21) == [])
  }

  @Test("Elements, with the places of errors in the whole file")
  func elements() throws {
    let temporary = try TemporaryFile(#"{"log":{"entries":[{"a":1},{"b":x},{}]}}"#)
    var file = try InputFile(path: temporary.path)
    var kinds: [HARElementReader.Element.Kind] = []
    var passed: [HARReadError] = []
    try file.forEachElement { (element, bytes) throws(HARReadError) in
      kinds.append(element.kind)
      _ = try HARValue(json: bytes)
    } passing: { _, error in
      passed.append(error)
    }
    #expect(kinds == [.entry, .entry, .entry])
    #expect(passed == [HARReadError(kind: .expected("a value"), offset: 32)])
  }

  @Test("What cannot be opened or read is an error by its number")
  func errors() throws {
    #expect(throws: CaptureError.system(code: ErrorCode.notFound)) { _ = try InputFile(path: "/tapeline-no-such-file") }
    #expect(throws: CaptureError.system(code: ErrorCode.isDirectory)) {
      var file = try InputFile(path: "/tmp")
      _ = try file.read()
    }
  }
}
