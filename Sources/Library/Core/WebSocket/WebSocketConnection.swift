internal import FoundationEssentials
internal import Synchronization
internal import TapelineBase
internal import TapelineCoding
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// Speaks WebSocket on the connection of a request's task: opens and closes it, and hands messages on, no faster than the
/// slowest subscriber takes them. Loop-bound, but for its subscribers.
final class WebSocketConnection {
  /// An event, whatever is made of it.
  enum Incoming: Sendable {
    case connected(protocol: String?)
    case message(WebSocketRequest.Message)
    case disconnected(code: WebSocketRequest.CloseCode, reason: Data?)

    /// Bytes that wait with it.
    fileprivate var size: Int {
      switch self {
      case .message(.data(let data)): data.count
      case .message(.string(let text)): text.utf8.count
      case .connected, .disconnected: 0
      }
    }
  }

  private enum Stage {
    case opening
    case open
    /// Our close has gone out, or the connection is to end because of an error: nothing more is handed on.
    case closing
    /// Both closes have passed, or the connection is over.
    case closed
  }

  private struct Subscriber: Sendable {
    let backlog: Backlog
    /// Takes an event, on the loop; the second argument is called when it has been dealt with.
    let take: @Sendable (Incoming, @escaping @Sendable () -> Void) -> Void
  }

  /// How long the server may take to end a connection that is closed (RFC 6455 7.1.1).
  static let closingTime = Duration.seconds(5)

  /// Gets the events of the task.
  let delegate = StreamTaskDelegate()
  private let configuration: WebSocketRequest.Configuration
  private let subscribers = Mutex<[Subscriber]>([])

  // Loop-bound.
  private var stage = Stage.opening
  private var key = WebSocketHandshake.key()
  private var reader: WebSocketReader
  private var inflater: Inflater?
  private var serverForgets = false
  private var outbox = WebSocketOutbox()
  /// The connection takes no more for now; those who wait for their message's way.
  private var isBlocked = false
  private var blocked: [WebSocketOutbox.Done] = []
  /// Bytes that came and are not read, because a subscriber is behind.
  private var held: [UInt8] = []
  private var isHolding = false
  private var inputEnded = false
  private var pings: [UInt64: (sent: MonotonicInstant, done: @Sendable (WebSocketRequest.PingResult) -> Void)] = [:]
  private var lastPing: UInt64 = 0
  private var agreed: WebSocketHandshake.Agreement?
  private var receivedBytes: Int64 = 0
  private var pingTimer: Timer?
  private var closingTimer: Timer?

  init(configuration: WebSocketRequest.Configuration) {
    self.configuration = configuration
    reader = WebSocketReader(limit: configuration.maximumMessageSize, allowsCompression: false)
    delegate.handler = self
  }

  private var task: SessionTask? { delegate.task }

  /// Keeps the first error of the attempt.
  private func keep(_ error: WebSocketFailure) {
    if delegate.error == nil { delegate.error = error }
  }

  // MARK: From any thread

  func subscribe(_ take: @escaping @Sendable (Incoming, @escaping @Sendable () -> Void) -> Void) {
    subscribers.withLock { $0.append(Subscriber(backlog: Backlog(), take: take)) }
  }

  func dismissSubscribers() {
    subscribers.withLock { $0 = [] }
  }

  // MARK: Commands, on the loop

  /// The fields that open a connection: the key is another one for each attempt.
  func handshakeFields() -> [(name: String, value: String)] {
    key = WebSocketHandshake.key()
    return WebSocketHandshake.fields(key: key, configuration)
  }

  func send(_ message: WebSocketRequest.Message, _ done: @escaping WebSocketOutbox.Done) {
    switch stage {
    case .opening, .open:
      outbox.put(message, done)
      pump()
    case .closing, .closed:
      done(.failure(.closed))
    }
  }

  func sendPing(_ done: @escaping @Sendable (WebSocketRequest.PingResult) -> Void) {
    guard stage == .open else { return done(.unsent) }
    lastPing += 1
    pings[lastPing] = (.now, done)
    outbox.putPing(bytes(of: lastPing))
    pump()
  }

  /// Closes the connection when all messages before this are on their way. Before it is open, ends the request.
  func close(_ code: WebSocketRequest.CloseCode, reason: Data?) {
    switch stage {
    case .opening: delegate.request?.cancel()
    case .open:
      outbox.putClose(Self.payload(code, reason))
      pump()
    case .closing, .closed: break
    }
  }

