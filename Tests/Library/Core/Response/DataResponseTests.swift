import FoundationEssentials
import TapelineHTTP
import Testing

@testable import TapelineCore

@Suite struct DataResponseTests {
  private struct Mishap: Error {}

  @Test("The description is the result's text, the debug description has five lines")
  func debugDescriptionHasFiveLines() throws {
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

  @Test("Missing members are nil, and the result decides about value and error")
  func whatIsMissingIsNil() {
    let response = DataResponse<Int>(request: nil, response: nil, data: nil, result: .failure(.explicitlyCancelled))
    #expect(
      response.debugDescription == """
        [Request]: nil
        [Response]: nil
        [Data]: 0 bytes
        [Result]: FAILURE: The request was cancelled.
        [Timeline]: \(Timeline().debugDescription)
        """)
    #expect(response.value == nil)
    #expect(response.error?.isExplicitlyCancelledError == true)
  }

  @Test("No credentials are printed")
  func credentialsInATargetAreNotPrinted() throws {
    let head = try RequestHead(method: .get, target: "http://user:secret@origin.example/#part")
    #expect(URLRequest(head: head).description == "http://origin.example/")
  }

  @Test("A response has its members, a default timeline, no metrics and no serialization")
  func members() {
    let response = DataResponse(request: nil, response: nil, data: Data([1]), result: AFResult.success("x"))
    #expect(response.result.value == "x")
    #expect(response.data == Data([1]))
    #expect(response.timeline == Timeline())
    #expect(response.metrics == nil)
    #expect(response.serializationDuration == 0)
  }

  @Test("The value's type is a parameter, and AFDataResponse fails with the library's error")
  func types() {
    let untouched: AFDataResponse<Data?> = DataResponse(request: nil, response: nil, data: nil, result: .success(nil))
    #expect(untouched.result.value == .some(nil))
    let failure: TapelineError? = untouched.error
    #expect(failure == nil)
  }

  @Test func mappingKeepsEverythingElse() {
    let response = DataResponse(
      request: nil, response: nil, data: Data([1]), result: AFResult.success(5),
      timeline: Timeline(requestStartTime: 1), serializationDuration: 0.5)
    let mapped = response.map { "\($0)" }
    #expect(mapped.value == "5")
    #expect(mapped.data == Data([1]))
    #expect(mapped.timeline == response.timeline)
    #expect(mapped.serializationDuration == 0.5)
    #expect(response.tryMap { $0 + 1 }.value == 6)
  }

  @Test func whatATransformationThrowsIsWrapped() {
    let response = DataResponse(request: nil, response: nil, data: nil, result: AFResult.success(5))
    let failed = response.tryMap { _ -> Int in throw Mishap() }
    #expect(failed.error?.isResponseSerializationError == true)
    #expect(failed.error?.underlyingError is Mishap)
    #expect(failed.mapError { _ in TapelineError.sessionDeinitialized }.error?.isSessionDeinitializedError == true)
    #expect(failed.map { $0 }.error?.underlyingError is Mishap)
  }
}
