import FoundationEssentials
import TapelineHTTP
import Testing

@testable import TapelineCore

@Suite struct DownloadResponseTests {
  private func response(
    result: AFResult<Int>, destination: String? = "/tmp/b", resumeData: Data? = nil
  ) -> DownloadResponse<Int> {
    DownloadResponse(
      request: nil, response: nil, temporaryURL: URL(filePath: "/tmp/a"), destinationURL: destination.map { URL(filePath: $0) },
      resumeData: resumeData, result: result)
  }

  @Test("Value and error are the result's; the description is its text")
  func values() {
    #expect(response(result: .success(5)).value == 5)
    #expect(response(result: .success(5)).description == "SUCCESS: 5")
    #expect(response(result: .failure(.explicitlyCancelled)).error?.isExplicitlyCancelledError == true)
    #expect(response(result: .failure(.explicitlyCancelled)).value == nil)
  }

  @Test("The debug description has seven lines")
  func debugDescription() throws {
    let head = try RequestHead(method: .get, target: "http://a.example/b")
    let answer = ResponseHead(status: 200, fields: ["A": "1"])
    let response = DownloadResponse<Int>(
      request: URLRequest(head: head), response: HTTPURLResponse(head: answer, request: head),
      temporaryURL: URL(filePath: "/tmp/a b"), destinationURL: nil, resumeData: Data([1, 2]), result: .success(5))
    #expect(
      response.debugDescription == """
        [Request]: GET http://a.example/b
        [Response]: { URL: http://a.example/b, Status Code: 200, Headers: { "A": "1" } }
        [TemporaryURL]: /tmp/a b
        [DestinationURL]: nil
        [ResumeData]: 2 bytes
        [Result]: SUCCESS: 5
        [Timeline]: \(Timeline().debugDescription)
        """)
  }

  @Test("After a failed move there is no file, and the destination is the attempted one")
  func failedMove() {
    let url = URL(filePath: "/tmp/b")
    let failed = response(
      result: .failure(.downloadedFileMoveFailed(error: CocoaError(.fileNoSuchFile), source: url, destination: url)))
    #expect(failed.fileURL == nil)
    #expect(failed.destinationURL?.path == "/tmp/b")
    #expect(response(result: .success(1)).fileURL?.path == "/tmp/b")
    #expect(response(result: .success(1), destination: nil).fileURL?.path == "/tmp/a")
  }

  @Test func mapping() {
    struct Mishap: Error {}
    #expect(response(result: .success(5)).map { "\($0)" }.value == "5")
    #expect(response(result: .success(5)).tryMap { _ in throw Mishap() }.map { $0 as Int }.error?.underlyingError is Mishap)
    #expect(response(result: .failure(.explicitlyCancelled)).mapError { _ in Mishap() }.error?.underlyingError is Mishap)
    #expect(response(result: .success(5), resumeData: Data([1])).map { $0 }.resumeData == Data([1]))
  }
}
