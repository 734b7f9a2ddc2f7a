internal import Dispatch
internal import TapelineTime

/// The credential that an `Authenticator` puts into requests: a token, and everything needed to get the next one.
public protocol AuthenticationCredential: Sendable {
  /// Whether it should be refreshed before use: `true` from a little before a known expiry.
  var requiresRefresh: Bool { get }
}

/// Knows one way of authenticating, such as OAuth: how a credential gets into a request, when it was refused, and how to get
/// another.
public protocol Authenticator: AnyObject, Sendable {
  /// The credential that it puts into requests.
  associatedtype Credential: AuthenticationCredential

  /// Puts the credential into a request, most often as `Authorization`.
  func apply(_ credential: Credential, to urlRequest: inout URLRequest)

  /// Gets another credential in place of `credential`, and calls `completion` once, from anywhere.
  ///
  /// The requests that fetch it must not use the interceptor that asks for it: they would wait for themselves.
  ///
  /// - Parameters:
  ///   - credential: the one that has expired, or was refused.
  ///   - session: the session that sends it.
  ///   - completion: called once, from any thread.
  @preconcurrency
  func refresh(
    _ credential: Credential, for session: Session, completion: @escaping @Sendable (Result<Credential, any Error>) -> Void)

  /// Whether the response says that the credential was refused: most often that its status is 401.
  ///
  /// - Parameters:
  ///   - urlRequest: the request, with its credential.
  ///   - response: the server's head.
  ///   - error: the request's failure.
  /// - Returns: whether the credential is to be refreshed.
  func didRequest(_ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error) -> Bool

  /// Whether the request carries this credential. A request with an older credential is sent again without a refresh.
  func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Credential) -> Bool
}

/// Why an `AuthenticationInterceptor` gave up.
public enum AuthenticationError: Error, Sendable, Hashable {
  /// It has no credential.
  case missingCredential
  /// Credentials were refreshed too often: a server refuses the credentials that it hands out.
  case excessiveRefresh
}

/// Puts a credential into every request and refreshes it when it expires or is refused. However many requests find that out,
/// there is one refresh, and they all wait for it.
public final class AuthenticationInterceptor<AuthenticatorType: Authenticator>: RequestInterceptor {
  /// The credential that requests are authenticated with.
  public typealias Credential = AuthenticatorType.Credential

  /// A request that waits for the credential: before it is sent, or to be sent again.
  private enum Waiting: Sendable {
    case adaptation(URLRequest, Session, @Sendable (Result<URLRequest, any Error>) -> Void)
    case retry(@Sendable (RetryResult) -> Void)
  }

  private struct State: Sendable {
    var credential: Credential?
    /// Counts the changes of the credential, so that findings about an older one are ignored.
    var generation = 0
    var isRefreshing = false
    var refreshes: [MonotonicInstant] = []
    var waiting: [Waiting] = []
  }

  /// The next step for a request, decided under the lock and taken outside it.
  private enum Step: Sendable {
    case refresh(Credential)
    case wait
    case fail(AuthenticationError)
    /// The credential has changed meanwhile.
    case lookAgain
  }

  private let authenticator: AuthenticatorType
  private let refreshWindow: RefreshWindow?
  private let state: Protected<State>

  /// - Parameter refreshWindow: the limit of refreshes, beyond which requests fail with `AuthenticationError.excessiveRefresh`;
  ///   `nil` for no limit. Without a window, requests also fail with this error if a refreshed credential requires another
  ///   refresh at once: that would go on for ever.
  public init(authenticator: AuthenticatorType, credential: Credential? = nil, refreshWindow: RefreshWindow? = RefreshWindow()) {
    self.authenticator = authenticator
    self.refreshWindow = refreshWindow
    state = Protected(State(credential: credential))
  }

  /// The credential that requests are authenticated with. Once you set a new one, every request that has not been sent uses it.
  public var credential: Credential? {
    get { state.read { $0.credential } }
    set {
      state.write { state in
        state.credential = newValue
        state.generation += 1
      }
    }
  }

  // MARK: RequestAdapter

  /// Authenticates the request, once there is a credential that may be used.
  @preconcurrency
  public func adapt(
    _ urlRequest: URLRequest, for session: Session, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    while true {
      let (credential, generation, isRefreshing) = state.read { ($0.credential, $0.generation, $0.isRefreshing) }
      guard isRefreshing || credential != nil else { return completion(.failure(AuthenticationError.missingCredential)) }
      if let credential, !isRefreshing, !credential.requiresRefresh {
        return completion(.success(authenticated(urlRequest, with: credential)))
      }
      if enqueue(.adaptation(urlRequest, session, completion), generation: generation, for: session) { return }
    }
  }

