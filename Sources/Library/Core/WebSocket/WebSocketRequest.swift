public import Dispatch
public import FoundationEssentials
internal import TapelineLoop
package import TapelineTransport

/// A WebSocket connection (RFC 6455), compressed by permessage-deflate where the server agrees (RFC 7692). Over HTTP/2 where a
/// connection to the server stands on which it offers that (RFC 8441), else over a connection of its own.
///
/// ```swift
/// let socket = session.webSocketRequest("wss://example.com/chat")
/// for await message in socket.streamingMessages() { print(message) }
/// ```
///
/// The handlers set the pace: while more than 256 KiB wait for one, the connection is not read. Messages may be sent at any
/// time: those of before the connection is open wait for it. When the request is retried, messages that were not sent are lost.
///
/// Safety: `@unchecked Sendable` is inherited; it stores constants, and the connection, which is touched on the loop.
public final class WebSocketRequest: Request, @unchecked Sendable {
  /// Makes the request.
  public let convertible: any URLRequestConvertible
  /// How the connection is opened and kept.
  public let configuration: Configuration
  private let socket: WebSocketConnection

  init(convertible: any URLRequestConvertible, configuration: Configuration, scope: RequestScope) {
    self.convertible = convertible
    self.configuration = configuration
    socket = WebSocketConnection(configuration: configuration)
    super.init(convertible: convertible, delegate: socket.delegate, scope: scope)
  }

  // MARK: For the base class

  /// `ws` and `wss` stand for `http` and `https` (RFC 6455 3).
  override func urlRequest() throws -> URLRequest {
    var request = try super.urlRequest()
    if let url = request.url, let scheme = url.scheme?.lowercased(), scheme == "ws" || scheme == "wss" {
      let rest = url.absoluteString.dropFirst(scheme.count)
      request.url = URL(string: (scheme == "ws" ? "http" : "https") + rest)
    }
    return request
  }

  package override func outgoing(for request: URLRequest) throws -> OutgoingRequest {
    var request = request
    request.method = .get
    request.httpBody = nil
    for (name, value) in socket.handshakeFields() { request.headers.update(name: name, value: value) }
    let outgoing = try super.outgoing(for: request)
    return try outgoing.openingWebSocket(overHTTP2: engine.offersExtendedConnect(on: outgoing.route))
  }

  override func didResume() {
    super.didResume()
    socket.pump()
  }

  override func taskDidComplete(_ task: SessionTask, with error: TransportError?) {
    super.taskDidComplete(task, with: socket.isClosed && !isCancelled ? nil : error)
  }

  override func cleanup() {
    super.cleanup()
    socket.dismissSubscribers()
  }

  // MARK: Sending

  /// Sends a message.
  ///
  /// - Parameters:
  ///   - message: the message.
  ///   - queue: where `completionHandler` is called; by default the session's callback queue.
  ///   - completionHandler: called once: when the message is on its way, which is later the less the server reads, or when it
  ///     cannot be sent any more.
  @preconcurrency
  public func send(
    _ message: Message, queue: DispatchQueue? = nil,
    completionHandler: @escaping @Sendable (_ result: Result<Void, SendError>) -> Void
  ) {
    let queue = queue ?? engine.callbackQueue
    send(message) { result in queue.async { completionHandler(result) } }
  }

  /// Sends a text.
  ///
  /// - Parameters:
  ///   - string: the text.
  ///   - queue: where `completionHandler` is called; by default the session's callback queue.
  ///   - completionHandler: as above.
  @preconcurrency
  public func send(
    _ string: String, queue: DispatchQueue? = nil,
    completionHandler: @escaping @Sendable (_ result: Result<Void, SendError>) -> Void
  ) {
    send(.string(string), queue: queue, completionHandler: completionHandler)
  }

