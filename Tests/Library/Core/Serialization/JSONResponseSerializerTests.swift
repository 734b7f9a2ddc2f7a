import FoundationEssentials
import TapelineCore
import Testing

@Suite struct JSONResponseSerializerTests {
  @Test("JSON becomes Swift values, or a JSON value")
  func values() throws {
    let data = Data(#"{"a":[1,true,null,"x",1.5]}"#.utf8)
    let object = try JSONResponseSerializer().serialize(request: nil, response: nil, data: data, error: nil)
    let elements = try #require((object as? [String: any Sendable])?["a"] as? [any Sendable])
    #expect(elements[0] as? Int == 1)
    #expect(elements[1] as? Bool == true)
    #expect(elements[4] as? Double == 1.5)
    let value = try JSONValueResponseSerializer().serialize(request: nil, response: nil, data: data, error: nil)
    #expect(value["a"]?[3] == .string("x"))
    #expect(
      try JSONValueResponseSerializer().serialize(request: nil, response: nil, data: Data("7".utf8), error: nil) == .integer(7))
  }

  @Test func whatIsNoJSON() {
    let error = #expect(throws: TapelineError.self) {
      try JSONResponseSerializer().serialize(request: nil, response: nil, data: Data("{".utf8), error: nil)
    }
    guard case .responseSerializationFailed(.jsonSerializationFailed) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
