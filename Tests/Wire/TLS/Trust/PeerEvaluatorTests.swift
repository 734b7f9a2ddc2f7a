import Synchronization
import Testing

@testable import TapelineTLS

/// Who judges a server, when, and what the server hears of it.
struct PeerEvaluatorTests {
  /// Writes down whom it was asked about, and says what it is told to say.
  private final class Judge: Sendable {
    struct Mistrust: Error {}

    private let asked = Mutex<[PeerCertificates]>([])
    private let problem: CertificateProblem?
    private let refuses: @Sendable (PeerCertificates) -> Bool
    private let needsStapledResponse: Bool

    init(
      problem: CertificateProblem? = nil, needsStapledResponse: Bool = false,
      refuses: @escaping @Sendable (PeerCertificates) -> Bool = { _ in false }
    ) {
      self.problem = problem
      self.refuses = refuses
      self.needsStapledResponse = needsStapledResponse
    }

    var peers: [PeerCertificates] { asked.withLock { $0 } }

    var evaluator: PeerEvaluator {
      PeerEvaluator(needsStapledResponse: needsStapledResponse) { [self] peer in
        asked.withLock { $0.append(peer) }
        return refuses(peer) ? PeerRefusal(cause: Mistrust(), problem: problem, message: "not this one") : nil
      }
    }
  }

  @Test("The evaluator decides, not the context's roots", arguments: TLSEngineTests.versions, [false, true])
  func theEvaluatorDecides(_ version: TLSVersion, needsStapledResponse: Bool) throws {
    let contexts = try TestContexts(version: version)
    let stranger = try ForgedCertificate(commonName: "Stranger", isAuthority: true)
    let leaf = try ForgedCertificate(commonName: "x", names: "DNS:other.test", issuer: stranger)
    let judge = Judge(needsStapledResponse: needsStapledResponse)
    let pair = try contexts.pair(credentials: leaf.credentials(over: stranger), evaluator: judge.evaluator)
    pair.run()
    #expect(pair.isEstablished)
    #expect(pair.client.engine.parameters.verification == .verified)
    let peer = try #require(judge.peers.first)
    #expect(judge.peers.count == 1)
    #expect(peer.serverName == "example.test")
    #expect(peer.chain.map(\.der) == [leaf.handle.der, stranger.handle.der])
    #expect(!peer.isResumed)
    #expect(peer.stapledResponse == nil)
  }

  @Test("A refusal is told to both sides", arguments: TLSEngineTests.versions)
  func aRefusalIsToldToBothSides(_ version: TLSVersion) throws {
    let contexts = try TestContexts(version: version)
    let judge = Judge(refuses: { _ in true })
    let pair = try contexts.pair(evaluator: judge.evaluator)
    pair.run()
    let failure = try #require(pair.client.failure)
    #expect(failure.kind == .certificate(.other("not this one")))
    #expect(failure.message == "not this one")
    #expect(failure.certificate == contexts.leaf.summary)
    #expect(failure.alertSent?.name == "bad_certificate")
    #expect(pair.client.engine.evaluationFailure is Judge.Mistrust)
    let sent = try #require(failure.alertSent)
    #expect(pair.server.failure?.kind == .peerAlert(sent))
    #expect(!pair.client.engine.isEstablished)
    #expect(pair.client.sessions.isEmpty)
  }

  @Test(
    "The alert says what is known of the problem",
    arguments: [
      (CertificateProblem.expired, "certificate_expired"), (.revoked, "certificate_revoked"), (.unknownAuthority, "unknown_ca"),
      (.hostMismatch, "bad_certificate"), (.selfSigned, "unknown_ca"), (.notYetValid, "bad_certificate"),
    ])
  func theAlertIsPrecise(_ problem: CertificateProblem, alert: String) throws {
    let pair = try TestContexts().pair(evaluator: Judge(problem: problem, refuses: { _ in true }).evaluator)
    pair.run()
    #expect(pair.client.failure?.kind == .certificate(problem))
    #expect(pair.client.failure?.alertSent?.name == alert)
  }

