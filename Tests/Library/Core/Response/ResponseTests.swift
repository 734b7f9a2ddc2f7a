import FoundationEssentials
import TapelineCore
import TapelineTransport
import Testing

@Suite struct ResponseTests {
  private struct Other: Sendable {}

  private func check(_ response: some Response) {
    var response = response
    #expect(response.metrics == nil)
    response.add(Other())
    #expect(response._metrics == nil)
    response.add(nil)
    #expect(response._metrics == nil)
    response.add(TaskMetrics())
    #expect(response.metrics?.attempts == 0)
    response.add(Other())
    #expect(response.metrics != nil)
  }

  @Test("The four responses of both families take metrics, and nothing else, by add")
  func metrics() {
    check(DefaultDataResponse(request: nil, response: nil, data: nil, error: nil))
    check(DataResponse<Int>(request: nil, response: nil, data: nil, result: .success(1)))
    check(
      DefaultDownloadResponse(
        request: nil, response: nil, temporaryURL: nil, destinationURL: nil, resumeData: nil, error: nil))
    check(
      DownloadResponse<Int>(
        request: nil, response: nil, temporaryURL: nil, destinationURL: nil, resumeData: nil, result: .success(1)))
  }

  @Test("Metrics given to an initializer are stored")
  func initializers() {
    #expect(DefaultDataResponse(request: nil, response: nil, data: nil, error: nil, metrics: TaskMetrics()).metrics != nil)
    #expect(
      DefaultDownloadResponse(
        request: nil, response: nil, temporaryURL: nil, destinationURL: nil, resumeData: nil, error: nil, metrics: TaskMetrics()
      ).metrics != nil)
  }

  @Test("A stored response is a value of its own")
  func valueSemantics() {
    let first = DataResponse<Int>(request: nil, response: nil, data: Data([1]), result: .success(1))
    var second = first
    second.add(TaskMetrics())
    #expect(first.metrics == nil)
    #expect(second.metrics != nil)
  }
}
