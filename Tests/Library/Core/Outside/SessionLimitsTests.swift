import Dispatch
import FoundationEssentials
import TapelineCore
import TapelineTestSupport
import Testing

/// The limits of a session's configuration, as a program that uses the library sees them: on sockets, by the public face alone.
@Suite struct SessionLimitsTests {
  private func session(_ configure: (inout SessionConfiguration) -> Void) -> Session {
    var configuration = SessionConfiguration.patient
    configure(&configuration)
    return Session(configuration: configuration)
  }

  // MARK: Patience

  @Test("4: responseTimeout ends the wait for a response, unless the request has a time of its own")
  func responseTimeout() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .delay(milliseconds: 300), .respond(), .expectEnd])
    let session = session { $0.responseTimeout = 0.05 }
    let refused = await session.request(origin.url()).serializingData(automaticallyCancelling: false).response
    #expect(refused.error?.isTimeout == true)
    let patient = session.request(origin.url()) { $0.timeoutInterval = 60 }
    #expect(await patient.serializingData().response.response?.statusCode == 200)
  }

  @Test("4: idleTimeout ends the silence inside a body")
  func idleTimeout() async throws {
    let origin = try ScriptedOrigin(
      patience: 600, [.expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .expectEnd])
    let session = session { $0.idleTimeout = 0.05 }
    let response = await session.request(origin.url()).serializingData().response
    #expect(response.error?.isTimeout == true)
    #expect(response.response?.statusCode == 200)
  }

  // MARK: Connections

  @Test("4: no more connections than allowed are open to one host, and requests wait in the order in which they were started")
  func connectionsPerHost() throws {
    let gate = DispatchSemaphore(value: 0)
    let origin = try ScriptedOrigin(
      patience: 600,
      [
        .forever([
          .expectRequest,
          .run { _ in
            gate.wait()
            gate.signal()
          }, .respond(body: "ok"),
        ])
      ])
    let session = session { $0.httpMaximumConnectionsPerHost = 2 }
    let log = EventLog()
    let ended = Awaited<Int?>()
    for number in 0..<12 {
      session.request(origin.url("/\(number)")).response { response in
        log.add("\(number)")
        ended.take(response.response?.statusCode)
      }
    }
    _ = try origin.waitForRequests(2, seconds: 600)
    gate.signal()
    for _ in 0..<12 { #expect(try ended.wait() == 200) }
    #expect(origin.connections.count == 2)
    // Each connection carries its requests in the order of their beginning.
    for connection in origin.connections {
      let numbers = connection.requests.compactMap { Int($0.path.dropFirst()) }
      #expect(numbers == numbers.sorted())
    }
    #expect(Set(log.all).count == 12)
  }

  @Test("4: a waiting request starts when the connection before it closes, fails, or is cancelled")
  func placesAreGivenBack() async throws {
    let origin = try ScriptedOrigin(patience: 600) { connection in
      switch connection {
      case 0: [.expectRequest, .expectEnd]
      case 1: [.expectRequest, .reset]
      case 2: [.expectRequest, .send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"), .close]
      default: [.expectRequest, .respond(body: "last"), .expectEnd]
      }
    }
    let session = session { $0.httpMaximumConnectionsPerHost = 1 }
    let first = session.request(origin.url()).serializingString()
    _ = try origin.waitForRequests(1, seconds: 600)
    let others = (0..<3).map { _ in session.request(origin.url()).serializingString() }
    let cancelled = session.request(origin.url()).serializingString()
    cancelled.cancel()
    #expect(await cancelled.response.error?.isExplicitlyCancelledError == true)
    first.cancel()
    #expect(await first.response.error?.isExplicitlyCancelledError == true)
    #expect(await others[0].response.error?.isSessionTaskError == true)
    #expect(try await others[1].value == "ok")
    #expect(try await others[2].value == "last")
  }

  @Test("4: a redirection goes on before requests that have not begun, and one that waits can be suspended and cancelled")
  func waitingCommands() async throws {
    let origin = try ScriptedOrigin(
      patience: 600,
      [
        .forever([
          .answer { request in
            Array(
              (request.path == "/from"
                ? "HTTP/1.1 302 Found\r\nLocation: /to\r\nContent-Length: 0\r\n\r\n"
                : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").utf8)
          }
        ])
      ])
    let session = session { $0.httpMaximumConnectionsPerHost = 1 }
    let held = Awaited<@Sendable (Request.ResponseDisposition) -> Void>()
    let first = session.request(origin.url("/held")).onHTTPResponse { _, completionHandler in held.take(completionHandler) }
    let firstText = first.serializingString()
    let goOn = try held.wait()
    let redirected = session.request(origin.url("/from"))
    let (redirectedText, last) = (redirected.serializingString(), session.request(origin.url("/last")))
    let lastText = last.serializingString()
    let task = Awaited<Void>()
    last.onURLSessionTaskCreation { _ in task.take(()) }
    try task.wait()
    last.suspend()
    goOn(.allow)
    #expect(try await firstText.value == "ok")
    #expect(try await redirectedText.value == "ok")
    #expect(origin.requests.map(\.path) == ["/held", "/from", "/to"])
    last.resume()
    #expect(try await lastText.value == "ok")
    #expect(origin.connections.count == 1)
  }
}

extension RawMessage {
  fileprivate var path: Substring { startLine.split(separator: " ").dropFirst().first ?? "" }
}

extension Session {
  fileprivate func request(_ url: String, modifier: @escaping @Sendable (inout URLRequest) throws -> Void) -> DataRequest {
    request(url, requestModifier: modifier)
  }
}
