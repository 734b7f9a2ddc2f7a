import FoundationEssentials
import TapelineCore
import TapelineTransport
import Testing

@Suite struct VerboseDescriptionTests {
  @Test("The layout is that of Alamofire 5: indented, with sorted headers and text bodies")
  func data() throws {
    var request = try URLRequest(url: "http://a.example/b", method: .post, headers: ["X": "1", "Content-Type": "text/plain"])
    request.httpBody = Data("one\ntwo\n".utf8)
    let url = try "http://a.example/b".asURL()
    let head = HTTPURLResponse(url: url, statusCode: 200, headers: ["Content-Type": "application/json"])
    let response = DataResponse<Int>(
      request: request, response: head, data: Data("{\n}\n".utf8), result: .success(5),
      timeline: Timeline(requestStartTime: 1, requestCompletedTime: 1.5), metrics: TaskMetrics(), serializationDuration: 0.25)
    #expect(
      response.verboseDescription == """
        [Request]: POST http://a.example/b
            [Headers]:
                Content-Type: text/plain
                X: 1
            [Body]:
                one
                two
        [Response]:
            [Status Code]: 200
            [Headers]:
                Content-Type: application/json
            [Body]:
                {
                }
        [Network Duration]: 0.500s
        [Serialization Duration]: 0.250s
        [Result]: success(5)
        """)
  }

  @Test("Missing members are None, and a body that is not text is its size")
  func missing() throws {
    let none = DataResponse<Int>(request: nil, response: nil, data: nil, result: .failure(.explicitlyCancelled))
    #expect(none.verboseDescription.hasPrefix("[Request]: None\n[Result]: failure("))
    var request = try URLRequest(url: "http://a.example/", method: .put)
    request.httpBody = Data([0, 1, 2])
    let response = DataResponse<Int>(request: request, response: nil, data: nil, result: .success(5))
    #expect(
      response.verboseDescription == """
        [Request]: PUT http://a.example/
            [Headers]: None
            [Body]: 3 bytes
        [Response]: None
        [Network Duration]: None
        [Serialization Duration]: 0.000s
        [Result]: success(5)
        """)
  }

  @Test("A download shows its file instead of a body")
  func download() throws {
    let url = try "http://a.example/b".asURL()
    let response = DownloadResponse<Int>(
      request: URLRequest(url: url), response: HTTPURLResponse(url: url, statusCode: 204), temporaryURL: URL(filePath: "/tmp/a"),
      destinationURL: nil, resumeData: nil, result: .success(5))
    #expect(
      response.verboseDescription == """
        [Request]: GET http://a.example/b
            [Headers]: None
            [Body]: None
        [Response]:
            [Status Code]: 204
            [Headers]: None
        [File URL]: /tmp/a
        [Resume Data]: None
        [Network Duration]: None
        [Serialization Duration]: 0.000s
        [Result]: success(5)
        """)
  }
}
