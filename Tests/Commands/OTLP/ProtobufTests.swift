import TapelineInspect
import Testing

@testable import TapelineOTLP

struct ProtobufTests {
  private struct Malformed: Error {}

  private func bytes(_ write: (inout ProtobufWriter) -> Void) -> [UInt8] {
    var writer = ProtobufWriter()
    write(&writer)
    return writer.bytes
  }

  @Test("Numbers are written in as many bytes as they need, and left out if they are 0")
  func numbers() {
    #expect(bytes { $0.append(1, varint: 0) } == [])
    #expect(bytes { $0.append(1, varint: 127) } == [0x08, 0x7F])
    #expect(bytes { $0.append(1, varint: 300) } == [0x08, 0xAC, 0x02])
    #expect(bytes { $0.append(16, varint: 1) } == [0x80, 0x01, 0x01])
    #expect(bytes { $0.append(1, varint: .max) } == [0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x01])
    #expect(bytes { $0.append(3, member: -1 as Int64) } == [0x18] + [UInt8](repeating: 0xFF, count: 9) + [0x01])
    #expect(bytes { $0.append(7, fixed64: 0x0102) } == [0x39, 2, 1, 0, 0, 0, 0, 0, 0])
    #expect(bytes { $0.append(16, fixed32: 0x0102) } == [0x85, 0x01, 2, 1, 0, 0])
  }

  @Test(
    "A message has its length before it, however long it is", arguments: [0, 1, 125, 126, 127, 128, 16_381, 16_384, 3_000_000])
  func messages(size: Int) throws {
    let text = String(repeating: "x", count: size)
    let message = bytes { writer in
      writer.append(1) { $0.append(2) { $0.append(3, member: text) } }
      writer.append(4, varint: 1)
    }
    var reader = ProtobufReader(message[...])
    guard case (1, .delimited(let outer))? = reader.next() else { throw Malformed() }
    var outerReader = ProtobufReader(outer)
    guard case (2, .delimited(let inner))? = outerReader.next() else { throw Malformed() }
    var innerReader = ProtobufReader(inner)
    guard case (3, .delimited(let read))? = innerReader.next() else { throw Malformed() }
    #expect(read.elementsEqual(text.utf8))
    guard case (4, .varint(1))? = reader.next() else { throw Malformed() }
    for rest in [reader, outerReader, innerReader] {
      var rest = rest
      #expect(rest.next() == nil)
    }
  }

  @Test("Identifiers are big-endian bytes")
  func identifiers() {
    #expect(bytes { $0.append(2, words: 0x0102_0304_0506_0708) } == [0x12, 8, 1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test("A response says how many spans were rejected; anything else says nothing, and ends")
  func responses() {
    let response: [UInt8] = [0x0A, 0x07, 0x08, 0x02, 0x12, 0x03, 0x6F, 0x6C, 0x64]
    #expect(TraceExportResponse(response).rejectedSpans == 2)
    #expect(TraceExportResponse(response).message == "old")
    for end in 0..<response.count { #expect(TraceExportResponse(Array(response[..<end])).rejectedSpans == 0) }
    #expect(TraceExportResponse(Array("<html>no</html>".utf8)).rejectedSpans == 0)
    // -1, as an int64.
    #expect(TraceExportResponse([0x0A, 0x0B, 0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x01]).rejectedSpans == 0)
    var seed: UInt64 = 7
    for _ in 0..<20_000 {
      var bytes: [UInt8] = []
      for _ in 0..<12 {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes.append(UInt8(truncatingIfNeeded: seed >> 56))
      }
      #expect(TraceExportResponse(bytes).rejectedSpans >= 0)
    }
  }
}
