import Dispatch
import FoundationEssentials
import TapelineCore
import TapelineTestSupport
import Testing

/// Streams as sequences of values.
@Suite struct StreamEventsTests {
  private let session = Session(configuration: .patient)

  /// Each piece is sent when the one before it was `taken`, so that none are joined on their way.
  private let taken = DispatchSemaphore(value: 0)

  private func origin(_ pieces: [[UInt8]]) throws -> ScriptedOrigin {
    let length = pieces.reduce(0) { $0 + $1.count }
    return try ScriptedOrigin(
      patience: 600,
      [.expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")]
        + pieces.flatMap { [OriginStep.send($0), .run { [taken] _ in taken.wait() }] } + [.expectEnd])
  }

  @Test("Text arrives in whole characters, and then the end")
  func strings() async throws {
    let bytes = Array("tüte".utf8)
    let origin = try origin([Array(bytes[..<2]), Array(bytes[2...])])
    var (text, ends) = ("", 0)
    for await stream in session.streamRequest(origin.url()).streamingStrings() {
      taken.signal()
      if let value = stream.value { text += value }
      if let completion = stream.completion {
        ends += 1
        #expect(completion.error == nil)
        #expect(completion.response?.statusCode == 200)
      }
    }
    #expect(text == "tüte")
    #expect(ends == 1)
  }

  @Test("Pieces become values of a type, or errors")
  func decodables() async throws {
    let origin = try origin(["[1]", "[", "[2,3]"].map { Array($0.utf8) })
    var seen: [String] = []
    for await stream in session.streamRequest(origin.url()).streamingDecodables(of: [Int].self) {
      taken.signal()
      switch stream.event {
      case .stream(.success(let value)): seen.append("\(value)")
      case .stream(.failure(let error)): seen.append("failed: \(error.isResponseSerializationError)")
      case .complete(let completion): seen.append("\(completion)")
      }
    }
    #expect(seen == ["[1]", "failed: true", "[2, 3]", "SUCCESS"])
  }

  @Test("A stream task has the request's values and end")
  func task() async throws {
    let origin = try origin([Array("side A".utf8)])
    let task = session.streamRequest(origin.url(), shouldAutomaticallyResume: false).streamTask()
    let events = task.streamingData()
    task.resume()
    #expect(await events.reduce(0) { $0 + ($1.value?.count ?? 0) } == 6)
    taken.signal()
    let silent = try ScriptedOrigin(patience: 600, [.expectRequest, .expectEnd])
    let cancelled = session.streamRequest(silent.url()).streamTask()
    let waiting = cancelled.streamingStrings()
    _ = try silent.waitForRequests(1, seconds: 600)
    cancelled.cancel()
    var ends: [Bool] = []
    for await stream in waiting { ends.append(stream.completion?.error?.isExplicitlyCancelledError == true) }
    #expect(ends == [true])
  }

  @Test("A consumer that stops early cancels the request, unless automatic cancelling is off")
  func earlyEnd() async throws {
    let endless = try ScriptedOrigin(
      patience: 600,
      [
        .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nside A"), .expectEnd,
      ])
    let request = session.streamRequest(endless.url())
    for await _ in request.streamingData() { break }
    #expect(request.isCancelled)
    let kept = session.streamRequest(endless.url())
    for await _ in kept.streamingData(automaticallyCancelling: false) { break }
    #expect(!kept.isCancelled)
    kept.cancel()
  }
}
