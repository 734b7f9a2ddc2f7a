import Dispatch
import Synchronization
import TapelineLoop
import TapelineTestSupport
import Testing

@testable import TapelineCore
@testable import TapelineTLS

/// Sessions against a server that speaks TLS: who is trusted, when, and what reaches the server.
struct TLSConfigurationTests {
  private let chain: IssuedChain
  private let context: TLSServerContext

  init() throws {
    chain = try IssuedChain.shared.get()
    context = try TLSServerContext()
  }

  private func origin(_ leaf: IssuedCertificate? = nil, version: TLSVersion? = nil) throws -> SecureOrigin {
    let policy = version.map { TLSPolicy(minimumVersion: $0, maximumVersion: $0) } ?? .secure
    return try SecureOrigin(
      (leaf ?? chain.leaf).credentials(sending: [chain.middle]), context: TLSServerContext(policy: policy))
  }

  private func session(
    _ evaluators: [String: any ServerTrustEvaluating]? = nil, mustAll: Bool = true,
    _ configure: (inout TLSConfiguration) -> Void = { _ in }
  ) -> Session {
    var configuration = SessionConfiguration.default
    configuration.tls.trustRoots = .only([chain.root.certificate])
    configure(&configuration.tls)
    return Session(
      configuration: configuration,
      serverTrustManager: evaluators.map { ServerTrustManager(allHostsMustBeEvaluated: mustAll, evaluators: $0) })
  }

  /// The status, or the error.
  private func get(_ url: String, _ session: Session) async -> Result<Int, TapelineError> {
    await withCheckedContinuation { continuation in
      session.request(url).response { response in
        continuation.resume(
          returning: response.error.map { .failure($0.asTapelineError(or: .sessionTaskFailed(error: $0))) }
            ?? .success(response.response?.statusCode ?? 0))
      }
    }
  }

  private func reason(_ result: Result<Int, TapelineError>) -> String? {
    guard case .failure(.serverTrustEvaluationFailed(let reason)) = result else { return nil }
    return reason.name
  }

  private func problem(_ result: Result<Int, TapelineError>) -> String? {
    guard case .failure(let error) = result, let failure = error.transportError else { return nil }
    guard case .certificate = failure.kind else { return "\(failure)" }
    return String(ExchangeRecord.Failure.Kind.transport(failure.kind).name.dropFirst("certificate-".count))
  }

  // MARK: Without evaluators

  @Test("Without evaluators, the roots decide") func theRootsDecide() async throws {
    let origin = try origin()
    #expect(try await get(origin.url(), session()).get() == 200)
    #expect(try await get(origin.url("127.0.0.1"), session()).get() == 200)
    let other = try IssuedCertificate("Other", isAuthority: true).certificate
    #expect(problem(await get(origin.url(), session { $0.trustRoots = .only([other]) })) == "unknown-authority")
    #expect(problem(await get(origin.url(), session { $0.trustRoots = .system })) == "unknown-authority")
    #expect(try await get(origin.url(), session { $0.trustRoots = .adding([chain.root.certificate]) }).get() == 200)
    let elsewhere = try IssuedCertificate("x", names: "DNS:elsewhere.test", issuer: chain.middle)
    let wrong = try self.origin(elsewhere)
    #expect(problem(await get(wrong.url(), session())) == "host-mismatch")
  }

  // MARK: Evaluators

