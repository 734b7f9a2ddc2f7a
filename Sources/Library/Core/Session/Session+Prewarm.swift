internal import Dispatch
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime
internal import TapelineTransport

extension Session {
  /// Opens a connection to the URL's host, with TLS for `https`, so that the next request to it need not wait for that. No byte
  /// of a request is sent. The request's measurements say when the connection was opened: before the request.
  ///
  /// The connection waits as long as an idle one may. Nothing is opened where a prewarmed connection waits already.
  ///
  /// - Parameters:
  ///   - convertible: makes the URL; its path has no meaning.
  ///   - completionHandler: called once, on the session's callback queue, when the connection is open, or why it is not.
  @preconcurrency
  public func prewarm(
    _ convertible: any URLConvertible, completionHandler: @escaping @Sendable (Result<Void, TapelineError>) -> Void = { _ in }
  ) {
    let engine = engine
    engine.requestContext.async {
      let done: @Sendable (Result<Void, TapelineError>) -> Void = { result in
        engine.callbackQueue.async { completionHandler(result) }
      }
      do {
        let route = try URLRequest(url: try convertible.asURL()).route()
        engine.root.async { engine.prewarm(route, done) }
      } catch {
        done(.failure(error.asTapelineError(or: .createURLRequestFailed(error: error))))
      }
    }
  }

  /// Opens a connection to the URL's host, and returns when it is open.
  ///
  /// - Parameter convertible: makes the URL; its path has no meaning.
  /// - Throws: why the connection could not be opened.
  public func prewarm(_ convertible: any URLConvertible) async throws(TapelineError) {
    let result = await withCheckedContinuation { opened in prewarm(convertible) { opened.resume(returning: $0) } }
    try result.get()
  }
}

extension SessionEngine {
  /// Opens a connection for the next request to the route. In the root context.
  fileprivate func prewarm(_ route: Route, _ done: @escaping @Sendable (Result<Void, TapelineError>) -> Void) {
    guard prewarmed[route]?.isUsable != true else { return done(.success(())) }
    do throws(TransportError) {
      // TLS is begun when the connection stands, so that no task is needed for it.
      let task = try makeStream(to: Route(host: route.host, port: route.port))
      let opening = Prewarming(to: route, offersHTTP2: configuration.allowsHTTP2) { [weak self] result in
        switch result {
        case .success(let connection):
          self?.prewarmed[route] = connection
          done(.success(()))
        case .failure(let error):
          done(.failure(.sessionTaskFailed(error: SessionTaskError(error))))
        }
      }
      associate(opening, with: task)
      task.resume()
    } catch {
      done(.failure(.sessionTaskFailed(error: SessionTaskError(error))))
    }
  }

  /// The request on the connection that waits for it, if there is one. In the root context.
  func usingPrewarmed(_ request: OutgoingRequest) -> OutgoingRequest {
    guard !prewarmed.isEmpty, !request.allowsUpgrade, let connection = prewarmed.removeValue(forKey: request.route) else {
      return request
    }
    return request.carried(by: connection)
  }
}

/// Opens a connection ahead of any request. Loop-bound; its task holds it.
private final class Prewarming: TaskOwner {
  private let route: Route
  private let offersHTTP2: Bool
  private let finish: (Result<PreparedConnection, TransportError>) -> Void
  private var hasFinished = false

  init(to route: Route, offersHTTP2: Bool, _ finish: @escaping (Result<PreparedConnection, TransportError>) -> Void) {
    self.route = route
    self.offersHTTP2 = offersHTTP2
    self.finish = finish
  }

  func taskDidOpenStream(_ task: SessionTask) {
    guard let connection = task.detach()?.connection else { return task.cancel() }
    guard case .tls(let serverName) = route.security else { return end(.success(connection)) }
    // Until then, only this closure holds the connection.
    connection.onEvent = { [self] event in
      guard case .handshakeDidEnd(let result) = event else { return }
      connection.onEvent = nil
      end(result.map { _ in connection })
    }
    connection.startTLS(serverName: serverName, offering: offersHTTP2 ? [.http2, .http11] : nil)
  }

  private func end(_ result: Result<PreparedConnection, TransportError>) {
    guard !hasFinished else { return }
    hasFinished = true
    finish(result)
  }

  func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition { .cancel }

  func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand { .more }

  func task(_ task: SessionTask, didCompleteWith error: TransportError?) {
    if let error { end(.failure(error)) }
  }
}