  /// Sends bytes.
  ///
  /// - Parameters:
  ///   - data: the bytes.
  ///   - queue: where `completionHandler` is called; by default the session's callback queue.
  ///   - completionHandler: as above.
  @preconcurrency
  public func send(
    _ data: Data, queue: DispatchQueue? = nil,
    completionHandler: @escaping @Sendable (_ result: Result<Void, SendError>) -> Void
  ) {
    send(.data(data), queue: queue, completionHandler: completionHandler)
  }

  /// Sends a message, and returns when it is on its way: a loop of these calls sends no faster than the server reads.
  ///
  /// - Throws: `SendError.closed` when it cannot be sent any more.
  public func send(_ message: Message) async throws(SendError) {
    let result = await withCheckedContinuation { sent in send(message) { sent.resume(returning: $0) } }
    try result.get()
  }

  /// Sends a text, and returns when it is on its way.
  ///
  /// - Throws: `SendError.closed` when it cannot be sent any more.
  public func send(_ string: String) async throws(SendError) {
    try await send(.string(string))
  }

  /// Sends bytes, and returns when they are on their way.
  ///
  /// - Throws: `SendError.closed` when they cannot be sent any more.
  public func send(_ data: Data) async throws(SendError) {
    try await send(.data(data))
  }

  /// Sends a value as JSON, in a binary message.
  ///
  /// - Throws: `SendError`.
  public func send<Value: Encodable>(_ value: Value, using encoder: JSONEncoder = JSONEncoder()) async throws(SendError) {
    let data: Data
    do {
      data = try encoder.encode(value)
    } catch {
      throw .encoder(error)
    }
    try await send(.data(data))
  }

  private func send(_ message: Message, _ done: @escaping WebSocketOutbox.Done) {
    onRoot { [self] in
      guard !isCancelled, !isFinished else { return done(.failure(.closed)) }
      socket.send(message, done)
    }
  }

  /// Closes the connection, behind the messages that were sent before. The request ends without an error when the server has
  /// closed it, too; before it is open, the request is cancelled.
  ///
  /// - Parameters:
  ///   - closeCode: why. A code that must not be sent stands for none.
  ///   - reason: text in UTF-8, at most 123 bytes.
  /// - Returns: this request.
  @discardableResult
  public func close(sending closeCode: CloseCode = .normalClosure, reason: Data? = nil) -> Self {
    onRoot { [self] in socket.close(closeCode, reason: reason) }
    return self
  }

  /// Sends a ping.
  ///
  /// - Parameters:
  ///   - queue: where `onResponse` is called; by default the session's callback queue.
  ///   - onResponse: called once.
  @preconcurrency
  public func sendPing(respondingOn queue: DispatchQueue? = nil, onResponse: @escaping @Sendable (PingResult) -> Void) {
    let queue = queue ?? engine.callbackQueue
    onRoot { [self] in socket.sendPing { result in queue.async { onResponse(result) } } }
  }

  /// Sends a ping, and returns when it is answered, or lost.
  public func sendPing() async -> PingResult {
    await withCheckedContinuation { answered in
      onRoot { [self] in socket.sendPing { answered.resume(returning: $0) } }
    }
  }

  /// This request: in Alamofire 5.10 the functions below belong to a value of their own.
  public func webSocketTask() -> WebSocketRequest { self }

  // MARK: Receiving

  /// Calls `handler` with every event, on `queue` or the session's callback queue, one at a time and in order.
  @discardableResult
  @preconcurrency
  public func streamMessageEvents(
    on queue: DispatchQueue? = nil, handler: @escaping @Sendable (_ event: Event<Message, Never>) -> Void
  ) -> Self {
    stream(on: queue, handler: handler) { .receivedMessage($0) }
  }

  /// Calls `handler` with every message, on `queue` or the session's callback queue, one at a time and in order.
  @discardableResult
  @preconcurrency
  public func streamMessages(
    on queue: DispatchQueue? = nil, handler: @escaping @Sendable (_ message: Message) -> Void
  ) -> Self {
    streamMessageEvents(on: queue) { event in event.message.map(handler) }
  }

