import FoundationEssentials
import TapelineHTTP
import Testing

@testable import TapelineCore

@Suite struct DataResponseTests {
  private struct Mishap: Error, CustomStringConvertible {
    let description = "it broke"
  }

  @Test func debugDescriptionHasFiveLines() throws {
    let head = try RequestHead(method: .post, target: "http://origin.example/form?a=1")
    let answer = ResponseHead(status: 201, reason: "Created", fields: ["Server": "s", "X-A": "1"])
    let response = DataResponse<Int>(
      request: URLRequest(head: head), response: HTTPURLResponse(head: answer, request: head), data: Data([1, 2, 3]),
      result: .success(5))
    #expect(response.description == "SUCCESS: 5")
    #expect(
      response.debugDescription == """
        [Request]: POST http://origin.example/form?a=1
        [Response]: { URL: http://origin.example/form?a=1, Status Code: 201, Headers: { "Server": "s", "X-A": "1" } }
        [Data]: 3 bytes
        [Result]: SUCCESS: 5
        [Timeline]: \(Timeline().debugDescription)
        """)
  }

  @Test func whatIsMissingIsNil() {
    let response = DataResponse<Int>(request: nil, response: nil, data: nil, result: .failure(Mishap()))
    #expect(
      response.debugDescription == """
        [Request]: nil
        [Response]: nil
        [Data]: 0 bytes
        [Result]: FAILURE: it broke
        [Timeline]: \(Timeline().debugDescription)
        """)
    #expect(response.value == nil)
    #expect(response.error is Mishap)
  }

  @Test func credentialsInATargetAreNotPrinted() throws {
    let head = try RequestHead(method: .get, target: "http://user:secret@origin.example/#part")
    #expect(URLRequest(head: head).description == "http://origin.example/")
  }
}