  /// Sends what waits, as much as the connection takes.
  func pump() {
    guard stage == .open, let task, task.state == .running else { return }
    while !isBlocked, let frame = outbox.next() {
      isBlocked = task.send(frame.bytes.span) == .pause
      if frame.isClose { beginClosing() }
      guard let done = frame.done else { continue }
      if isBlocked { blocked.append(done) } else { done(.success(())) }
    }
  }

  private func beginClosing() {
    stage = .closing
    stopPings()
    startClosingTimer()
  }

  /// Ends the connection because of what the server did.
  private func end(with failure: WebSocketFailure, code: UInt16) {
    guard stage != .closed else { return }
    keep(failure)
    finish(answering: [UInt8(code >> 8), UInt8(code & 0xFF)])
  }

  /// Our last frame, and the end of our direction. The server is to end the other one.
  private func finish(answering payload: [UInt8]) {
    let (frame, unsent) = outbox.close(payload)
    if let frame { _ = task?.send(frame.span) }
    fail(unsent)
    stage = .closed
    stopPings()
    startClosingTimer()
    task?.finishSending()
  }

  private func fail(_ unsent: [WebSocketOutbox.Done]) {
    for done in blocked + unsent { done(.failure(.closed)) }
    blocked = []
  }

  private func startClosingTimer() {
    guard closingTimer == nil, let loop = task?.loop else { return }
    let timer = Timer(loop: loop) { [weak self] in self?.task?.cancel() }
    timer.start(after: Self.closingTime)
    closingTimer = timer
  }

  // MARK: Pings

  private func startPings() {
    guard let interval = configuration.pingInterval?.duration, interval > .zero, let loop = task?.loop else { return }
    let timer = Timer(loop: loop) { [weak self] in self?.pingIsDue(every: interval) }
    timer.start(after: interval)
    pingTimer = timer
  }

  private func pingIsDue(every interval: Duration) {
    guard stage == .open else { return }
    guard pings[lastPing] == nil else { return end(with: .pingTimedOut, code: 1_001) }
    sendPing { _ in }
    pingTimer?.start(after: interval)
  }

  private func stopPings() {
    pingTimer = nil
    let lost = pings.values
    pings = [:]
    for ping in lost { ping.done(.lost) }
  }

  private func receivePong(_ payload: [UInt8]) {
    let now = MonotonicInstant.now
    guard payload.count == 8 else { return }
    let number = payload.reduce(0) { $0 << 8 | UInt64($1) }
    guard let ping = pings.removeValue(forKey: number) else { return }
    ping.done(.pong(.init(latency: Double(now.nanoseconds(since: ping.sent)) / 1e9)))
  }

  private func bytes(of number: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}

extension WebSocketConnection: StreamHandler {
  func streamDidReceive(_ response: HTTPURLResponse) -> ResponseDisposition {
    do throws(WebSocketFailure) {
      let agreement = try WebSocketHandshake.agreement(
        in: response.head, isHTTP2: task?.http2Response != nil, key: key, configuration)
      agreed = agreement
      reader = WebSocketReader(limit: configuration.maximumMessageSize, allowsCompression: agreement.compression != nil)
      inflater = agreement.compression.map { _ in Inflater() }
      serverForgets = agreement.compression?.serverForgets ?? false
      outbox.agree(to: agreement.compression)
      return .proceed
    } catch {
      keep(error)
      return .cancel
    }
  }

  func streamDidUpgrade() {
    stage = .open
    _ = deliver(.connected(protocol: agreed?.protocol))
    startPings()
    pump()
  }

  func streamDidReceive(_ bytes: Span<UInt8>) -> Demand {
    guard stage != .opening else { return .more }
    guard !isHolding else {
      held.append(bytes: bytes)
      return .pause
    }
    return read(bytes)
  }

  private func read(_ bytes: Span<UInt8>) -> Demand {
    var offset = 0
    do throws(WebSocketError) {
      while stage != .closed, let event = try reader.next(bytes, from: &offset) {
        guard try receive(event) == .pause else { continue }
        isHolding = true
        held.append(bytes: bytes.extracting(droppingFirst: offset))
        return .pause
      }
    } catch {
      end(with: WebSocketFailure(error), code: error.closeCode)
    }
    return .more
  }

