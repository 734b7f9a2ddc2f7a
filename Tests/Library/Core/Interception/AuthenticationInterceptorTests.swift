import FoundationEssentials
import Synchronization
import TapelineLoop
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineCore
@testable import TapelineTransport

@Suite struct AuthenticationInterceptorTests {
  private typealias Interceptor = AuthenticationInterceptor<TokenAuthenticator>

  /// Answers 401 to every token but `accepted`.
  private func makeOrigin(accepting accepted: String) throws -> ScriptedOrigin {
    try ScriptedOrigin([
      .forever([
        .answer { request in
          let isAccepted = request.values(of: "Authorization") == ["Bearer \(accepted)"]
          let status = isAccepted ? "200 OK" : "401 Unauthorized"
          return Array("HTTP/1.1 \(status)\r\nContent-Length: 2\r\n\r\nok".utf8)
        }
      ])
    ])
  }

  private func tokens(_ origin: ScriptedOrigin) -> [String] {
    origin.requests.map { $0.values(of: "Authorization").first ?? "-" }
  }

  @Test("An authenticator may answer under a lock that it takes for each of its methods")
  func answersUnderALock() async throws {
    final class Locked: Authenticator {
      let lock = Mutex(0)
      func apply(_ credential: Token, to urlRequest: inout URLRequest) {
        lock.withLock { $0 += 1 }
        urlRequest.headers.update(.authorization(bearerToken: credential.text))
      }
      func refresh(
        _ credential: Token, for session: Session, completion: @escaping @Sendable (Result<Token, any Error>) -> Void
      ) {
        lock.withLock { _ in completion(.success(Token("b"))) }
      }
      func didRequest(_ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error)
        -> Bool
      { lock.withLock { _ in response.statusCode == 401 } }
      func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Token) -> Bool {
        lock.withLock { _ in urlRequest.headers["Authorization"] == "Bearer \(credential.text)" }
      }
    }
    let origin = try makeOrigin(accepting: "b")
    let session = Session(interceptor: AuthenticationInterceptor(authenticator: Locked(), credential: Token("a")))
    let response = await session.request(origin.url()).validate().serializingString().response
    #expect(response.value == "ok")
    #expect(tokens(origin) == ["Bearer a", "Bearer b"])
  }

  @Test("Requests carry the credential")
  func applies() throws {
    let origin = try makeOrigin(accepting: "a")
    let session = Session(interceptor: Interceptor(authenticator: TokenAuthenticator(), credential: Token("a")))
    #expect(try session.request(origin.url()).awaitedOutcome().wait().response?.statusCode == 200)
    #expect(tokens(origin) == ["Bearer a"])
  }

  @Test("Without a credential nothing is sent")
  func missing() throws {
    let origin = try makeOrigin(accepting: "a")
    let session = Session(interceptor: Interceptor(authenticator: TokenAuthenticator()))
    let outcome = try session.request(origin.url()).awaitedOutcome().wait()
    #expect(outcome.error?.underlyingError as? AuthenticationError == .missingCredential)
    #expect(origin.connections.isEmpty)
  }

  @Test("Many requests with an expired credential make one refresh, and all carry the new credential")
  func singleFlightBefore() throws {
    let origin = try makeOrigin(accepting: "b")
    let authenticator = TokenAuthenticator()
    let session = Session(interceptor: Interceptor(authenticator: authenticator, credential: Token("a", isOld: true)))
    let awaited = (0..<8).map { _ in session.request(origin.url()).awaitedOutcome() }
    let complete = try authenticator.asked.wait()
    session.engine.requestContext.async {
      // Behind all adaptations: every request waits by now, or finds the new credential.
      complete(.success(Token("b")))
    }
    for outcome in awaited { #expect(try outcome.wait().response?.statusCode == 200) }
    #expect(authenticator.refreshes == ["a"])
    #expect(Set(tokens(origin)) == ["Bearer b"])
  }

  @Test("Many refusals of one credential make one refresh, and all are sent again")
  func singleFlightAfter() throws {
    let origin = try makeOrigin(accepting: "b")
    let authenticator = TokenAuthenticator()
    let session = Session(interceptor: Interceptor(authenticator: authenticator, credential: Token("a")))
    let awaited = (0..<8).map { _ in session.request(origin.url()).validate().awaitedOutcome() }
    let complete = try authenticator.asked.wait()
    complete(.success(Token("b")))
    for outcome in awaited { #expect(try outcome.wait().response?.statusCode == 200) }
    #expect(authenticator.refreshes == ["a"])
  }

  @Test("A failed refresh fails all requests that wait for it")
  func failedRefresh() throws {
    let origin = try makeOrigin(accepting: "b")
    let authenticator = TokenAuthenticator()
    let session = Session(interceptor: Interceptor(authenticator: authenticator, credential: Token("a", isOld: true)))
    let setUp = Awaited<Void>()
    let awaited = (0..<3).map { _ in
      session.request(origin.url(), requestModifier: { _ in setUp.take(()) }).awaitedOutcome()
    }
    let complete = try authenticator.asked.wait()
    // Behind the set-up of the last one, which waits for the refresh then.
    for _ in awaited { try setUp.wait() }
    session.engine.requestContext.async { complete(.failure(TestSupportError.malformed("no"))) }
    let errors = try awaited.map { try $0.wait().error?.underlyingError }
    #expect(errors.allSatisfy { $0 is TestSupportError })
    #expect(origin.connections.isEmpty)
  }

  @Test("A server that refuses its own new credentials is asked a limited number of times")
  func excessive() throws {
    let origin = try makeOrigin(accepting: "none of them")
    let authenticator = TokenAuthenticator(refreshesAtOnce: true)
    let interceptor = Interceptor(
      authenticator: authenticator, credential: Token("0"), refreshWindow: RefreshWindow(interval: 60, maximumAttempts: 3))
    let session = Session(interceptor: interceptor)
    let outcome = try session.request(origin.url()).validate().awaitedOutcome().wait()
    guard case .requestRetryFailed(let error, originalError: _) = outcome.error else {
      Issue.record("\(String(describing: outcome.error))")
      return
    }
    #expect(error as? AuthenticationError == .excessiveRefresh)
    #expect(authenticator.refreshes.count == 3)
  }

  @Test("A credential that requires a refresh as soon as it was refreshed is never sent", arguments: [2, nil])
  func refreshedInVain(_ attempts: Int?) throws {
    let origin = try makeOrigin(accepting: "none of them")
    let authenticator = TokenAuthenticator(refreshesAtOnce: true, refreshesInVain: true)
    let interceptor = Interceptor(
      authenticator: authenticator, credential: Token("0", isOld: true),
      refreshWindow: attempts.map { RefreshWindow(interval: 60, maximumAttempts: $0) })
    let session = Session(interceptor: interceptor)
    let outcome = try session.request(origin.url()).awaitedOutcome().wait()
    #expect(outcome.error?.underlyingError as? AuthenticationError == .excessiveRefresh)
    #expect(authenticator.refreshes.count == attempts ?? 1)
    #expect(origin.connections.isEmpty)
  }

  @Test("The interceptor ignores other failures")
  func otherFailure() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond("500 No")])])
    let authenticator = TokenAuthenticator()
    let session = Session(interceptor: Interceptor(authenticator: authenticator, credential: Token("a")))
    #expect(try session.request(origin.url()).validate().awaitedOutcome().wait().response?.statusCode == 500)
    #expect(authenticator.refreshes.isEmpty)
  }

  @Test("A window forgets old refreshes")
  func window() {
    let window = RefreshWindow(interval: 10, maximumAttempts: 2)
    let start = MonotonicInstant(nanoseconds: 0)
    let later = start.advanced(byNanoseconds: 11_000_000_000)
    #expect(window.isExhausted(by: [start, start], at: start))
    #expect(!window.isExhausted(by: [start, start], at: later))
    #expect(!window.isExhausted(by: [start], at: start))
    #expect(window.isExhausted(by: [later, start, later], at: later))
  }
}

