import FoundationEssentials
import Testing

@testable import TapelineCore

@Suite struct ResponseSerializerTests {
  private struct Mishap: Error {}

  private func head(_ status: Int, _ headers: HTTPHeaders = [:]) throws -> HTTPURLResponse {
    try #require(HTTPURLResponse(url: "http://a.example/".asURL(), statusCode: status, headers: headers))
  }

  private func request(_ method: HTTPMethod) throws -> URLRequest {
    try URLRequest(url: "http://a.example/", method: method)
  }

  private func failure<Value>(_ body: () throws -> Value) -> TapelineError.ResponseSerializationFailureReason? {
    do {
      _ = try body()
    } catch TapelineError.responseSerializationFailed(let reason) {
      return reason
    } catch {
      Issue.record("another error: \(error)")
    }
    return nil
  }

  @Test(
    "An empty body is an error unless the method is HEAD or the status 204 or 205",
    arguments: [
      (HTTPMethod.get, 200, false), (.head, 200, true), (.get, 204, true), (.get, 205, true), (.post, 304, false),
    ])
  func emptiness(method: HTTPMethod, status: Int, isAllowed: Bool) throws {
    let (request, response) = (try request(method), try head(status))
    for data in [nil, Data()] {
      let reason = failure {
        let value = try DataResponseSerializer().serialize(request: request, response: response, data: data, error: nil)
        #expect(value.isEmpty)
      }
      if isAllowed {
        #expect(reason == nil)
      } else if case .inputDataNilOrZeroLength = reason {
      } else {
        Issue.record("\(String(describing: reason))")
      }
    }
  }

  @Test("The sets of methods and statuses without a body are configurable")
  func emptinessByChoice() throws {
    let serializer = StringResponseSerializer(emptyResponseCodes: [200], emptyRequestMethods: [.post])
    #expect(try serializer.serialize(request: nil, response: head(200), data: nil, error: nil) == "")
    #expect(try serializer.serialize(request: request(.post), response: head(500), data: nil, error: nil) == "")
    #expect(failure { try serializer.serialize(request: request(.head), response: head(204), data: nil, error: nil) } != nil)
    #expect(failure { try serializer.serialize(request: nil, response: nil, data: nil, error: nil) } != nil)
    #expect(serializer.requestAllowsEmptyResponseData(nil) == nil)
    #expect(serializer.responseAllowsEmptyResponseData(nil) == nil)
  }

  @Test("An allowed empty body gives the empty string, null, or the type's own empty value")
  func emptyValues() throws {
    let response = try head(204)
    #expect(try StringResponseSerializer().serialize(request: nil, response: response, data: nil, error: nil) == "")
    #expect(try JSONValueResponseSerializer().serialize(request: nil, response: response, data: nil, error: nil) == .null)
    #expect(
      try JSONResponseSerializer().serialize(request: nil, response: response, data: nil, error: nil) as? JSONValue == .null)
    #expect(
      try DecodableResponseSerializer<Empty>().serialize(request: nil, response: response, data: nil, error: nil) == .value)
    let reason = failure {
      try DecodableResponseSerializer<[Int]>().serialize(request: nil, response: response, data: nil, error: nil)
    }
    guard case .invalidEmptyResponse("Array<Int>") = reason else {
      Issue.record("\(String(describing: reason))")
      return
    }
  }

  @Test("A failed request's error is thrown on")
  func errors() {
    let data = Data("1".utf8)
    #expect(throws: Mishap.self) {
      try DataResponseSerializer().serialize(request: nil, response: nil, data: data, error: Mishap())
    }
    #expect(throws: Mishap.self) {
      try DecodableResponseSerializer<Int>().serialize(request: nil, response: nil, data: data, error: Mishap())
    }
    #expect(throws: Mishap.self) {
      try URLResponseSerializer().serializeDownload(
        request: nil, response: nil, fileURL: URL(filePath: "/x"), error: Mishap())
    }
    #expect(Mishap().asSerializationError.underlyingError is Mishap)
    #expect(TapelineError.explicitlyCancelled.asSerializationError.isExplicitlyCancelledError)
  }

  @Test("The preprocessor comes before the serializer")
  func preprocessing() throws {
    let data = Data(")]}',\n[1]".utf8)
    let values = try DecodableResponseSerializer<[Int]>(dataPreprocessor: GoogleXSSIPreprocessor())
      .serialize(request: nil, response: head(200), data: data, error: nil)
    #expect(values == [1])
    #expect(
      try DataResponseSerializer(dataPreprocessor: .googleXSSI).serialize(request: nil, response: nil, data: data, error: nil)
        == Data("[1]".utf8))
  }

  @Test("A download is serialized from its file")
  func downloads() throws {
    let url = URL(filePath: "/tmp").appending(path: "tapeline-serializer-\(UUID().uuidString)")
    try Data("[1,2]".utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    #expect(
      try DecodableResponseSerializer<[Int]>().serializeDownload(request: nil, response: nil, fileURL: url, error: nil) == [1, 2])
    #expect(try URLResponseSerializer().serializeDownload(request: nil, response: nil, fileURL: url, error: nil) == url)
    let gone = url.appending(path: "gone")
    guard
      case .inputFileReadFailed(gone) = failure({
        try StringResponseSerializer().serializeDownload(request: nil, response: nil, fileURL: gone, error: nil)
      }),
      case .inputFileNil = failure({
        try DataResponseSerializer().serializeDownload(request: nil, response: nil, fileURL: nil, error: nil)
      }),
      case .inputFileNil = failure({
        try URLResponseSerializer().serializeDownload(request: nil, response: nil, fileURL: nil, error: nil)
      })
    else {
      Issue.record("another failure")
      return
    }
  }
}
