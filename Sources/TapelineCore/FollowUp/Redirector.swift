public import TapelineTransport

/// The redirect handlers that most need: follow, do not follow, or have a closure decide.
public struct Redirector: RedirectHandler {
  /// What becomes of a redirection.
  public enum Behavior: Sendable {
    /// It is followed.
    case follow
    /// Its response is the answer.
    case doNotFollow
    /// The closure makes the request to send of the one that would be sent; `nil`: the response is the answer.
    case modify(@Sendable (SessionTask, URLRequest, HTTPURLResponse) -> URLRequest?)
  }

  /// Follows redirections.
  public static let follow = Redirector(behavior: .follow)
  /// Follows none.
  public static let doNotFollow = Redirector(behavior: .doNotFollow)

  /// What this one does.
  public let behavior: Behavior

  /// A handler that does this.
  public init(behavior: Behavior) {
    self.behavior = behavior
  }

  /// Decides at once.
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

  /// Follows none.
  public static var doNotFollow: Redirector { .doNotFollow }

  /// Has `closure` make the request to send.
  public static func modify(
    using closure: @escaping @Sendable (SessionTask, URLRequest, HTTPURLResponse) -> URLRequest?
  ) -> Redirector {
    Redirector(behavior: .modify(closure))
  }
}
