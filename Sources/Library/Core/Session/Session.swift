public import Dispatch
internal import Synchronization
package import TapelineLoop
package import TapelineTransport

/// Makes requests and owns what they share: a loop, a transport, and the delegate that hears of every task.
///
/// Requests may be made, and commanded, from any thread; handlers are called on `callbackQueue` or on a queue of their own,
/// never on the main queue unless you name it. When a session is released, its unfinished requests end with
/// `TapelineError.sessionDeinitialized`.
///
/// A subclass may add what its program needs; what the library does with a session cannot be overridden.
///
/// Safety: `@unchecked Sendable` because a class that may be subclassed cannot be `Sendable`; every stored property is a
/// constant, or behind a lock.
///
/// ```swift
/// var configuration = SessionConfiguration.default
/// configuration.timeoutIntervalForRequest = 30
/// let session = Session(configuration: configuration, interceptor: RetryPolicy())
/// ```
open class Session: @unchecked Sendable {
  /// When the `URLRequest` and the task of a request are made.
  public enum RequestSetup: Sendable, Hashable {
    /// At the request's first `resume()`.
    case lazy
    /// As soon as the request is made.
    case eager
  }

  /// The session that the free functions and `AF` use.
  public static let `default` = Session()

  /// The settings that all requests share.
  public let configuration: SessionConfiguration
  /// Hears of every task; overrides are set on it.
  public let delegate: SessionDelegate
  /// Whether the first handler starts a request.
  public let startRequestsImmediately: Bool
  /// When requests are set up.
  public let requestSetup: RequestSetup
  /// Adapts and retries after each request's own interceptor.
  public let interceptor: (any RequestInterceptor)?
  /// Judges servers.
  public let serverTrustManager: ServerTrustManager?
  /// Decides about redirections for requests without a handler of their own.
  public let redirectHandler: (any RedirectHandler)?
  /// Decides whether responses go to the configuration's cache, for requests without a handler of their own.
  public let cachedResponseHandler: (any CachedResponseHandler)?
  /// Told of everything.
  public let eventMonitors: [any EventMonitor]

  private let contexts: SessionContexts
  private let engines = Mutex(Engines())

  private struct Engines {
    /// The engine, once it has started.
    var running: SessionEngine?
    /// The engine of the requests that were made while the process had no thread or descriptor for one: they fail.
    var failed: SessionEngine?

    var all: [SessionEngine] { [running, failed].compactMap { $0 } }
  }

  /// A session with a thread of its own, which starts with the first request.
  ///
  /// - Parameters:
  ///   - configuration: the settings that all requests share.
  ///   - delegate: belongs to this session alone.
  ///   - rootQueue: the target of the session's own request and serialization queues, so that their work takes turns. The
  ///     session's own work is done by its thread.
  ///   - startRequestsImmediately: whether the first handler starts a request.
  ///   - requestSetup: when the `URLRequest` and the task of a request are made.
  ///   - requestQueue: where requests are made; serialised if it is concurrent. By default a queue of the session's own.
  ///   - serializationQueue: where serializers run; serialised if it is concurrent. By default a queue of the session's own.
  ///   - callbackQueue: where handlers that name no queue are called. By default a serial queue of the session's own.
  ///   - interceptor: adapts and retries after each request's own interceptor.
  ///   - serverTrustManager: judges servers.
  ///   - redirectHandler: decides about redirections.
  ///   - cachedResponseHandler: decides whether responses are kept.
  ///   - eventMonitors: are told of everything.
  public init(
    configuration: SessionConfiguration = .default, delegate: SessionDelegate = SessionDelegate(),
    rootQueue: DispatchQueue? = nil, startRequestsImmediately: Bool = true, requestSetup: RequestSetup = .lazy,
    requestQueue: DispatchQueue? = nil,
    serializationQueue: DispatchQueue? = nil, callbackQueue: DispatchQueue? = nil,
    interceptor: (any RequestInterceptor)? = nil, serverTrustManager: ServerTrustManager? = nil,
    redirectHandler: (any RedirectHandler)? = nil, cachedResponseHandler: (any CachedResponseHandler)? = nil,
    eventMonitors: [any EventMonitor] = []
  ) {
    self.configuration = configuration
    self.delegate = delegate
    self.startRequestsImmediately = startRequestsImmediately
    self.requestSetup = requestSetup
    self.interceptor = interceptor
    self.serverTrustManager = serverTrustManager
    self.redirectHandler = redirectHandler
    self.cachedResponseHandler = cachedResponseHandler
    self.eventMonitors = eventMonitors
    contexts = SessionContexts(
      rootQueue: rootQueue, requestQueue: requestQueue, serializationQueue: serializationQueue, callbackQueue: callbackQueue)
    delegate.belong(to: self)
  }