  @Test("Each evaluator accepts a correct server, and sends no byte to a wrong server") func eachEvaluator()
    async throws
  {
    let other = try IssuedCertificate("other")
    let cases: [(any ServerTrustEvaluating, String?)] = [
      (DefaultTrustEvaluator(), nil),
      (RevocationTrustEvaluator(), nil),
      (PinnedCertificatesTrustEvaluator(certificates: [chain.leaf.certificate]), nil),
      (PublicKeysTrustEvaluator(keys: [chain.middle.publicKey]), nil),
      (
        CompositeTrustEvaluator(evaluators: [DefaultTrustEvaluator(), PublicKeysTrustEvaluator(keys: [chain.leaf.publicKey])]),
        nil
      ),
      (DisabledTrustEvaluator(), nil),
      (PinnedCertificatesTrustEvaluator(certificates: [other.certificate]), "certificatePinningFailed"),
      (PublicKeysTrustEvaluator(keys: [other.publicKey]), "publicKeyPinningFailed"),
      (RevocationTrustEvaluator(options: [.any, .requirePositiveResponse]), "revocationCheckFailed revocationUnknown"),
      (
        RevocationTrustEvaluator(revocationLists: [try chain.middle.revocationList(of: [chain.leaf])]),
        "revocationCheckFailed revoked"
      ),
    ]
    for (evaluator, expected) in cases {
      let origin = try origin()
      let result = await get(origin.url(), session(["localhost": evaluator]))
      #expect(reason(result) == expected, "\(evaluator)")
      #expect((try? result.get()) == (expected == nil ? 200 : nil), "\(evaluator)")
      #expect(origin.visits.isEmpty == (expected != nil), "\(evaluator)")
    }
  }

  @Test("An evaluator can trust a server that the roots do not") func anEvaluatorCanTrustMore() async throws {
    let alone = try IssuedCertificate("localhost")
    let pinned = PinnedCertificatesTrustEvaluator(certificates: [alone.certificate], acceptSelfSignedCertificates: true)
    let lonely = try origin(alone)
    #expect(try await get(lonely.url(), session(["localhost": pinned])).get() == 200)
    #expect(problem(await get(lonely.url(), session())) == "self-signed")
    let old = try origin(IssuedCertificate("localhost", issuer: chain.middle, days: -1))
    #expect(try await get(old.url(), session(["localhost": DisabledTrustEvaluator()])).get() == 200)
    #expect(reason(await get(old.url(), session(["localhost": DefaultTrustEvaluator()]))) == "defaultEvaluationFailed expired")
  }

  @Test("A host without an evaluator is refused before any request is sent, or left to the roots") func hostsWithoutAnEvaluator()
    async throws
  {
    let origin = try origin()
    let evaluators = ["elsewhere.test": DisabledTrustEvaluator()]
    #expect(reason(await get(origin.url(), session(evaluators))) == "noRequiredEvaluator")
    #expect(origin.visits.isEmpty)
    #expect(try await get(origin.url(), session(evaluators, mustAll: false)).get() == 200)
    #expect(try await get(origin.url(), session(["*": DefaultTrustEvaluator()])).get() == 200)
  }

  @Test("An error from the user's evaluator is reported unchanged") func customErrors() async throws {
    struct Nobody: ServerTrustEvaluating {
      struct Mistrust: Error, Equatable { let host: String }

      func evaluate(_ trust: ServerTrust, forHost host: String) throws { throw Mistrust(host: host) }
    }
    let origin = try origin()
    let result = await get(origin.url(), session(["localhost": Nobody()]))
    guard case .failure(.serverTrustEvaluationFailed(.customEvaluationFailed(let error))) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(error as? Nobody.Mistrust == Nobody.Mistrust(host: "localhost"))
  }

  /// Answers as it is told, and counts.
  private final class Switch: ServerTrustEvaluating {
    struct Off: Error {}

    private let state = Mutex<(isOn: Bool, resumptions: [Bool])>((true, []))

    var resumptions: [Bool] { state.withLock { $0.resumptions } }

    func turnOff() { state.withLock { $0.isOn = false } }

    func evaluate(_ trust: ServerTrust, forHost host: String) throws {
      let isOn = state.withLock { state in
        state.resumptions.append(trust.isResumed)
        return state.isOn
      }
      if !isOn { throw Off() }
    }
  }

