import TapelineBase
import Testing

@testable import TapelineHTTP

@Suite struct FieldNameTests {
  @Test(arguments: FieldName.allCases.filter { $0 != .other })
  func aNameIsFoundInAnyCaseAndNoOtherNameIsTakenForIt(name: FieldName) {
    let spelling = name.spelling
    #expect(FieldName(spelling: spelling) == name)
    #expect(FieldName(spelling: spelling.lowercased()) == name)
    #expect(FieldName(spelling: spelling.uppercased()) == name)
    #expect(FieldName(spelling: spelling + "s") == .other || spelling == "TE")
    #expect(FieldName(spelling: "X-" + spelling) != name)

    // Every other byte at every place makes another name.
    let bytes = Array(spelling.utf8)
    for place in bytes.indices {
      for byte in UInt8.min...0x7F where Byte.lowercased(byte) != Byte.lowercased(bytes[place]) {
        var other = bytes
        other[place] = byte
        #expect(FieldName(spelling: String(decoding: other, as: UTF8.self)) != name)
      }
    }
  }

  @Test func allNamesFitIntoTheSet() {
    #expect(FieldName.allCases.count <= 64)
    for name in FieldName.allCases {
      let set = FieldNameSet(name)
      #expect(FieldName.allCases.filter { set.contains($0) } == [name])
    }
  }

  @Test func longAndEmptyNamesAreOther() {
    #expect(FieldName(spelling: "") == .other)
    #expect(FieldName(spelling: String(repeating: "a", count: 300)) == .other)
  }
}
