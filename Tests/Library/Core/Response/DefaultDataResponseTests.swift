import FoundationEssentials
import TapelineCore
import Testing

@Suite struct DefaultDataResponseTests {
  private struct Mishap: Error {}

  @Test("A response has its members, a default timeline and no metrics")
  func members() throws {
    let request = try URLRequest(url: "http://a.example/", method: .get)
    let response = DefaultDataResponse(request: request, response: nil, data: Data([1]), error: Mishap())
    #expect(response.request == request)
    #expect(response.response == nil)
    #expect(response.data == Data([1]))
    #expect(response.error is Mishap)
    #expect(response.timeline == Timeline())
    #expect(response.metrics == nil)
  }

  @Test("The result is the body, or the error as the library's error")
  func result() {
    let body = DefaultDataResponse(request: nil, response: nil, data: Data([1]), error: nil)
    #expect(body.result.value == .some(Data([1])))
    let failed = DefaultDataResponse(request: nil, response: nil, data: Data([1]), error: Mishap())
    #expect(failed.result.error?.underlyingError is Mishap)
    let cancelled = DefaultDataResponse(request: nil, response: nil, data: nil, error: TapelineError.explicitlyCancelled)
    #expect(cancelled.result.error?.isExplicitlyCancelledError == true)
  }
}
