import FoundationEssentials
import TapelineCore
import Testing

@Suite struct DataStreamSerializerTests {
  @Test("The stream variants take each piece by itself")
  func pieces() throws {
    #expect(PassthroughStreamSerializer().serialize(Data([1])) == Data([1]))
    #expect(StringStreamSerializer().serialize(Data([0x61, 0xC3])) == "a\u{FFFD}")
    #expect(try DecodableStreamSerializer<[Int]>().serialize(Data("[1]".utf8)) == [1])
    let error = #expect(throws: TapelineError.self) { try DecodableStreamSerializer<[Int]>().serialize(Data("[".utf8)) }
    #expect(error?.underlyingError is DecodingError)
  }
}