private struct Token: AuthenticationCredential, Equatable {
  let text: String
  let requiresRefresh: Bool

  init(_ text: String, isOld: Bool = false) {
    self.text = text
    requiresRefresh = isOld
  }
}

/// Has the test complete each refresh, or completes it at once with a token of its own.
private final class TokenAuthenticator: Authenticator {
  typealias Completion = @Sendable (Result<Token, any Error>) -> Void

  let asked = Awaited<Completion>()
  private let log = Mutex<[String]>([])
  private let refreshesAtOnce: Bool
  /// Whether what it hands out is old already.
  private let refreshesInVain: Bool

  init(refreshesAtOnce: Bool = false, refreshesInVain: Bool = false) {
    self.refreshesAtOnce = refreshesAtOnce
    self.refreshesInVain = refreshesInVain
  }

  var refreshes: [String] { log.withLock { $0 } }

  func apply(_ credential: Token, to urlRequest: inout URLRequest) {
    urlRequest.headers["Authorization"] = "Bearer \(credential.text)"
  }

  func refresh(_ credential: Token, for session: Session, completion: @escaping Completion) {
    let count = log.withLock { log in
      log.append(credential.text)
      return log.count
    }
    if refreshesAtOnce { completion(.success(Token("\(count)", isOld: refreshesInVain))) } else { asked.take(completion) }
  }

  func didRequest(
    _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
  ) -> Bool {
    response.statusCode == 401
  }

  func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Token) -> Bool {
    urlRequest.headers["Authorization"] == "Bearer \(credential.text)"
  }
}
