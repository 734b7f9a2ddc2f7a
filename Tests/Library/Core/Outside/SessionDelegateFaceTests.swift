import FoundationEssentials
import TapelineCore
import TapelineTestSupport
import Testing

@testable import TapelineTLS

/// The overrides of a session's delegate that decide about trust, passwords, and hear of the end.
@Suite struct SessionDelegateFaceTests {
  /// Wants `ada` and `loopback`.
  private func makeOrigin() throws -> ScriptedOrigin {
    try ScriptedOrigin(
      patience: 600,
      [
        .forever([
          .answer { request in
            let isWelcome = request.values(of: "Authorization") == ["Basic YWRhOmxvb3BiYWNr"]
            let head =
              isWelcome ? "HTTP/1.1 200 OK" : "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"tapes\""
            return Array("\(head)\r\nContent-Length: 2\r\n\r\nok".utf8)
          }
        ])
      ])
  }

  @Test("An override answers every challenge, and learns who asks")
  func challenge() async throws {
    let origin = try makeOrigin()
    let session = Session(configuration: .patient)
    let asked = EventLog()
    session.delegate.taskDidReceiveChallenge = { _, _, challenge in
      let scheme = challenge.schemes.joined()
      asked.add("\(challenge.host) \(challenge.realm ?? "") \(scheme) \(challenge.previousFailureCount)")
      return .useCredential(Credential(user: "ada", password: challenge.previousFailureCount == 0 ? "wrong" : "loopback"))
    }
    let response = await session.request(origin.url()).serializingString().response
    #expect(response.response?.statusCode == 200)
    #expect(asked.all == ["127.0.0.1 tapes basic 0", "127.0.0.1 tapes basic 1"])
    #expect(await session.request(origin.url()).serializingString().response.response?.statusCode == 200)
    #expect(asked.all.count == 2, "what was learnt is said unasked")
  }

  @Test("An override cancels a challenge, refuses to answer, or leaves it to the request")
  func otherDispositions() async throws {
    let origin = try makeOrigin()
    let (cancelling, refusing, leaving) = (
      Session(configuration: .patient), Session(configuration: .patient), Session(configuration: .patient)
    )
    cancelling.delegate.taskDidReceiveChallenge = { _, _, _ in .cancelAuthenticationChallenge }
    refusing.delegate.taskDidReceiveChallenge = { _, _, _ in .rejectProtectionSpace }
    leaving.delegate.taskDidReceiveChallenge = { _, _, _ in .performDefaultHandling }
    func status(_ session: Session) async -> Int? {
      let request = session.request(origin.url()).authenticate(username: "ada", password: "loopback")
      let response = await request.serializingString().response
      return response.error?.isSessionTaskError == true ? nil : response.response?.statusCode
    }
    #expect(await status(cancelling) == nil)
    #expect(await status(refusing) == 401)
    #expect(await status(leaving) == 200)
  }

  @Test("An override trusts a server, refuses it, or leaves it to the session", arguments: ServerTrustDisposition.all)
  func trust(_ disposition: ServerTrustDisposition) async throws {
    let chain = try IssuedChain.shared.get()
    let origin = try SecureOrigin(chain.leaf.credentials(sending: [chain.middle]), context: TLSServerContext())
    var configuration = SessionConfiguration.patient
    configuration.tls.trustRoots = .only(disposition == .trust ? [] : [chain.root.certificate])
    let session = Session(configuration: configuration)
    let asked = EventLog()
    session.delegate.sessionDidReceiveChallenge = { _, trust in
      asked.add("\(trust.host) \(trust.certificates.count)")
      return disposition
    }
    let response = await session.request(origin.url()).serializingString().response
    #expect(response.error?.isServerTrustEvaluationError ?? false == (disposition == .refuse))
    #expect(response.response?.statusCode == (disposition == .refuse ? nil : 200))
    #expect(asked.all == ["localhost 2"])
  }

  @Test("The end of a session is reported after its requests have ended")
  func invalidation() throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .expectEnd])
    let log = EventLog()
    let ended = Awaited<Void>()
    let monitor = ClosureEventMonitor(context: .loop)
    monitor.sessionDidBecomeInvalidWithError = { log.add("monitor \($0 == nil)") }
    var session: Session? = Session(configuration: .patient, eventMonitors: [monitor])
    session?.delegate.sessionDidBecomeInvalidWithError = { error in
      log.add("override \(error == nil)")
      ended.take(())
    }
    let request = session?.request(origin.url()).response { _ in }
    _ = try origin.waitForRequests(1, seconds: 600)
    session = nil
    try ended.wait()
    #expect(log.all == ["monitor true", "override true"])
    #expect(request?.error?.isSessionDeinitializedError == true)
  }
}

extension ServerTrustDisposition {
  fileprivate static let all: [ServerTrustDisposition] = [.trust, .performDefaultHandling, .refuse]
}