  @Test("Resumed handshakes are evaluated, too, and refused before a request leaves", arguments: [TLSVersion.tls12, .tls13])
  func resumedHandshakes(_ version: TLSVersion) async throws {
    let origin = try origin(version: version)
    let evaluator = Switch()
    let session = session(["localhost": evaluator])
    #expect(try await get(origin.url(), session).get() == 200)
    #expect(try await get(origin.url(), session).get() == 200)
    #expect(evaluator.resumptions == [false, true])
    evaluator.turnOff()
    #expect(reason(await get(origin.url(), session)) == "customEvaluationFailed")
    #expect(evaluator.resumptions.count == 3)
    #expect(origin.visits.filter { !$0.head.isEmpty }.count == 2, "no head has reached the server a third time")
  }

  @Test("An evaluator may cancel the request on whose behalf it is asked") func cancellingEvaluator() async throws {
    final class Canceller: ServerTrustEvaluating {
      let request = Mutex<DataRequest?>(nil)

      func evaluate(_ trust: ServerTrust, forHost host: String) { _ = request.withLock { $0 }?.cancel() }
    }
    let origin = try origin()
    let canceller = Canceller()
    let session = session(["localhost": canceller])
    let error = await withCheckedContinuation { continuation in
      let request = session.request(origin.url(), shouldAutomaticallyResume: false)
      canceller.request.withLock { $0 = request }
      request.response { continuation.resume(returning: $0.error) }
      request.resume()
    }
    guard case .explicitlyCancelled = error?.asTapelineError(or: .sessionDeinitialized) else {
      Issue.record("\(String(describing: error))")
      return
    }
    canceller.request.withLock { $0 = nil }
    #expect(origin.visits.allSatisfy { $0.head.isEmpty })
  }

  // MARK: Client certificates

  @Test("A server that asks gets only the identity that is meant for it") func identities() async throws {
    let identity = try ClientIdentity(
      certificates: String(
        decoding: TLSMaterialError.read(chain.leaf.certificateFile) + TLSMaterialError.read(chain.middle.certificateFile),
        as: UTF8.self),
      privateKey: String(decoding: TLSMaterialError.read(chain.leaf.keyFile), as: UTF8.self))
    for (hosts, isShown) in [(["localhost": identity], true), (["*.test": identity], false)] {
      let context = try TLSServerContext()
      context.handle.verifyPeers(by: TrustStore.only([chain.root.certificate.handle]).anchors, refuses: true)
      let origin = try SecureOrigin(chain.leaf.credentials(sending: [chain.middle]), context: context)
      let session = session { $0.clientIdentities = ClientIdentities(hosts: hosts) }
      #expect(try await get(origin.url(), session).get() == 200)
      #expect(origin.visits.first?.clientChain == (isShown ? [chain.middle.certificate.der] : []))
    }
  }

  // MARK: Versions

  @Test("Only the versions that are allowed are offered") func versions() async throws {
    let old = try origin(version: .tls12)
    #expect(try await get(old.url(), session { $0.versions = .tls12 ... .tls12 }).get() == 200)
    guard case .failure(let error) = await get(old.url(), session { $0.versions = .tls13 ... .tls13 }) else {
      Issue.record("it was accepted")
      return
    }
    #expect(error.transportError?.kind == .alert("protocol_version"))
    let new = try origin(version: .tls13)
    #expect(try await get(new.url(), session { $0.versions = .tls12 ... .tls13 }).get() == 200)
  }

  @Test("A key log that cannot be written fails the requests that need TLS") func keyLog() async throws {
    let directory = try TemporaryDirectory()
    let origin = try origin()
    let absent = session { $0.keyLogFile = directory.path("absent/keys") }
    guard case .failure(let error) = await get(origin.url(), absent) else {
      Issue.record("it was accepted")
      return
    }
    #expect(error.transportError?.message.contains("key log") == true)
    let path = directory.path("keys")
    #expect(try await get(origin.url(), session { $0.keyLogFile = path }).get() == 200)
    #expect(String(decoding: try TLSMaterialError.read(path), as: UTF8.self).contains("SERVER_HANDSHAKE_TRAFFIC_SECRET"))
  }
}
