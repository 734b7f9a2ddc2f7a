import Dispatch
import FoundationEssentials
import TapelineCore
import TapelineTestSupport
import Testing

/// Who awaits does not wait for handlers.
@Suite struct AwaitingTests {
  private let session = Session(configuration: .patient)

  @Test(
    "A blocked handler does not keep tasks from awaiting values, progress, commands and pieces", .timeLimit(.minutes(10)))
  func blockedHandler() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.forever([.expectRequest, .respond(body: "side A")])])
    let entered = Awaited<Void>()
    let held = DispatchSemaphore(value: 0)
    session.request(origin.url()).response { _ in
      entered.take(())
      held.wait()
    }
    try entered.wait()
    let request = session.request(origin.url(), shouldAutomaticallyResume: false)
    let (progress, commands) = (request.downloadProgress(), request.cURLDescriptions())
    let text = request.serializingString()
    request.resume()
    #expect(try await text.value == "side A")
    #expect(await progress.reduce(0) { $1.completedUnitCount } == 6)
    #expect(await commands.reduce(0) { count, _ in count + 1 } == 1)
    let file = session.download(origin.url()).serializingData()
    #expect(try await file.value == Data("side A".utf8))
    var bytes = 0
    for try await piece in session.streamRequest(origin.url()).bytes() { bytes += piece.count }
    #expect(bytes == 6)
    held.signal()
  }

  @Test("The command of every attempt is awaited")
  func everyAttempt() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.forever([.expectRequest, .respond("503 No")])])
    let policy = RetryPolicy(retryLimit: 2, exponentialBackoffScale: 0.001)
    let request = session.request(origin.url(), interceptor: policy, shouldAutomaticallyResume: false).validate()
    let commands = request.cURLDescriptions()
    request.resume()
    #expect(await commands.reduce(0) { count, _ in count + 1 } == 3)
  }

  @Test("A cURL command that is requested twice is delivered twice")
  func cURLTwice() throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(), .expectEnd])
    let seen = Awaited<String>()
    session.request(origin.url(), shouldAutomaticallyResume: false)
      .cURLDescription { seen.take("first \($0)") }
      .cURLDescription { seen.take("second \($0)") }
      .resume()
    #expect(try seen.wait().hasPrefix("first $ curl"))
    #expect(try seen.wait().hasPrefix("second $ curl"))
  }
}