  // MARK: RequestRetrier

  /// Sends the request again if its credential was refused, once there is another credential.
  @preconcurrency
  public func retry(
    _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    guard let urlRequest = request.request, let response = request.response,
      authenticator.didRequest(urlRequest, with: response, failDueToAuthenticationError: error)
    else { return completion(.doNotRetry) }
    while true {
      let (credential, generation) = state.read { ($0.credential, $0.generation) }
      guard let credential else { return completion(.doNotRetryWithError(AuthenticationError.missingCredential)) }
      guard authenticator.isRequest(urlRequest, authenticatedWith: credential) else { return completion(.retry) }
      if enqueue(.retry(completion), generation: generation, for: session) { return }
    }
  }

  // MARK: Refreshing

  /// Makes a request wait for the next credential, and starts a refresh unless one is running. `false`: the credential has
  /// changed in the meantime.
  private func enqueue(_ waiting: Waiting, generation: Int, for session: Session) -> Bool {
    let step = state.write { state -> Step in
      guard state.generation == generation else { return .lookAgain }
      if state.isRefreshing {
        state.waiting.append(waiting)
        return .wait
      }
      guard let credential = state.credential else { return .fail(.missingCredential) }
      let now = MonotonicInstant.now
      if let refreshWindow, refreshWindow.isExhausted(by: state.refreshes, at: now) { return .fail(.excessiveRefresh) }
      if let refreshWindow { state.refreshes = state.refreshes.suffix(max(0, refreshWindow.maximumAttempts - 1)) + [now] }
      state.isRefreshing = true
      state.waiting.append(waiting)
      return .refresh(credential)
    }
    switch step {
    case .refresh(let credential):
      authenticator.refresh(credential, for: session) { [self] result in
        // The authenticator may hold a lock of its own while it answers.
        session.requestQueue.async { [self] in didRefresh(result) }
      }
      return true
    case .wait:
      return true
    case .fail(let error):
      release(waiting, .failure(error))
      return true
    case .lookAgain:
      return false
    }
  }

  private func didRefresh(_ result: Result<Credential, any Error>) {
    let waiting = state.write { state -> [Waiting] in
      // A second answer is ignored.
      guard state.isRefreshing else { return [] }
      state.isRefreshing = false
      if case .success(let credential) = result {
        state.credential = credential
        state.generation += 1
      }
      defer { state.waiting = [] }
      return state.waiting
    }
    for request in waiting { release(request, result) }
  }

  private func release(_ waiting: Waiting, _ result: Result<Credential, any Error>) {
    switch (waiting, result) {
    case (.adaptation(let urlRequest, let session, let completion), .success(let credential)):
      if !credential.requiresRefresh {
        completion(.success(authenticated(urlRequest, with: credential)))
      } else if refreshWindow == nil {
        completion(.failure(AuthenticationError.excessiveRefresh))
      } else {
        // Refreshes once more, until the window is exhausted.
        adapt(urlRequest, for: session, completion: completion)
      }
    case (.adaptation(_, _, let completion), .failure(let error)):
      completion(.failure(error))
    case (.retry(let completion), .success):
      completion(.retry)
    case (.retry(let completion), .failure(let error)):
      completion(.doNotRetryWithError(error))
    }
  }

  private func authenticated(_ urlRequest: URLRequest, with credential: Credential) -> URLRequest {
    var request = urlRequest
    authenticator.apply(credential, to: &request)
    return request
  }
}

/// How often credentials may be refreshed: at most `maximumAttempts` times in `interval` seconds.
public struct RefreshWindow: Sendable, Hashable {
  /// In seconds.
  public let interval: TimeInterval
  /// The most refreshes that may begin within any `interval`.
  public let maximumAttempts: Int

  /// At most `maximumAttempts` in `interval` seconds.
  public init(interval: TimeInterval = 30, maximumAttempts: Int = 5) {
    self.interval = interval
    self.maximumAttempts = maximumAttempts
  }

  /// Whether no other refresh may begin at `now`.
  func isExhausted(by earlier: [MonotonicInstant], at now: MonotonicInstant) -> Bool {
    earlier.count { now.duration(since: $0) < interval.duration } >= maximumAttempts
  }
}