  /// Calls `handler` with every event; messages are the values that their JSON decodes to.
  ///
  /// - Parameters:
  ///   - type: the values' type.
  ///   - queue: where the handler is called; by default the session's callback queue.
  ///   - decoder: makes the values.
  ///   - handler: called with each event, one at a time and in order.
  /// - Returns: this request.
  @discardableResult
  @preconcurrency
  public func streamDecodableEvents<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self, on queue: DispatchQueue? = nil, using decoder: any DataDecoder = JSONDecoder(),
    handler: @escaping @Sendable (_ event: Event<Value, any Error>) -> Void
  ) -> Self {
    stream(on: queue, handler: handler) { Self.decode($0, by: decoder) }
  }

  /// Calls `handler` with the value that the JSON of each message decodes to; other messages are left out.
  ///
  /// - Parameters:
  ///   - type: the values' type.
  ///   - queue: where the handler is called; by default the session's callback queue.
  ///   - decoder: makes the values.
  ///   - handler: called with each value, one at a time and in order.
  /// - Returns: this request.
  @discardableResult
  @preconcurrency
  public func streamDecodable<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self, on queue: DispatchQueue? = nil, using decoder: any DataDecoder = JSONDecoder(),
    handler: @escaping @Sendable (_ value: Value) -> Void
  ) -> Self {
    streamDecodableEvents(type, on: queue, using: decoder) { event in event.message.map(handler) }
  }

  /// Every event, to be taken one by one. Starts the request unless the session or the request says otherwise.
  ///
  /// - Parameter automaticallyCancelling: whether the request ends with the consumer of the sequence.
  public func streamingMessageEvents(automaticallyCancelling: Bool = true) -> WebSocketEvents<Event<Message, Never>> {
    events(cancelling: automaticallyCancelling, message: { .receivedMessage($0) }) { $0 }
  }

  /// Every message, to be taken one by one. Starts the request unless the session or the request says otherwise.
  ///
  /// - Parameter automaticallyCancelling: whether the request ends with the consumer of the sequence.
  public func streamingMessages(automaticallyCancelling: Bool = true) -> WebSocketEvents<Message> {
    events(cancelling: automaticallyCancelling, message: { Event<Message, Never>.Kind.receivedMessage($0) }) { $0.message }
  }

  /// Every event, to be taken one by one; messages are the values that their JSON decodes to.
  ///
  /// - Parameters:
  ///   - type: the values' type.
  ///   - automaticallyCancelling: whether the request ends with the consumer of the sequence.
  ///   - decoder: makes the values.
  public func streamingDecodableEvents<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self, automaticallyCancelling: Bool = true, using decoder: any DataDecoder = JSONDecoder()
  ) -> WebSocketEvents<Event<Value, any Error>> {
    events(cancelling: automaticallyCancelling, message: { Self.decode($0, by: decoder) }) { $0 }
  }

  /// The value that the JSON of each message decodes to, to be taken one by one; other messages are left out.
  ///
  /// - Parameters:
  ///   - type: the values' type.
  ///   - automaticallyCancelling: whether the request ends with the consumer of the sequence.
  ///   - decoder: makes the values.
  public func streamingDecodable<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self, automaticallyCancelling: Bool = true, using decoder: any DataDecoder = JSONDecoder()
  ) -> WebSocketEvents<Value> {
    events(
      cancelling: automaticallyCancelling,
      message: { message -> Event<Value, any Error>.Kind in Self.decode(message, by: decoder) }
    ) { $0.message }
  }
}

extension WebSocketRequest {
  private static func decode<Value: Decodable>(
    _ message: Message, by decoder: any DataDecoder
  ) -> Event<Value, any Error>.Kind {
    let data =
      switch message {
      case .data(let data): data
      case .string(let text): Data(text.utf8)
      }
    do {
      return .receivedMessage(try decoder.decode(Value.self, from: data))
    } catch {
      return .decoderFailed(error)
    }
  }

