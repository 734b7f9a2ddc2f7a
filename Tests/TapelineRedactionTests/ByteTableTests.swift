import CVectors
import Testing

@testable import TapelineRedaction

struct ByteTableTests {
  private let table = ByteTable("=\"".utf8, orWords: ["be", "da"])

  /// A text of each length with one member at each place, looked for from each start.
  @Test func findsTheNextMember() {
    for length in 0..<40 {
      for place in 0..<length {
        var text = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        text[place] = UInt8(ascii: "=")
        for start in 0...length {
          #expect(table.firstMember(of: text.span, from: start) == (start <= place ? place : length))
        }
      }
    }
  }

  @Test func knowsItsMembers() {
    for byte in UInt8(0)...255 {
      for length in [1, 15, 16, 33] {
        let text = [UInt8](repeating: byte, count: length)
        #expect(table.firstMember(of: text.span, from: 0) == (byte == 0x3D || byte == 0x22 ? 0 : length))
      }
    }
  }

  /// Every character of a text with all bytes, in sets of which each has another: by vectors as one by one.
  @Test func vectorsFindWhatBytesFind() {
    let text = (0..<16).flatMap { turn in (UInt8(0)...255).map { $0 &* 7 &+ UInt8(turn) } }
    for member in UInt8(0)..<0x80 {
      var set = byte_search_set()
      unsafe withUnsafeMutableBytes(of: &set.rows) { unsafe $0[Int(member & 0xF)] |= 1 << (member >> 4) }
      for count in [0, 1, 15, 16, 17, 255, 256, text.count] {
        let first = unsafe text.withUnsafeBufferPointer { unsafe byte_search_first($0.baseAddress, count, &set) }
        let scalar = unsafe text.withUnsafeBufferPointer { unsafe byte_search_first_scalar($0.baseAddress, count, &set) }
        #expect(first == scalar)
        #expect(Int(first) == text[..<count].firstIndex(of: member) ?? count)
      }
    }
  }

  @Test(arguments: ["be", "Be", "bE", "BE", "da", "DA"]) func findsTheWordInEitherCase(word: String) {
    for before in ["", "a", "b", "abababab", "a long word b"] {
      let text = Array((before + word + "arer").utf8)
      #expect(table.firstMember(of: text.span, from: 0) == before.utf8.count)
      #expect(table.firstMember(of: text.span, from: before.utf8.count + 1) == text.count)
    }
  }

  /// At each place of texts of each length, in either case, as one by one.
  @Test func vectorsFindWordsWhereBytesDo() {
    var set = byte_search_set()
    set.first.1 = UInt8(ascii: "b")
    set.second.1 = UInt8(ascii: "e")
    for length in 2..<80 {
      for place in 0..<length - 1 {
        var text = Array(repeating: UInt8(ascii: place.isMultiple(of: 2) ? "b" : "e"), count: length)
        text[place...place + 1] = place.isMultiple(of: 3) ? [0x42, 0x45] : [0x62, 0x65]
        let first = unsafe text.withUnsafeBufferPointer { unsafe byte_search_first($0.baseAddress, length, &set) }
        let scalar = unsafe text.withUnsafeBufferPointer { unsafe byte_search_first_scalar($0.baseAddress, length, &set) }
        #expect(first == scalar)
        #expect(first == place)
      }
    }
  }

  /// A dot before each byte, at places of which some are beyond a vector: by vectors as one by one.
  @Test func findsWhatIsJoinedToText() {
    var set = byte_search_set()
    set.joined = UInt8(ascii: ".")
    for place in [0, 1, 30, 31, 32, 50] {
      for next in UInt8(0)...255 {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: place) + [UInt8(ascii: "."), next] + Array("aa".utf8)
        let isJoined = next >= UInt8(ascii: "+") && next < 0x80
        let first = unsafe text.withUnsafeBufferPointer { unsafe byte_search_first($0.baseAddress, text.count, &set) }
        let scalar = unsafe text.withUnsafeBufferPointer { unsafe byte_search_first_scalar($0.baseAddress, text.count, &set) }
        #expect(first == scalar)
        #expect(first == (isJoined ? place : text.count))
      }
    }
    let end = Array("aaaa.".utf8)
    #expect(unsafe end.withUnsafeBufferPointer { unsafe byte_search_first($0.baseAddress, $0.count, &set) } == end.count)
  }

  @Test func findsNoWordAtTheEndOfTheText() {
    #expect(table.firstMember(of: Array("eb".utf8).span, from: 0) == 2)
    #expect(table.firstMember(of: Array("bbbbbbbbb".utf8).span, from: 0) == 9)
  }

  @Test func findsTheFirstOfMany() {
    #expect(table.firstMember(of: Array("abcdefgh\"ij=k=".utf8).span, from: 0) == 8)
    #expect(table.firstMember(of: Array("abcdefgh\"ij=k=".utf8).span, from: 9) == 11)
  }
}