  /// A session on an existing loop, with everything on that loop, as the proxy needs it. On the loop.
  package init(loop: EventLoop, transport: any Transport) {
    configuration = .default
    delegate = SessionDelegate()
    startRequestsImmediately = true
    requestSetup = .lazy
    interceptor = nil
    serverTrustManager = nil
    redirectHandler = nil
    cachedResponseHandler = nil
    eventMonitors = []
    contexts = .loopOnly
    delegate.belong(to: self)
    adopt(loop, transport)
  }

  /// A session of the library on an existing loop and transport. On the loop.
  package convenience init(
    loop: EventLoop, transport: any Transport, configuration: SessionConfiguration, delegate: SessionDelegate = SessionDelegate(),
    startRequestsImmediately: Bool = true, requestSetup: RequestSetup = .lazy, requestQueue: DispatchQueue? = nil,
    serializationQueue: DispatchQueue? = nil, callbackQueue: DispatchQueue? = nil,
    interceptor: (any RequestInterceptor)? = nil, redirectHandler: (any RedirectHandler)? = nil,
    eventMonitors: [any EventMonitor] = []
  ) {
    self.init(
      configuration: configuration, delegate: delegate, startRequestsImmediately: startRequestsImmediately,
      requestSetup: requestSetup, requestQueue: requestQueue, serializationQueue: serializationQueue,
      callbackQueue: callbackQueue, interceptor: interceptor, redirectHandler: redirectHandler, eventMonitors: eventMonitors)
    adopt(loop, transport)
  }

  deinit {
    let engines = engines.withLock { $0.all }
    for engine in engines { engine.sessionDidEnd(isTold: engine === engines.first) }
  }

  /// The target of the session's own queues, if it was given one; otherwise the request queue.
  public var rootQueue: DispatchQueue { contexts.rootQueue ?? requestQueue }

  /// Where requests are made: convertibles, adapters, retriers, upload bodies.
  public var requestQueue: DispatchQueue { contexts.request?.queue ?? callbackQueue }

  /// Where serializers run.
  public var serializationQueue: DispatchQueue { contexts.serialization?.queue ?? callbackQueue }

  /// Where handlers that name no queue are called.
  public var callbackQueue: DispatchQueue { contexts.callbackQueue }

  /// Requests that have been started and have not ended.
  public var activeRequestCount: Int { engines.withLock { $0.all }.reduce(0) { $0 + $1.activeRequestCount } }

  /// Cancels every active request, then calls `completion` on `queue` or the callback queue.
  @preconcurrency
  public func cancelAllRequests(
    completingOnQueue queue: DispatchQueue? = nil, completion: (@Sendable () -> Void)? = nil
  ) {
    let engine = engine
    engine.root.async {
      engine.cancelAll()
      engine.root.async {
        if let completion { (queue ?? engine.callbackQueue).async(execute: completion) }
      }
    }
  }

  /// Calls `action` with every request that has been started and has not ended: in the session's own context. All events of
  /// these requests wait until `action` returns, so it must not wait itself; it may give commands.
  @preconcurrency
  public func withAllRequests(perform action: @escaping @Sendable (Set<Request>) -> Void) {
    let engine = engine
    engine.root.async { action(engine.activeRequests) }
  }

  // MARK: The engine

  /// Started on first use; again on each use until the process has a thread and descriptors for it.
  package var engine: SessionEngine {
    engines.withLock { engines in
      if let running = engines.running { return running }
      do throws(LoopError) {
        let new = try start()
        engines.running = new
        return new
      } catch {
        let error = TransportError(error, origin: .local, phase: .setUp)
        let failed = engines.failed ?? makeEngine(.none(error), thread: nil)
        engines.failed = failed
        return failed
      }
    }
  }

  private func start() throws(LoopError) -> SessionEngine {
    var network = configuration.network
    configuration.tls.apply(
      serverTrustManager: serverTrustManager, override: delegate.trustOverride, to: &network)
    let thread = try NetworkThread(configuration: network)
    let made = thread.loop.executeAndWait { [self, bound = thread.transport] in carrier(bound.loop, bound.value) }
    return makeEngine(made, thread: thread)
  }

  private func adopt(_ loop: EventLoop, _ transport: any Transport) {
    engines.withLock { $0.running = makeEngine(carrier(loop, transport), thread: nil) }
  }

  /// On the loop.
  private func carrier(_ loop: EventLoop, _ transport: any Transport) -> SessionEngine.Carrier {
    let transport = LoopBound(transport, on: loop)
    guard let recorder = configuration.recorder else { return .loop(loop, transport) }
    return .recorded(loop, transport, LoopBound(SessionLog(recorder), on: loop))
  }

  private func makeEngine(_ carrier: SessionEngine.Carrier, thread: NetworkThread?) -> SessionEngine {
    SessionEngine(
      carrier: carrier, thread: thread, contexts: contexts, configuration: configuration, delegate: delegate,
      eventMonitors: eventMonitors)
  }
}