  private func event<Success, Failure>(
    _ incoming: WebSocketConnection.Incoming, _ message: (Message) -> Event<Success, Failure>.Kind
  ) -> Event<Success, Failure> {
    let kind: Event<Success, Failure>.Kind =
      switch incoming {
      case .connected(let name): .connected(protocol: name)
      case .message(let received): message(received)
      case .disconnected(let code, let reason): .disconnected(closeCode: code, reason: reason)
      }
    return Event(socket: self, kind: kind)
  }

  private var completion: Completion {
    Completion(request: request, response: response, metrics: metrics, error: error)
  }

  private func stream<Success, Failure>(
    on queue: DispatchQueue?, handler: @escaping @Sendable (Event<Success, Failure>) -> Void,
    message: @escaping @Sendable (Message) -> Event<Success, Failure>.Kind
  ) -> Self {
    let context = DispatchContext(queue ?? engine.callbackQueue)
    socket.subscribe { [weak self] incoming, done in
      guard let self else { return done() }
      context.async { [self] in
        handler(event(incoming, message))
        done()
      }
    }
    return onCompletion { [unowned self] in
      let completion = completion
      context.async { [self] in handler(Event(socket: self, kind: .completed(completion))) }
    }
  }

  /// - Parameters:
  ///   - message: what becomes of a message.
  ///   - element: what the consumer gets of an event, if anything.
  private func events<Success, Failure, Element: Sendable>(
    cancelling: Bool, message: @escaping @Sendable (Message) -> Event<Success, Failure>.Kind,
    element: @escaping @Sendable (Event<Success, Failure>) -> Element?
  ) -> WebSocketEvents<Element> {
    let queue = ChunkQueue<Element>()
    socket.subscribe { [weak self] incoming, done in
      guard let self, let element = element(self.event(incoming, message)) else { return done() }
      queue.put(element, done)
    }
    onCompletion { [unowned self] in
      if let element = element(Event(socket: self, kind: .completed(completion))) { queue.put(element) {} }
      queue.finish(nil)
    }
    return WebSocketEvents(StreamLease(self, queue, cancels: cancelling))
  }
}

extension Session {
  /// A WebSocket connection to `convertible`, whose scheme is `ws`, `wss`, `http` or `https`. Its first handler opens it.
  ///
  /// - Parameters:
  ///   - convertible: makes the URL.
  ///   - configuration: how the connection is opened and kept.
  ///   - headers: the fields of the request that opens it.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  ///   - requestModifier: changes the `URLRequest`; called again for every attempt.
  /// - Returns: the request.
  @preconcurrency
  public func webSocketRequest(
    _ convertible: any URLConvertible, configuration: WebSocketRequest.Configuration = .default, headers: HTTPHeaders? = nil,
    interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil,
    requestModifier: RequestModifier? = nil
  ) -> WebSocketRequest {
    webSocketRequest(
      performing: RequestConvertible(
        url: convertible, method: .get, parameters: nil, encoding: URLEncoding.default, headers: headers,
        requestModifier: requestModifier),
      configuration: configuration, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)
  }

  /// The WebSocket connection that `convertible` asks for.
  ///
  /// - Parameters:
  ///   - convertible: makes the `URLRequest`.
  ///   - configuration: how the connection is opened and kept.
  ///   - interceptor: adapts and retries this request, before the session's.
  ///   - shouldAutomaticallyResume: in place of `startRequestsImmediately`.
  /// - Returns: the request.
  public func webSocketRequest(
    performing convertible: any URLRequestConvertible, configuration: WebSocketRequest.Configuration = .default,
    interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil
  ) -> WebSocketRequest {
    enroll(
      WebSocketRequest(
        convertible: convertible, configuration: configuration,
        scope: scope(interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)))
  }
}
