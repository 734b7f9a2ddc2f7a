import CVectors
import Testing

@testable import TapelineRedaction

struct BeginningTableTests {
  private func table(_ texts: [String]) -> BeginningTable {
    var table = BeginningTable()
    for text in texts { table.insert(Array(text.utf8).span) }
    return table
  }

  /// A text of each length with one beginning at each place, looked for from each start.
  @Test func findsTheNextBeginning() {
    let table = table(["Zyxwabc"])
    for length in 4..<60 {
      for place in 0...length - 4 {
        var text = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        text.replaceSubrange(place..<place + 4, with: "Zyxw".utf8)
        for start in 0...length {
          #expect(table.next(in: text.span, from: start) == (start <= place ? place : length))
        }
      }
    }
  }

  @Test func aBeginningThatIsCutOffDoesNotCount() {
    let text = Array("aaaaaaaaaaaaaaaaaaaaaZyx".utf8)
    #expect(table(["Zyxw"]).next(in: text.span, from: 0) == text.count)
    #expect(table(["Zyxw"]).next(in: [UInt8]().span, from: 0) == 0)
    #expect(table([]).next(in: text.span, from: 0) == text.count)
  }

  @Test func everyByteCounts() {
    for byte in UInt8(0)...255 {
      let text =
        [UInt8](repeating: 0x41, count: 20) + [byte, 0x41 ^ byte, byte, 0x80 | byte] + [UInt8](repeating: 0x41, count: 20)
      var table = BeginningTable()
      table.insert(Array(text[20..<24]).span)
      #expect(table.next(in: text.span, from: 0) <= 20)
    }
  }

  @Test func withTooManyBeginningsEveryPlaceCounts() {
    let many = (0..<64).map { "\(Unicode.Scalar(UInt8(33 + $0)))abc" }
    let text = Array("~~~~~~~~~~~~~~~~~~~~~~~~~~~~".utf8)
    #expect(table(Array(many.dropLast())).next(in: text.span, from: 3) == text.count)
    #expect(table(many).next(in: text.span, from: 3) == 3)
    // The same beginning again does not count.
    #expect(table(Array(many.dropLast()) + many.dropLast()).next(in: text.span, from: 3) == text.count)
  }

  @Test func vectorsFindWhatBytesFind() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var beginnings = byte_search_beginnings()
      unsafe withUnsafeMutableBytes(of: &beginnings) { table in
        for place in table.indices {
          unsafe table[place] = .random(in: 0...255, using: &random) & .random(in: 0...255, using: &random)
        }
      }
      let text = (0..<100).map { _ in UInt8.random(in: 0...255, using: &random) }
      for start in [0, 1, 50, 90, 97, 100] {
        unsafe text[start...].withUnsafeBufferPointer { bytes in
          let first = unsafe byte_search_first_beginning(bytes.baseAddress, bytes.count, &beginnings)
          #expect(unsafe first == byte_search_first_beginning_scalar(bytes.baseAddress, bytes.count, &beginnings))
        }
      }
    }
  }
}
