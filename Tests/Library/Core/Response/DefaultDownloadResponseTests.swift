import FoundationEssentials
import TapelineCore
import Testing

@Suite struct DefaultDownloadResponseTests {
  @Test("The initializer takes the members in order")
  func members() {
    let (first, second) = (URL(filePath: "/tmp/a"), URL(filePath: "/tmp/b"))
    let response = DefaultDownloadResponse(
      request: nil, response: nil, temporaryURL: first, destinationURL: second, resumeData: Data([1]), error: nil)
    #expect(response.temporaryURL == first)
    #expect(response.destinationURL == second)
    #expect(response.resumeData == Data([1]))
    #expect(response.fileURL == second)
    #expect(response.timeline == Timeline())
    #expect(response.result.value == .some(second))
  }

  @Test func withoutDestinationTheFileIsWhereItWasWritten() {
    let url = URL(filePath: "/tmp/a")
    let response = DefaultDownloadResponse(
      request: nil, response: nil, temporaryURL: url, destinationURL: nil, resumeData: nil, error: nil)
    #expect(response.fileURL == url)
    let failed = DefaultDownloadResponse(
      request: nil, response: nil, temporaryURL: url, destinationURL: nil, resumeData: nil,
      error: TapelineError.explicitlyCancelled)
    #expect(failed.fileURL == nil)
    #expect(failed.result.error?.isExplicitlyCancelledError == true)
  }
}
