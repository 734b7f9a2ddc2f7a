public import Dispatch
internal import Synchronization
internal import TapelineLoop
internal import TapelineTransport

/// Sends requests again that failed for want of a network, once there is one: when the kernel has a route to the world, which
/// is asked ten times a second while requests wait.
///
/// Without a network by the end of the wait, a request keeps its error. A host in a network that no default route leads to is
/// not waited for.
public final class OfflineRetrier: RequestInterceptor {
  /// Five seconds.
  public static let defaultWait = DispatchTimeInterval.seconds(5)
  /// `notConnectedToInternet`.
  public static let defaultURLErrorOfflineCodes: Set<SessionTaskError.Code> = [.notConnectedToInternet]
  /// Whether the error, or the one that it wraps, is a `SessionTaskError` with one of the codes above.
  public static let defaultIsOfflineError: @Sendable (_ error: any Error) -> Bool = { error in
    guard let error = error as? SessionTaskError ?? error.asTapelineError?.underlyingError as? SessionTaskError else {
      return false
    }
    return defaultURLErrorOfflineCodes.contains(error.code)
  }

  private static let queue = DispatchQueue(label: "tapeline.offlineRetrier", qos: .utility)
  /// Addresses that belong to nobody (RFC 5737, RFC 3849): only a default route leads there.
  private static let world = [SocketAddress(literal: "192.0.2.1", port: 9), SocketAddress(literal: "2001:db8::1", port: 9)]

  private struct State: Sendable {
    var waiting: [@Sendable (RetryResult) -> Void] = []
    var deadline = DispatchTime.now()
  }

  private let maximumWait: DispatchTimeInterval
  private let isOfflineError: @Sendable (any Error) -> Bool
  private let isOnline: @Sendable () -> Bool
  private let interval: DispatchTimeInterval
  private let state = Mutex(State())

  /// - Parameters:
  ///   - maximumWait: how long a request waits for a network.
  ///   - isOfflineError: whether an error says that there is no network; any other error goes to the next retrier.
  @preconcurrency
  public convenience init(
    maximumWait: DispatchTimeInterval = OfflineRetrier.defaultWait,
    isOfflineError: @escaping @Sendable (_ error: any Error) -> Bool = OfflineRetrier.defaultIsOfflineError
  ) {
    self.init(maximumWait: maximumWait, interval: .milliseconds(100), isOfflineError: isOfflineError) {
      Self.world.contains { $0?.source != nil }
    }
  }

  /// - Parameters:
  ///   - interval: between two questions.
  ///   - isOnline: asked on the retriers' own queue.
  init(
    maximumWait: DispatchTimeInterval, interval: DispatchTimeInterval, isOfflineError: @escaping @Sendable (any Error) -> Bool,
    isOnline: @escaping @Sendable () -> Bool
  ) {
    self.maximumWait = maximumWait
    self.interval = interval
    self.isOfflineError = isOfflineError
    self.isOnline = isOnline
  }

  @preconcurrency
  public func retry(
    _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    guard isOfflineError(error) else { return completion(.doNotRetry) }
    let isFirst = state.withLock { state in
      state.waiting.append(completion)
      guard state.waiting.count == 1 else { return false }
      state.deadline = .now() + maximumWait
      return true
    }
    if isFirst { Self.queue.async { [self] in look() } }
  }

  /// Those who wait together wait until the first one's time is up.
  private func look() {
    let isOnline = isOnline()
    let released = state.withLock { state -> [@Sendable (RetryResult) -> Void] in
      guard isOnline || DispatchTime.now() >= state.deadline else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    guard released.isEmpty else { return released.forEach { $0(isOnline ? .retry : .doNotRetry) } }
    Self.queue.asyncAfter(deadline: .now() + interval) { [self] in look() }
  }
}

extension RequestInterceptor where Self == OfflineRetrier {
  /// A retrier that waits for a network.
  ///
  /// - Parameters:
  ///   - maximumWait: how long a request waits for a network.
  ///   - isOfflineError: whether an error says that there is no network.
  @preconcurrency
  public static func offlineRetrier(
    maximumWait: DispatchTimeInterval = OfflineRetrier.defaultWait,
    isOfflineError: @escaping @Sendable (_ error: any Error) -> Bool = OfflineRetrier.defaultIsOfflineError
  ) -> OfflineRetrier {
    OfflineRetrier(maximumWait: maximumWait, isOfflineError: isOfflineError)
  }
}
