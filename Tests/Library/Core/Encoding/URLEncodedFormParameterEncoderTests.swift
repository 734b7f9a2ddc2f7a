import FoundationEssentials
import TapelineCore
import Testing

@Suite struct URLEncodedFormParameterEncoderTests {
  private struct Refusing: Encodable, Sendable {
    struct Refusal: Error {}

    func encode(to encoder: any Encoder) throws { throw Refusal() }
  }

  @Test("The method decides whether a form goes into the URL or the body")
  func destinations() throws {
    let get = try URLRequest(url: "http://a.example/?x", method: .get)
    #expect(
      try URLEncodedFormParameterEncoder.default.encode(["a": "b c"], into: get).url?.query(percentEncoded: true) == "x&a=b%20c")
    let post = try URLRequest(url: "http://a.example/", method: .post)
    let encoded = try URLEncodedFormParameterEncoder.default.encode(["a": "b c"], into: post)
    #expect(encoded.httpBody == Data("a=b%20c".utf8))
    #expect(encoded.headers["Content-Type"] == "application/x-www-form-urlencoded; charset=utf-8")
    let encoder: any ParameterEncoder = .urlEncodedForm(destination: .httpBody)
    #expect(try encoder.encode(["a": 1], into: get).httpBody == Data("a=1".utf8))
  }

  @Test func nothingToEncode() throws {
    let request = try URLRequest(url: "http://a.example/", method: .post)
    #expect(try URLEncodedFormParameterEncoder.default.encode(nil as [String: Int]?, into: request) == request)
  }

  @Test func failures() throws {
    let request = try URLRequest(url: "http://a.example/", method: .get)
    let error = #expect(throws: TapelineError.self) {
      try URLEncodedFormParameterEncoder.default.encode(Refusing(), into: request)
    }
    #expect(error?.isParameterEncoderError == true)
    #expect(error?.underlyingError is Refusing.Refusal)
    var homeless = request
    homeless.url = nil
    let missing = #expect(throws: TapelineError.self) {
      try URLEncodedFormParameterEncoder.default.encode(["a": 1], into: homeless)
    }
    guard case .parameterEncoderFailed(.missingRequiredComponent(.url)) = missing else {
      Issue.record("\(String(describing: missing))")
      return
    }
  }
}
