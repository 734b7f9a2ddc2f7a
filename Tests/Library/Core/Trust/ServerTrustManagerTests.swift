import Testing

@testable import TapelineCore
@testable import TapelineTLS

struct ServerTrustManagerTests {
  @Test("All hosts must be evaluated by default") func allHostsMustBeEvaluated() throws {
    let strict = ServerTrustManager(evaluators: ["a.test": DisabledTrustEvaluator(), "*.b.test": DefaultTrustEvaluator()])
    #expect(strict.allHostsMustBeEvaluated)
    #expect(strict.evaluators.count == 2)
    #expect(try strict.serverTrustEvaluator(forHost: "a.test") is DisabledTrustEvaluator)
    #expect(try strict.serverTrustEvaluator(forHost: "x.b.test") is DefaultTrustEvaluator)
    do {
      _ = try strict.serverTrustEvaluator(forHost: "c.test")
      Issue.record("it was found")
    } catch {
      guard case .serverTrustEvaluationFailed(.noRequiredEvaluator(host: "c.test"))? = error.asTapelineError else {
        Issue.record("\(error)")
        return
      }
    }
    let lax = ServerTrustManager(allHostsMustBeEvaluated: false, evaluators: [:])
    #expect(try lax.serverTrustEvaluator(forHost: "c.test") == nil)
  }

  @Test("An evaluator that asks for a stapled response makes its connections ask") func stapling() throws {
    let manager = ServerTrustManager(evaluators: [
      "a.test": CompositeTrustEvaluator(evaluators: [DefaultTrustEvaluator(), RevocationTrustEvaluator()]),
      "b.test": RevocationTrustEvaluator(options: .crl),
    ])
    #expect(try manager.peerEvaluator(forHost: "a.test")?.needsStapledResponse == true)
    #expect(try manager.peerEvaluator(forHost: "b.test")?.needsStapledResponse == false)
  }
}