  private func receive(_ event: WebSocketReader.Event) throws(WebSocketError) -> Demand {
    switch event {
    case .message(let isText, let isCompressed, let payload):
      let bytes = isCompressed ? try inflate(payload, isText: isText) : payload
      let message: WebSocketRequest.Message = isText ? .string(String(decoding: bytes, as: UTF8.self)) : .data(Data(bytes))
      delegate.request?.updateDownloadProgress(completed: received(bytes.count), total: -1)
      return deliver(.message(message))
    case .ping(let payload):
      outbox.putPong(payload)
      pump()
    case .pong(let payload): receivePong(payload)
    case .close(let code, let reason): receiveClose(code, reason)
    }
    return .more
  }

  private func received(_ count: Int) -> Int64 {
    receivedBytes += Int64(count)
    return receivedBytes
  }

  private func inflate(_ payload: [UInt8], isText: Bool) throws(WebSocketError) -> [UInt8] {
    guard let inflater else { throw .unknownExtension }
    if serverForgets { inflater.resetWindow() }
    let step = inflater.inflateMessage(payload.span, limit: configuration.maximumMessageSize)
    switch step.end {
    case .complete: break
    case .limitReached: throw .tooLong
    case .inputEnded, .wrong: throw .invalidCompression
    }
    guard !isText || step.bytes.span.isUTF8 else { throw .invalidText }
    return step.bytes
  }

  private func receiveClose(_ code: UInt16?, _ reason: String) {
    let shown = code.map { WebSocketRequest.CloseCode(rawValue: Int($0)) } ?? .noStatusReceived
    _ = deliver(.disconnected(code: shown, reason: reason.isEmpty ? nil : Data(reason.utf8)))
    finish(answering: code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? [])
  }

  private func deliver(_ event: Incoming) -> Demand {
    guard let task else { return .more }
    var demand = Demand.more
    for subscriber in subscribers.withLock({ $0 }) {
      let size = event.size
      if subscriber.backlog.add(size) == .pause { demand = .pause }
      subscriber.take(event) { [delegate] in
        guard subscriber.backlog.remove(size) else { return }
        task.loop.execute { delegate.handler?.receiverDidCatchUp(on: task) }
      }
    }
    return demand
  }

  /// Reads on unless another subscriber still has too much: first what is held, then the connection.
  func receiverDidCatchUp(on task: SessionTask) {
    guard task === self.task, subscribers.withLock({ $0.allSatisfy { !$0.backlog.isPaused } }) else { return }
    guard isHolding else { return }
    isHolding = false
    let bytes = held
    held = []
    guard read(bytes.span) == .more else { return }
    if inputEnded { endOfInput() } else { task.resumeReceiving() }
  }

  func streamCanSendMore() {
    isBlocked = false
    let done = blocked
    blocked = []
    for done in done { done(.success(())) }
    pump()
  }

  func streamDidReceiveEnd() {
    inputEnded = true
    if !isHolding { endOfInput() }
  }

  private func endOfInput() {
    switch stage {
    case .opening, .closed: break
    case .open, .closing:
      keep(.closedWithoutNotice)
      fail(outbox.drop())
      stage = .closed
    }
    task?.finishSending()
  }

  func streamDidComplete() {
    stage = .closed
    closingTimer = nil
    stopPings()
    fail(outbox.drop())
  }

  /// Whether the server has closed, so that the end of the connection is no failure, however it came.
  var isClosed: Bool { stage == .closed && delegate.error == nil }

  func streamWillRestart() {
    stage = .opening
    outbox = WebSocketOutbox()
    agreed = nil
    isBlocked = false
    held = []
    isHolding = false
    inputEnded = false
    receivedBytes = 0
  }

  /// RFC 6455 5.5.1: a control frame has 125 bytes at most.
  private static func payload(_ code: WebSocketRequest.CloseCode, _ reason: Data?) -> [UInt8] {
    guard let code = UInt16(exactly: code.rawValue), WebSocketReader.mayBeSent(code) else { return [] }
    let text = Array(String(decoding: reason ?? Data(), as: UTF8.self).utf8.prefix(123))
    return [UInt8(code >> 8), UInt8(code & 0xFF)] + text.prefix(text.span.endOfWholeCharacters)
  }
}
