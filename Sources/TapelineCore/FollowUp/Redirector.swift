public import TapelineTransport

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
  public static func modify(
    using closure: @escaping @Sendable (SessionTask, URLRequest, HTTPURLResponse) -> URLRequest?
  ) -> Redirector {
    Redirector(behavior: .modify(closure))
  }
}
