import TapelineSystem
import Testing

@Suite("Character converter")
struct CharacterConverterTests {
  private struct UnknownEncoding: Error {}

  private func convert(_ bytes: [UInt8], from name: String, room: Int = 100) throws -> (text: String, position: Int, stop: String)
  {
    guard let converter = CharacterConverter(from: name) else { throw UnknownEncoding() }
    var output = [UInt8](repeating: 0, count: room)
    var (position, end) = (0, 0)
    let stop = converter.convert(bytes.span, from: &position, into: &output, from: &end)
    return (String(decoding: output[..<end], as: UTF8.self), position, "\(stop)")
  }

  @Test("Text becomes UTF-8; where it stops and why is said")
  func converting() throws {
    #expect(try convert([0x61, 0xE9], from: "ISO-8859-1") == ("aé", 2, "end"))
    #expect(try convert([0x61, 0x82], from: "SHIFT_JIS") == ("a", 1, "incomplete"))
    #expect(try convert([0x61, 0xFF, 0x62], from: "UTF-8") == ("a", 1, "invalid"))
    #expect(try convert([0x61, 0x62, 0x63], from: "ISO-8859-1", room: 2) == ("ab", 2, "full"))
    #expect(try convert([], from: "ISO-8859-1") == ("", 0, "end"))
  }

  @Test("An encoding that nobody knows has no converter")
  func unknown() {
    #expect(throws: UnknownEncoding.self) { try convert([], from: "no-such-encoding") }
  }
}
