internal import Synchronization

/// One request's own interceptors and monitors, besides its session's. Call these before the request is started.
extension Request {
  /// Adds an interceptor, asked after the session's.
  @discardableResult
  public func interceptor(_ interceptor: any RequestInterceptor) -> Self {
    mutableState.write { state in
      state.adapters.append(interceptor)
      state.retriers.append(interceptor)
    }
    return self
  }

  /// Adds an adapter: it gets the request that the session's adapters have made.
  @discardableResult
  public func adapt(using adapter: any RequestAdapter) -> Self {
    mutableState.write { $0.adapters.append(adapter) }
    return self
  }

  /// Adds a retrier, asked after the session's.
  @discardableResult
  public func retry(using retrier: any RequestRetrier) -> Self {
    mutableState.write { $0.retriers.append(retrier) }
    return self
  }

  /// Adds a monitor of this request, told after the session's. It hears of the request alone, not of its tasks: of the methods
  /// that have a request.
  @discardableResult
  public func eventMonitor(_ eventMonitor: any EventMonitor) -> Self {
    ownMonitor.storeIfNil(OwnMonitors(session: engine.eventMonitor)).add(eventMonitor)
    return self
  }
}

/// The monitors that one request has, with its session's.
final class OwnMonitors: Sendable {
  private let session: CompositeEventMonitor?
  private let content: Mutex<(own: [any EventMonitor], composite: CompositeEventMonitor?)>

  init(session: CompositeEventMonitor?) {
    self.session = session
    content = Mutex(([], session))
  }

  var composite: CompositeEventMonitor? { content.withLock { $0.composite } }

  func add(_ monitor: any EventMonitor) {
    content.withLock { content in
      content.own.append(monitor)
      // Those of the session stay as they are, so that each gets all events in order.
      let own = CompositeEventMonitor(monitors: content.own)
      content.composite = CompositeEventMonitor(monitors: [session, own].compactMap { $0 })
    }
  }
}