  @Test("A resumed session's server is judged again, by what it showed at first", arguments: TLSEngineTests.versions)
  func aResumedServerIsJudgedAgain(_ version: TLSVersion) throws {
    let contexts = try TestContexts(version: version)
    let judge = Judge()
    let first = try contexts.pair(evaluator: judge.evaluator)
    first.run()
    let second = try contexts.pair(session: first.client.sessions.last, evaluator: judge.evaluator)
    second.run()
    #expect(second.client.engine.parameters.isResumed)
    #expect(judge.peers.map(\.isResumed) == [false, true])
    #expect(judge.peers[1].chain.map(\.der) == judge.peers[0].chain.map(\.der))
  }

  @Test("A session made without the evaluator is of no use past it", arguments: TLSEngineTests.versions)
  func aSessionDoesNotBypassTheEvaluator(_ version: TLSVersion) throws {
    let contexts = try TestContexts(version: version)
    let first = try contexts.establishedPair()
    let judge = Judge(refuses: { $0.isResumed })
    let second = try contexts.pair(session: first.client.sessions.last, evaluator: judge.evaluator)
    second.run()
    #expect(judge.peers.map(\.isResumed) == [true])
    #expect(!second.client.engine.isEstablished)
    #expect(second.client.failure?.kind == .certificate(.other("not this one")))
    #expect(second.client.engine.evaluationFailure is Judge.Mistrust)
    #expect(second.client.sessions.isEmpty)
  }

  @Test("A context that accepts anybody leaves the evaluator's word to stand")
  func theEvaluatorRefusesWhereTheContextWouldNot() throws {
    let contexts = try TestContexts(verifies: false)
    let pair = try contexts.pair(evaluator: Judge(refuses: { _ in true }).evaluator)
    pair.run()
    #expect(pair.client.failure?.kind == .certificate(.other("not this one")))
  }

  @Test(
    "The stapled response is there when the server is judged, and again when it is resumed",
    arguments: TLSEngineTests.versions)
  func theStapledResponseIsThere(_ version: TLSVersion) throws {
    let contexts = try TestContexts(version: version)
    let response = try contexts.root.response(.good, of: contexts.leaf)
    contexts.server.staple(response)
    let judge = Judge(needsStapledResponse: true)
    let first = try contexts.pair(evaluator: judge.evaluator)
    first.run()
    #expect(first.isEstablished)
    let second = try contexts.pair(session: first.client.sessions.last, evaluator: judge.evaluator)
    second.run()
    #expect(second.client.engine.parameters.isResumed)
    #expect(judge.peers.map(\.isResumed) == [false, true])
    #expect(judge.peers.map(\.stapledResponse) == [response, response])
    // The third connection resumes the session of the second.
    let third = try contexts.pair(session: second.client.sessions.last, evaluator: judge.evaluator)
    third.run()
    #expect(judge.peers.last?.stapledResponse == response)
  }

  @Test("Nobody is asked to staple without need", arguments: TLSEngineTests.versions)
  func nobodyIsAskedToStapleWithoutNeed(_ version: TLSVersion) throws {
    let contexts = try TestContexts(version: version)
    contexts.server.staple(try contexts.root.response(.good, of: contexts.leaf))
    let judge = Judge()
    try contexts.pair(evaluator: judge.evaluator).run()
    #expect(judge.peers.map(\.stapledResponse) == [nil])
  }

  @Test("TLS 1.2 has the evaluator wait for the stapled response, and refuses by its alert")
  func aRefusalAfterStaplingIsTold() throws {
    let contexts = try TestContexts(version: .tls12)
    contexts.server.staple(try contexts.root.response(.revoked, of: contexts.leaf))
    let judge = Judge(problem: .revoked, needsStapledResponse: true, refuses: { $0.stapledResponse != nil })
    let pair = try contexts.pair(evaluator: judge.evaluator)
    pair.run()
    #expect(judge.peers.count == 1)
    #expect(pair.client.failure?.kind == .certificate(.revoked))
    #expect(pair.client.failure?.alertSent?.name == "bad_certificate_status_response")
  }
}
