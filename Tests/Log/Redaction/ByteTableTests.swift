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
      let table = ByteTable([member])
      for count in [0, 1, 15, 16, 17, 255, 256, text.count] {
        let part = text[..<count]
        #expect(first(of: table, in: Array(part)) == part.firstIndex(of: member) ?? count)
      }
    }
  }

  /// Members, words and what is joined are told apart, whatever two bytes follow each other and wherever.
  @Test(arguments: [(":=%/<>JI_-(['", ["be", "ba", "da"]), ("", ["pu", "pe", "za", "ko"])])
  func findsEachPairOfBytes(members: String, words: [String]) {
    let members = Set(members.utf8)
    // Static strings: those that the arguments repeat.
    let table =
      members.isEmpty
      ? ByteTable(members, orWords: ["pu", "pe", "za", "ko"], joined: UInt8(ascii: "."))
      : ByteTable(members, orWords: ["be", "ba", "da"], joined: UInt8(ascii: "."))
    for before in [0, 30, 31] {
      for one in UInt8(0)...255 {
        for next in UInt8(0)...255 where !members.contains(next) {
          let pair = [one, next].map { $0 >= 0x41 && $0 < 0x5B ? $0 | 0x20 : $0 }
          let isWord = words.contains { Array($0.utf8) == pair }
          let isJoined = one == 0x2E && next >= 0x2B && next < 0x80
          let text = [UInt8](repeating: 0x20, count: before) + [one, next, 0x20]
          let expected = members.contains(one) || isWord || isJoined ? before : text.count
          if first(of: table, in: text) != expected { Issue.record("\(one) and \(next) after \(before) blanks") }
        }
      }
    }
  }

  private func first(of table: ByteTable, in text: [UInt8]) -> Int {
    let place = table.firstMember(of: text.span, from: 0)
    if place != table.firstMemberByBytes(of: text.span, from: 0) { Issue.record("vectors and bytes differ: \(text)") }
    return place
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
    let table = ByteTable([], orWords: ["be"])
    for length in 2..<80 {
      for place in 0..<length - 1 {
        var text = Array(repeating: UInt8(ascii: place.isMultiple(of: 2) ? "b" : "e"), count: length)
        text[place...place + 1] = place.isMultiple(of: 3) ? [0x42, 0x45] : [0x62, 0x65]
        #expect(first(of: table, in: text) == place)
      }
    }
  }

  /// A dot before each byte, at places of which some are beyond a vector: by vectors as one by one.
  @Test func findsWhatIsJoinedToText() {
    let table = ByteTable([], joined: UInt8(ascii: "."))
    for place in [0, 1, 30, 31, 32, 50] {
      for next in UInt8(0)...255 {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: place) + [UInt8(ascii: "."), next] + Array("aa".utf8)
        let isJoined = next >= UInt8(ascii: "+") && next < 0x80
        #expect(first(of: table, in: text) == (isJoined ? place : text.count))
      }
    }
    #expect(first(of: table, in: Array("aaaa.".utf8)) == 5)
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
