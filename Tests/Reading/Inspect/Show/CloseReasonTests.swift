import Testing

@testable import TapelineInspect

@Suite("Close reason")
struct CloseReasonTests {
  private func text(_ payload: [UInt8]) -> String? { CloseReason(payload: payload)?.text }

  @Test("The code, its name and what was said")
  func texts() {
    #expect(text([0x03, 0xE8]) == "1000 Normal Closure")
    #expect(text([0x03, 0xE9] + Array("bye".utf8)) == "1001 Going Away: bye")
    #expect(text([0x0F, 0xA1] + Array("as you wish".utf8)) == "4001 (of the application): as you wish")
    #expect(text([0x0B, 0xB9]) == "3001 (of a library)")
    #expect(text([0x0B, 0xBB]) == "3003 Forbidden")
    #expect(text([0x00, 0x07]) == "7")
    #expect(text([]) == "no code")
    #expect(text([3]) == nil, "half a code is none")
  }
}

@Suite("Bytes in a line")
struct ByteLineTests {
  private func line(_ bytes: [UInt8], width: Int = 60) -> String {
    ByteLine.text(of: bytes, size: bytes.count, width: width)
  }

  @Test("In hexadecimal, and as text where they are one")
  func kinds() {
    #expect(line([0, 1, 0xFF]) == "3 B  00 01 ff")
    #expect(line(Array("hello".utf8)) == "5 B  68 65 6c 6c 6f  \"hello\"")
    #expect(line(Array("größer".utf8)) == "8 B  67 72 c3 b6 c3 9f 65 72  \"größer\"")
    #expect(line([]) == "0 B")
    #expect(line([0x1B, 0x5B]) == "2 B  1b 5b", "what would drive a terminal is no text")
  }

  @Test("In as much room as there is")
  func widths() {
    for width in [20, 40, 60, 200] {
      for count in [1, 8, 9, 40, 500] {
        #expect(line([UInt8](repeating: 0, count: count), width: width).cellCount <= width)
        #expect(line([UInt8](repeating: 0x61, count: count), width: width).cellCount <= width)
      }
    }
    #expect(line([UInt8](repeating: 7, count: 30), width: 20) == "30 B  07 07 07 07…")
  }
}
