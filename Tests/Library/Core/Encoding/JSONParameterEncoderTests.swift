import FoundationEssentials
import TapelineCore
import Testing

@Suite struct JSONParameterEncoderTests {
  private struct Value: Encodable, Sendable {
    var b = 1
    var a = "x"
  }

  private let request: URLRequest

  init() throws {
    request = try URLRequest(url: "http://a.example/", method: .post)
  }

  @Test("A value of any type becomes a JSON body with sorted members")
  func body() throws {
    let encoded = try JSONParameterEncoder.default.encode(Value(), into: request)
    #expect(encoded.httpBody == Data(#"{"a":"x","b":1}"#.utf8))
    #expect(encoded.headers["Content-Type"] == "application/json")
    let pretty = try JSONParameterEncoder.prettyPrinted.encode(Value(), into: request)
    #expect(pretty.httpBody.map { String(decoding: $0, as: UTF8.self) }?.contains("\n") == true)
    let encoder: any ParameterEncoder = .json
    #expect(try encoder.encode(Value(), into: request) == encoded)
  }

  @Test func aContentTypeIsKept() throws {
    var typed = request
    typed.headers["Content-Type"] = "x/y"
    #expect(try JSONParameterEncoder.default.encode(Value(), into: typed).headers["Content-Type"] == "x/y")
    #expect(try JSONParameterEncoder.default.encode(nil as Value?, into: request) == request)
  }

  @Test("A value that JSON cannot represent is an error")
  func failures() throws {
    let error = #expect(throws: TapelineError.self) { try JSONParameterEncoder.default.encode(["a": Double.nan], into: request) }
    #expect(error?.isParameterEncodingError == true)
    #expect(error?.underlyingError is EncodingError)
  }
}
