public import Dispatch
internal import Synchronization
package import TapelineLoop
package import TapelineTransport

/// Makes requests and owns what they share: a loop, a transport, and the delegate that hears of every task.
///
/// Requests may be made, and commanded, from any thread; handlers are called on `callbackQueue` or on a queue of their own, never
/// on the main queue unless you name it. When a session is released, its unfinished requests end with
/// `TapelineError.sessionDeinitialized`.
public final class Session: Sendable {
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
  /// The engine, once there is one.
  private let started = Mutex<SessionEngine?>(nil)

  /// A session with a thread of its own, which starts with the first request.
  ///
  /// - Parameters:
  ///   - requestQueue: where requests are made; serialised if it is concurrent. By default a queue of the session's own.
  ///   - serializationQueue: where serializers run; serialised if it is concurrent. By default a queue of the session's own.
  ///   - callbackQueue: where handlers that name no queue are called. By default a serial queue of the session's own.
  public init(
    configuration: SessionConfiguration = .default, delegate: SessionDelegate = SessionDelegate(),
    startRequestsImmediately: Bool = true, requestSetup: RequestSetup = .lazy, requestQueue: DispatchQueue? = nil,
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
      requestQueue: requestQueue, serializationQueue: serializationQueue, callbackQueue: callbackQueue)
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
    started.withLock { $0 }?.sessionDidEnd()
  }

  /// Where handlers that name no queue are called.
  public var callbackQueue: DispatchQueue { contexts.callbackQueue }

  /// Requests that have been started and have not ended.
  public var activeRequestCount: Int { started.withLock { $0 }?.activeRequestCount ?? 0 }

  /// Cancels every active request, then calls `completion` on `queue` or the callback queue.
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

  /// Calls `action` with every request that has been started and has not ended: in the session's own context. All events of these
  /// requests wait until `action` returns, so it must not wait itself; it may give commands.
  public func withAllRequests(perform action: @escaping @Sendable (Set<Request>) -> Void) {
    let engine = engine
    engine.root.async { action(engine.activeRequests) }
  }

  // MARK: The engine

  /// Made on first use.
  package var engine: SessionEngine {
    started.withLock { engine in
      if let engine { return engine }
      let new = start()
      engine = new
      return new
    }
  }

  private func start() -> SessionEngine {
    var network = configuration.network
    configuration.tls.apply(
      serverTrustManager: serverTrustManager, override: delegate.overrides?.sessionDidReceiveChallenge, to: &network)
    do throws(LoopError) {
      let thread = try NetworkThread(configuration: network)
      let transport = thread.loop.executeAndWait { [bound = thread.transport] in
        LoopBound<any Transport>(bound.value, on: bound.loop)
      }
      return makeEngine(.loop(thread.loop, transport), thread: thread)
    } catch {
      return makeEngine(.none(TransportError(error, origin: .local, phase: .setUp)), thread: nil)
    }
  }

  private func adopt(_ loop: EventLoop, _ transport: any Transport) {
    started.withLock { $0 = makeEngine(.loop(loop, LoopBound(transport, on: loop)), thread: nil) }
  }

  private func makeEngine(_ carrier: SessionEngine.Carrier, thread: NetworkThread?) -> SessionEngine {
    SessionEngine(
      carrier: carrier, thread: thread, contexts: contexts, configuration: configuration, delegate: delegate,
      eventMonitors: eventMonitors)
  }
}
