internal import FoundationEssentials
internal import TapelineHTTP
internal import TapelineBase
public import TapelineTransport

/// The request that a response asks for in place of the one that it answers (RFC 9110 15.4). It is a proposal: nobody has
/// decided to follow it yet.
struct Redirection: Sendable {
  /// The request that would be sent.
  let request: URLRequest
  /// The method has become GET, and the request no longer has content.
  let dropsBody: Bool

  /// `nil` if the response does not redirect.
  init?(of request: URLRequest, by response: HTTPURLResponse) throws(TapelineError) {
    guard Self.redirects(response.statusCode), let location = response.headers.value(for: FieldName.location.spelling),
      !location.isEmpty
    else { return nil }
    let target = try Self.target(location, of: request, answeredBy: response)
    var next = request
    next.url = target.url
    next.target = target.exactTarget
    dropsBody = Self.becomesGET(request.method, status: response.statusCode)
    if dropsBody {
      next.method = .get
      next.httpBody = nil
      for name in Self.contentFields { next.headers.remove(name: name) }
    }
    let (from, to) = (Origin(response.request), Origin(next))
    if from != to {
      for name in Self.secretFields { next.headers.remove(name: name) }
    }
    if from?.scheme == .https, to?.scheme != .https { next.headers.remove(name: FieldName.referer.spelling) }
    self.request = next
  }

  /// 300 leaves the choice to people, 304 and 305 mean something else, and 306 no longer means anything.
  private static func redirects(_ status: Int) -> Bool {
    switch status {
    case 301, 302, 303, 307, 308: true
    default: false
    }
  }

  /// 303 always asks for a representation (RFC 9110 15.4.4). 301 and 302 turn a POST into a GET, as all clients have long done
  /// (RFC 9110 15.4.2, 15.4.3). 307 and 308 never change the method.
  private static func becomesGET(_ method: HTTPMethod, status: Int) -> Bool {
    switch status {
    case 303: method != .get && method != .head
    case 301, 302: method == .post
    default: false
    }
  }

  /// The fields that describe the content, which is no longer sent (RFC 9110 15.4).
  private static let contentFields = [
    "Content-Encoding", "Content-Language", "Content-Location", "Content-Type", "Content-Length", "Content-Digest", "Digest",
    "Last-Modified", "Transfer-Encoding", "Expect", "Trailer",
  ]

  /// The fields that another origin must not get, even if the user set them (RFC 9110 15.4), and the old origin's name.
  private static let secretFields = ["Authorization", "Proxy-Authorization", "Cookie", "Cookie2", "Host"]

  // MARK: Where to

  /// RFC 9110 10.2.2: `Location` is a reference relative to the requested URL. Without a fragment it inherits the request's.
  private static func target(
    _ location: String, of request: URLRequest, answeredBy response: HTTPURLResponse
  ) throws(TapelineError) -> (url: URL, exactTarget: String?) {
    guard case .absolute(let asked) = response.request.target else {
      throw .redirectionFailed(reason: .invalidLocation(location))
    }
    let reference = URIReference(encoded(location))
    var target = reference.resolved(against: URIReference(asked.sanitizedText))
    if target.fragment == nil { target.fragment = request.url.flatMap { URIReference($0.absoluteString).fragment } }
    // A server does not choose the name and password that we send.
    target.authority = target.hostAndPort
    guard let url = URL(string: target.text) else { throw .redirectionFailed(reason: .invalidLocation(location)) }
    guard url.absoluteString != target.text, target.path.hasPrefix("/") else { return (url, nil) }
    // `URL` changes how some bytes are written, so the target is kept as it came.
    return (url, target.path + (target.query.map { "?" + $0 } ?? ""))
  }

  /// Percent-encodes the bytes that a URI cannot have, but that some servers send.
  private static func encoded(_ location: String) -> String {
    PercentEncoding.encode(location, keeping: .uri.union("%"))
  }
}

/// Decides whether a redirection is followed, and with which request.
public protocol RedirectHandler: Sendable {
  /// Called on the session's request queue. Call `completion` once, from any thread, at once or later.
  ///
  /// - Parameters:
  ///   - task: the task, whose response is `response`.
  ///   - request: the request that would be sent. If it goes to another origin, it has already lost `Authorization`, `Cookie`
  ///     and `Proxy-Authorization`.
  ///   - completion: takes the request to send, which may be another one; `nil` makes `response` the answer.
  @preconcurrency
  func task(
    _ task: SessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
    completion: @escaping @Sendable (URLRequest?) -> Void)
}

/// The redirect handlers that most programs need: follow, do not follow, or let a closure decide.
public struct Redirector: RedirectHandler {
  /// How a redirection is handled.
  public enum Behavior: Sendable {
    /// It is followed.
    case follow
    /// Its response is the answer.
    case doNotFollow
    /// The closure makes the request to send from the one that would be sent; `nil`: the response is the answer.
    case modify(@Sendable (SessionTask, URLRequest, HTTPURLResponse) -> URLRequest?)
  }

  /// Follows redirections.
  public static let follow = Redirector(behavior: .follow)
  /// Does not follow redirections.
  public static let doNotFollow = Redirector(behavior: .doNotFollow)

  /// The behaviour of this handler.
  public let behavior: Behavior

  /// A handler with this behaviour.
  public init(behavior: Behavior) {
    self.behavior = behavior
  }

  /// Decides at once.
  @preconcurrency
  public func task(
    _ task: SessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
    completion: @escaping @Sendable (URLRequest?) -> Void
  ) {
    switch behavior {
    case .follow: completion(request)
    case .doNotFollow: completion(nil)
    case .modify(let modify): completion(modify(task, request, response))
    }
  }
}

extension RedirectHandler where Self == Redirector {
  /// Follows redirections.
  public static var follow: Redirector { .follow }

  /// Does not follow redirections.
  public static var doNotFollow: Redirector { .doNotFollow }

  /// Sends the request that `closure` returns.
  @preconcurrency
  public static func modify(
    using closure: @escaping @Sendable (SessionTask, URLRequest, HTTPURLResponse) -> URLRequest?
  ) -> Redirector {
    Redirector(behavior: .modify(closure))
  }
}
