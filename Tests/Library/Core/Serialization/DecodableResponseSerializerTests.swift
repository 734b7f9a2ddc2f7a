import FoundationEssentials
import TapelineCore
import Testing

@Suite struct DecodableResponseSerializerTests {
  private struct Value: Codable, Hashable, Sendable {
    var name: String
  }

  @Test("Any decoder decodes a value of the caller's type")
  func decoding() throws {
    let json = Data(#"{"name":"x"}"#.utf8)
    let serializer: any ResponseSerializer<Value> = .decodable(of: Value.self)
    #expect(try serializer.serialize(request: nil, response: nil, data: json, error: nil) == Value(name: "x"))
    let list = try PropertyListEncoder().encode(Value(name: "y"))
    #expect(
      try DecodableResponseSerializer<Value>(decoder: PropertyListDecoder())
        .serialize(request: nil, response: nil, data: list, error: nil) == Value(name: "y"))
  }

  @Test func failures() {
    let error = #expect(throws: TapelineError.self) {
      try DecodableResponseSerializer<Value>().serialize(request: nil, response: nil, data: Data("[]".utf8), error: nil)
    }
    #expect(error?.underlyingError is DecodingError)
  }
}
