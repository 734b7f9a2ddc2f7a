import Dispatch
import FoundationEssentials
import TapelineTestSupport
import Testing

@testable import TapelineCore

@Suite struct OfflineRetrierTests {
  private func retrier(
    for codes: Set<SessionTaskError.Code> = [.networkConnectionLost], wait: DispatchTimeInterval = .seconds(3_600),
    isOnline: @escaping @Sendable () -> Bool
  ) -> OfflineRetrier {
    OfflineRetrier(
      maximumWait: wait, interval: .milliseconds(1),
      isOfflineError: { (($0 as? TapelineError)?.underlyingError as? SessionTaskError).map { codes.contains($0.code) } ?? false },
      isOnline: isOnline)
  }

  @Test("Requests that failed for want of a network are sent again together when there is one")
  func returns() async throws {
    let origin = try ScriptedOrigin(patience: 600) { connection in
      connection < 2 ? [.expectRequest, .close] : [.expectRequest, .respond(body: "side A"), .expectEnd]
    }
    let (looks, isOnline) = (Awaited<Void>(), Protected(false))
    let retrier = retrier {
      looks.take(())
      return isOnline.wrappedValue
    }
    let session = Session(configuration: .patient, interceptor: retrier)
    let (first, second) = (session.request(origin.url()).serializingString(), session.request(origin.url()).serializingString())
    _ = try origin.waitForFinished(2, seconds: 600)
    for _ in 0..<3 { try looks.wait() }
    isOnline.wrappedValue = true
    #expect(try await first.value == "side A")
    #expect(try await second.value == "side A")
  }

  @Test("Without a network by the end of the wait a request keeps its error; any other error is not waited for")
  func givesUp() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .close])
    let offline = Session(configuration: .patient, interceptor: retrier(wait: .milliseconds(1)) { false })
    let kept = await offline.request(origin.url()).serializingString().response.error
    #expect((kept?.underlyingError as? SessionTaskError)?.code == .networkConnectionLost)
    let other = Session(configuration: .patient, interceptor: retrier(for: [.timedOut]) { false })
    #expect(await other.request(origin.url()).serializingString().response.error?.isSessionTaskError == true)
  }

  @Test("By default an error is one of no network only if its code says so")
  func errors() {
    let isOffline = OfflineRetrier.defaultIsOfflineError
    #expect(isOffline(SessionTaskError(.notConnectedToInternet)))
    #expect(isOffline(TapelineError.sessionTaskFailed(error: SessionTaskError(.notConnectedToInternet))))
    #expect(!isOffline(SessionTaskError(.timedOut)))
    #expect(!isOffline(TapelineError.explicitlyCancelled))
  }
}
