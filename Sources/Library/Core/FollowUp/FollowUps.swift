internal import FoundationEssentials
internal import TapelineHTTP
package import TapelineLoop
package import TapelineTransport

/// Decides for each final head of one task whether it is the answer or leads to another exchange of the task: a redirection to
/// follow, or a challenge to answer. Loop-bound; one per task.
package final class FollowUps {
  /// Answers to challenges in a row: a nonce may be stale, a password wrong.
  private static let answerLimit = 3

  /// A user's decision about a challenge, made on the loop.
  package typealias ChallengeOverride = @Sendable (SessionTask, HTTPAuthenticationChallenge) -> ChallengeDisposition

  private unowned let host: any FollowUpHost
  private let shared: AuthenticationSession
  /// For credentials that are forgotten when the task ends.
  private let own = AuthenticationSession()
  private let redirectHandler: (any RedirectHandler)?
  private let givenCredential: Credential?
  private let storage: CredentialStorage
  private let cookies: HTTPCookieStorage?
  private let challengeOverride: ChallengeOverride?
  private let maximumRedirects: Int

  /// The request in flight, without the credential and the cookies that we add.
  private var current: URLRequest?
  /// The only origin that may get the given credential and the one in the URL.
  private var firstOrigin: Origin?
  private var urlCredential: Credential?
  /// The credential with which an override has answered a challenge, and the origin that it is for.
  private var chosen: (origin: Origin, credential: Credential)?
  /// A redirection has changed the method to GET and dropped the body.
  private var hasDroppedBody = false
  private var redirectCount = 0
  private var answerCount = 0
  /// The credential that authenticates the exchange in flight.
  private var sentCredential: Credential?
  /// Counts the questions to redirect handlers, so that only the first answer to each counts.
  private var question = 0

  package init(
    host: any FollowUpHost, authentication: AuthenticationSession, redirectHandler: (any RedirectHandler)?,
    credential: Credential?, storage: CredentialStorage, cookies: HTTPCookieStorage? = nil,
    challengeOverride: ChallengeOverride? = nil, maximumRedirects: Int
  ) {
    self.host = host
    shared = authentication
    self.redirectHandler = redirectHandler
    givenCredential = credential
    self.storage = storage
    self.cookies = cookies
    self.challengeOverride = challengeOverride
    self.maximumRedirects = maximumRedirects
  }

  /// The first request as it is sent, with the credential and the cookies that the session knows for it.
  package func prepare(_ request: URLRequest) -> URLRequest {
    current = request
    firstOrigin = Origin(request)
    urlCredential = request.urlCredential.map { Credential(user: $0.user, password: $0.password) }
    return withCookies(authenticated(request))
  }

  /// Decides about a final head: `nil` if it is the answer. If that turns out only later, `deliver` is called on the loop.
  package func receive(
    _ response: HTTPURLResponse, of task: SessionTask, deliver: @escaping (HTTPURLResponse) -> ResponseDisposition
  ) -> ResponseDisposition? {
    if current?.httpShouldHandleCookies == true { cookies?.store(from: response) }
    let answer: ResponseDisposition?
    switch response.statusCode {
    case 401: answer = answerChallenge(response, of: task)
    case 407: answer = answerProxyChallenge(of: task)
    default: answer = redirect(response, of: task, deliver: deliver)
    }
    if answer == nil, let sentCredential, let origin = Origin(response.request) {
      book(for: sentCredential).learn(from: response.head.fields, of: origin, credential: sentCredential)
    }
    return answer
  }

  // MARK: Redirections

  private func redirect(
    _ response: HTTPURLResponse, of task: SessionTask, deliver: @escaping (HTTPURLResponse) -> ResponseDisposition
  ) -> ResponseDisposition? {
    guard let current else { return nil }
    do throws(TapelineError) {
      guard let redirection = try Redirection(of: current, by: response) else { return nil }
      guard let redirectHandler else { return follow(redirection, with: redirection.request, after: response, of: task) }
      question += 1
      let pending = LoopBound(
        PendingRedirection(followUps: self, question: question, redirection: redirection, task: task, deliver: deliver),
        on: host.loop)
      let context = host.followUpContext
      context.async {
        redirectHandler.task(task, willBeRedirectedTo: redirection.request, for: response) { request in
          // After the handler has returned.
          context.async { pending.loop.execute { pending.value.decide(request, for: response) } }
        }
      }
      return .later
    } catch {
      return fail(error, task)
    }
  }

  fileprivate func decide(_ pending: PendingRedirection, _ request: URLRequest?, for response: HTTPURLResponse) {
    // A second answer is ignored. So is an answer after the task has ended, as the request may then have ended, too.
    guard pending.question == question, pending.task.isUnderWay else { return }
    question += 1
    if let request {
      _ = follow(pending.redirection, with: request, after: response, of: pending.task)
    } else {
      switch pending.deliver(response) {
      case .proceed: pending.task.decide(.proceed)
      case .cancel: pending.task.decide(.cancel)
      case .later: break
      }
    }
  }

  private func follow(
    _ redirection: Redirection, with request: URLRequest, after response: HTTPURLResponse, of task: SessionTask
  ) -> ResponseDisposition {
    guard redirectCount < maximumRedirects else {
      return fail(.redirectionFailed(reason: .tooManyRedirects(limit: maximumRedirects)), task)
    }
    redirectCount += 1
    answerCount = 0
    current = request
    hasDroppedBody = hasDroppedBody || redirection.dropsBody
    guard hasDroppedBody || host.renewBody() else { return fail(.redirectionFailed(reason: .bodyNotReplayable), task) }
    if let scheme = request.url?.scheme?.lowercased(), scheme != "http", scheme != "https" {
      return fail(.redirectionFailed(reason: .unsupportedScheme(scheme)), task)
    }
    host.willFollow(request, after: response)
    return send(request, redirected: true, of: task)
  }

  // MARK: Challenges

  private func answerChallenge(_ response: HTTPURLResponse, of task: SessionTask) -> ResponseDisposition? {
    guard let current, let origin = Origin(response.request) else { return nil }
    let challenges = AuthenticationChallenge.challenges(in: response.head.fields, from: .origin)
    if let challengeOverride, !challenges.isEmpty {
      let challenge = HTTPAuthenticationChallenge(challenges, from: origin, after: answerCount, in: response)
      switch challengeOverride(task, challenge) {
      case .useCredential(let credential): chosen = (origin, credential)
      case .performDefaultHandling: break
      case .rejectProtectionSpace: return nil
      case .cancelAuthenticationChallenge:
        task.decide(.cancel)
        return .later
      }
    }
    guard answerCount < Self.answerLimit, let credential = credential(for: origin, challenges) else { return nil }
    if let sentCredential, sentCredential != credential {
      book(for: sentCredential).forget(sentCredential, refusedBy: challenges, of: origin)
    }
    let isBetter = book(for: credential).learn(
      challenges, from: origin, path: response.request.originFormText, credential: credential,
      answered: sentCredential == credential)
    guard isBetter, hasDroppedBody || host.renewBody() else { return nil }
    answerCount += 1
    var next = current
    // A better answer is known, so the server has refused the user's own field.
    next.headers.remove(name: FieldName.authorization.spelling)
    self.current = next
    return send(next, redirected: false, of: task)
  }

  /// The transport knows what the upstream proxy wants; only the body has to be sent again from its start.
  private func answerProxyChallenge(of task: SessionTask) -> ResponseDisposition? {
    guard let current, task.proxyChallengeIsAnswerable, answerCount < Self.answerLimit, hasDroppedBody || host.renewBody() else {
      return nil
    }
    answerCount += 1
    return send(current, redirected: false, of: task)
  }

  private func credential(for origin: Origin, _ challenges: [AuthenticationChallenge]) -> Credential? {
    if let credential = ownCredential(for: origin) { return credential }
    return challenges.lazy.compactMap { [storage] challenge in
      storage.credential(forHost: origin.host, port: origin.port, realm: challenge.realm)
    }.first
  }

  /// The credential that was given for this task.
  private func ownCredential(for origin: Origin) -> Credential? {
    if let chosen, chosen.origin == origin { return chosen.credential }
    return origin == firstOrigin ? givenCredential ?? urlCredential : nil
  }

  private func book(for credential: Credential) -> AuthenticationSession {
    switch credential.persistence {
    case .none: own
    case .forSession: shared
    }
  }

  // MARK: The next exchange

  private func send(_ request: URLRequest, redirected: Bool, of task: SessionTask) -> ResponseDisposition {
    do {
      let complete = withCookies(authenticated(request))
      task.decide(.repeat(try outgoing(complete), redirected: redirected))
      return .later
    } catch {
      return fail(error.asTapelineError(or: .createURLRequestFailed(error: error)), task)
    }
  }

  /// The request without the body that a redirection dropped, unless a redirect handler has set another body.
  private func outgoing(_ request: URLRequest) throws -> OutgoingRequest {
    guard hasDroppedBody else { return try host.outgoing(for: request) }
    return request.httpBody == nil ? try request.outgoing(framing: BodyFraming.none) : try request.outgoing()
  }

  /// The request with the credential that its origin is known to ask for, unless the user has set `Authorization`.
  private func authenticated(_ request: URLRequest) -> URLRequest {
    sentCredential = nil
    guard !request.headers.contains(name: FieldName.authorization.spelling) else { return request }
    do throws(TapelineError) {
      let head = try request.head()
      guard let origin = Origin(head) else { return request }
      let wanted = ownCredential(for: origin)
      let (path, method) = (head.originFormText, head.method.rawValue)
      let known =
        own.authorization(for: origin, path: path, method: method, credential: wanted)
        ?? shared.authorization(for: origin, path: path, method: method, credential: wanted)
      guard let known else { return request }
      sentCredential = known.credential
      var complete = request
      complete.headers.update(name: FieldName.authorization.spelling, value: known.fieldValue)
      return complete
    } catch {
      // A request that cannot be sent is refused when it is made into an `OutgoingRequest`.
      return request
    }
  }

  /// The request with the cookies that are kept for it, unless the user has set `Cookie`.
  private func withCookies(_ request: URLRequest) -> URLRequest {
    guard let cookies, request.httpShouldHandleCookies, !request.headers.contains(name: FieldName.cookie.spelling) else {
      return request
    }
    do throws(TapelineError) {
      guard let value = cookies.fieldValue(for: try request.head()) else { return request }
      var complete = request
      complete.headers.update(name: FieldName.cookie.spelling, value: value)
      return complete
    } catch {
      // As above.
      return request
    }
  }

  private func fail(_ error: TapelineError, _ task: SessionTask) -> ResponseDisposition {
    host.didFailToFollow(error)
    task.decide(.cancel)
    return .later
  }
}

/// A redirection whose handler has not answered.
private struct PendingRedirection {
  let followUps: FollowUps
  let question: Int
  let redirection: Redirection
  let task: SessionTask
  let deliver: (HTTPURLResponse) -> ResponseDisposition

  func decide(_ request: URLRequest?, for response: HTTPURLResponse) {
    followUps.decide(self, request, for: response)
  }
}

/// The parts of a request that the follow-ups need. Everything is called on the loop of its task.
package protocol FollowUpHost: AnyObject, Sendable {
  var loop: EventLoop { get }
  /// Where redirect handlers run.
  var followUpContext: any SerialContext { get }
  /// How a request goes on the wire, with the host's own body.
  func outgoing(for request: URLRequest) throws -> OutgoingRequest
  /// Prepares the body to be sent again from its start; `false` if that is impossible.
  func renewBody() -> Bool
  /// A redirection is followed with this request.
  func willFollow(_ request: URLRequest, after response: HTTPURLResponse)
  /// The task will be cancelled because of this.
  func didFailToFollow(_ error: TapelineError)
}
