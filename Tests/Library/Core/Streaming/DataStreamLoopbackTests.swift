import Dispatch
import FoundationEssentials
import Synchronization
import TapelineTestSupport
import Testing

@testable import TapelineCore

/// Streams from a real origin on this machine.
@Suite struct DataStreamLoopbackTests {
  private let session = Session()

  @Test("A blocked handler holds 16 MiB back at the origin, and gets all bytes in the end")
  func slowHandler() throws {
    let megabyte = patternedBytes(1 << 20)
    let origin = try ScriptedOrigin([
      .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(16 << 20)\r\n\r\n"),
      .run { connection in for _ in 0..<16 { try connection.send(megabyte) } }, .expectEnd,
    ])
    let held = DispatchSemaphore(value: 0)
    let isHeld = Mutex(true)
    let received = Mutex<(count: Int, matches: Bool)>((0, true))
    let ended = Awaited<TapelineError?>()
    let request = session.streamRequest(origin.url())
    request.responseStream { stream in
      if isHeld.withLock({ held in
        defer { held = false }; return held
      }) {
        held.wait()
      }
      if let data = stream.value {
        received.withLock { received in
          for byte in data where received.matches {
            received.matches = byte == megabyte[received.count & 0xF_FFFF]
            received.count += 1
          }
        }
      }
      if let end = stream.completion { ended.take(end.error) }
    }
    // The origin cannot send it all: only what the backlog and the kernel's buffers take.
    #expect(throws: TestSupportError.self) { try origin.waitForFinished(1, seconds: 1) }
    #expect(request.streamDelegate.highestBacklog >= Backlog.defaultLimit)
    held.signal()
    #expect(try ended.wait(seconds: 60) == nil)
    #expect(received.withLock { $0.count } == 16 << 20)
    #expect(received.withLock { $0.matches })
    #expect(request.streamDelegate.highestBacklog <= Backlog.defaultLimit + 128 * 1024)
  }

  @Test("A sequence of pieces takes 4 MiB at its own pace")
  func sequence() async throws {
    let bytes = patternedBytes(4 << 20)
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(body: bytes), .expectEnd])
    let request = session.streamRequest(origin.url())
    var received: [UInt8] = []
    for try await chunk in request.bytes() { received += chunk }
    #expect(received == bytes)
    #expect(request.streamDelegate.highestBacklog <= Backlog.defaultLimit + 128 * 1024)
  }
}
