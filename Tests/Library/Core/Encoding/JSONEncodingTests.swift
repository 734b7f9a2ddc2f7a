import FoundationEssentials
import TapelineCore
import Testing

@Suite struct JSONEncodingTests {
  private let request: URLRequest

  init() throws {
    request = try URLRequest(url: "http://a.example/", method: .post)
  }

  @Test("Without parameters, the request stays unchanged")
  func noParameters() throws {
    #expect(try JSONEncoding.default.encode(request, with: nil) == request)
    #expect(try JSONEncoding.default.encode(request, withJSONObject: nil) == request)
  }

  @Test("The body is the parameters as JSON, written with the given options")
  func body() throws {
    let parameters: Parameters = ["b": [1, 2.5, true] as [any Sendable], "a": ["x": nil, "y": "ä/\"\n"] as [String: String?]]
    #expect(
      try JSONEncoding.default.encode(request, with: parameters).httpBody
        == Data(#"{"a":{"x":null,"y":"ä/\"\n"},"b":[1,2.5,true]}"#.utf8))
    #expect(
      try JSONEncoding.prettyPrinted.encode(request, with: ["a": [1], "b": [Int]()]).httpBody
        == Data("{\n  \"a\": [\n    1\n  ],\n  \"b\": []\n}".utf8))
    #expect(try JSONEncoding.default.encode(request, withJSONObject: ["x"]).httpBody == Data(#"["x"]"#.utf8))
    #expect(try JSONEncoding.default.encode(request, with: [:]).httpBody == Data("{}".utf8))
  }

  @Test("Content-Type is set only if it is missing")
  func contentType() throws {
    #expect(try JSONEncoding.default.encode(request, with: ["a": 1]).headers["Content-Type"] == "application/json")
    var typed = request
    typed.headers["content-type"] = "application/vnd.api+json"
    #expect(
      try JSONEncoding.default.encode(typed, with: ["a": 1]).headers.values(for: "Content-Type") == ["application/vnd.api+json"])
  }

  @Test(
    "A value that JSON cannot represent is an error, not a crash",
    arguments: [
      (["a": Date()] as Parameters, "a"), (["a": ["b": [1.5, Double.nan]]], "a.b[1]"), (["a": Float.infinity], "a"),
      (["a": [1: 2]], "a"), (["a": JSONValue.array([.number(-.infinity)])], "a[0]"),
    ])
  func unserializable(parameters: Parameters, path: String) throws {
    let error = #expect(throws: TapelineError.self) { try JSONEncoding.default.encode(request, with: parameters) }
    guard case .parameterEncodingFailed(.jsonEncodingFailed(let cause)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect((cause as? JSONValue.UnrepresentableValue)?.path == path)
    #expect(error?.underlyingError is JSONValue.UnrepresentableValue)
  }
}
