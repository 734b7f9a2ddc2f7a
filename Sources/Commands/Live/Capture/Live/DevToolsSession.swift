internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineInspect

/// A conversation with Chrome's network panel: the DevTools protocol's Network domain over a WebSocket. Used on the
/// live page's thread.
///
/// Like the page, a panel that is slow stays behind in the log: exchanges are told when it has taken those before.
struct DevToolsSession {
  private var observer: WebSocketObserver
  /// Its messages that wait: an answer may be long, so that there is one at a time.
  private var messages: [WebSocketObserver.Message] = []
  /// Whether the panel wants to be told of exchanges.
  private(set) var isEnabled = false
  /// The exchange that comes next, by its number in the log.
  private var next: Int
  private var flightVersion = 0
  /// Exchanges in flight that were told, by their identifiers.
  private var flight: [UInt64: DevToolsExchange] = [:]
  /// Where the log has exchanges that were told in flight, the oldest first. The panel asks for others by their numbers.
  private var ended: [(exchange: UInt64, number: Int)] = []

  /// From this size on a piece of news goes out.
  private static let pieceSize = 48 << 10
  /// Bytes of a body's text that the panel is given at most.
  private static let bodyLimit = 1 << 20
  /// Bytes of a command.
  private static let commandLimit = 64 << 10
  private static let mostEnded = 10_000
  /// Streams in flight whose messages are told as they come; those of others come with their end.
  private static let mostStreams = 16

  /// - Parameter next: the number of the exchange that is told first.
  init(from next: Int) {
    self.next = next
    var limits = WebSocketObserver.Limits()
    limits.messages = .max
    limits.bytes = .max
    limits.bytesPerText = Self.commandLimit
    limits.bytesPerBinary = 0
    observer = WebSocketObserver(limits: limits)
  }

  // MARK: Commands

  /// Takes bytes of the panel. Call it when everything was answered.
  mutating func receive(_ bytes: Span<UInt8>) {
    observer.receive(bytes) { messages.append($0) }
  }

  enum Progress {
    /// There may be an answer, and what has come may not be answered yet.
    case answered
    case waiting
    /// The connection ends after the answer.
    case ended
  }

  /// Answers the next message.
  mutating func answer(_ details: LiveDetails, to output: inout [UInt8]) -> Progress {
    guard !messages.isEmpty else {
      guard observer.failure != nil else { return .waiting }
      Self.appendClose(1_002, to: &output)
      return .ended
    }
    let message = messages.removeFirst()
    switch message.opcode {
    case .text: answer(message.bytes, details, to: &output)
    case .ping: WebSocketFrame.append(.pong, message.bytes.span, to: &output)
    case .close:
      let code = Array(message.bytes.prefix(2))
      WebSocketFrame.append(.close, code.span, to: &output)
      return .ended
    case .binary, .pong, .continuation: break
    }
    return .answered
  }

  private mutating func answer(_ text: [UInt8], _ details: LiveDetails, to output: inout [UInt8]) {
    guard let command = DevToolsCommand(text) else { return Self.append(DevToolsCommand.parseError, to: &output) }
    let answer: HARValue
    switch command.action {
    case .enableNetwork:
      isEnabled = true
      answer = command.answer()
    case .disableNetwork:
      isEnabled = false
      answer = command.answer()
    case .responseBody(let id), .requestBody(let id):
      answer =
        entry(toldAs: id, details).map { command.body(of: $0, limit: Self.bodyLimit) }
        ?? command.refusal("the exchange is not in the log, or no more")
    case .resourceTree: answer = command.resourceTree
    case .acknowledge: answer = command.answer()
    case .unknown: answer = command.unknownMethod
    }
    Self.append(answer, to: &output)
  }

  private func entry(toldAs id: String, _ details: LiveDetails) -> HAREntry? {
    guard id.hasPrefix(Self.flightPrefix) else { return Int(id).flatMap(details.entry).flatMap(Self.entry) }
    guard let exchange = UInt64(id.dropFirst(Self.flightPrefix.count)) else { return nil }
    let number = ended.last { $0.exchange == exchange }?.number
    return (number.map(details.entry) ?? details.inFlight(exchange)).flatMap(Self.entry)
  }

  private static let flightPrefix = "flight-"

  private static func entry(_ json: [UInt8]) -> HAREntry? {
    entry(json.span)
  }

  private static func entry(_ json: Span<UInt8>) -> HAREntry? {
    do throws(HARReadError) {
      return try HAREntry(json: json)
    } catch {
      return nil
    }
  }

  // MARK: News

  /// Appends the next piece that the panel has not been told.
  mutating func addNews(of capture: LiveCapture, _ details: LiveDetails, to output: inout [UInt8]) {
    guard isEnabled else { return }
    while output.count < Self.pieceSize {
      next = capture.firstNumber(from: next)
      guard next < capture.nextNumber else { break }
      if let entry = capture.withEntry(next, Self.entry) ?? nil { tell(entry, number: next, to: &output) }
      next += 1
    }
    guard next >= capture.nextNumber, flightVersion != capture.flightVersion else { return }
    flightVersion = capture.flightVersion
    tellFlight(of: capture, details, to: &output)
  }

  private mutating func tell(_ entry: HAREntry, number: Int, to output: inout [UInt8]) {
    let exchange = entry.custom[.exchangeID]?.integer.flatMap { UInt64(exactly: $0) }
    guard let exchange, var told = flight.removeValue(forKey: exchange) else {
      var told = DevToolsExchange(id: "\(number)")
      return told.tell(entry) { Self.append($0, to: &output) }
    }
    told.tell(entry) { Self.append($0, to: &output) }
    if ended.count >= Self.mostEnded { ended.removeFirst(Self.mostEnded / 2) }
    ended.append((exchange, number))
  }

  /// Tells how far exchanges have come. One that neither is in flight nor in the log is over for the panel, too.
  private mutating func tellFlight(of capture: LiveCapture, _ details: LiveDetails, to output: inout [UInt8]) {
    var gone = Set(flight.keys)
    var streams: [UInt64] = []
    capture.forEachInFlight { exchange, json in
      gone.remove(exchange)
      guard let entry = Self.entry(json) else { return }
      tell(entry, inFlight: exchange, to: &output)
      if DevToolsExchange.hasMessages(entry) { streams.append(exchange) }
    }
    // Messages are part of the body.
    for (exchange, json) in details.inFlight(Set(streams.suffix(Self.mostStreams))) {
      if let entry = Self.entry(json) { tell(entry, inFlight: exchange, to: &output) }
    }
    for exchange in gone {
      flight.removeValue(forKey: exchange)?.vanish { Self.append($0, to: &output) }
    }
  }

  private mutating func tell(_ entry: HAREntry, inFlight exchange: UInt64, to output: inout [UInt8]) {
    flight[exchange, default: DevToolsExchange(id: "\(Self.flightPrefix)\(exchange)")].tell(entry) {
      Self.append($0, to: &output)
    }
  }

  /// Exchanges that the panel has not been told.
  func missing(of capture: LiveCapture) -> Int {
    isEnabled ? capture.nextNumber - next : 0
  }

  /// Whether the panel was told everything that it wants to know.
  func hasAll(of capture: LiveCapture) -> Bool {
    !isEnabled || next >= capture.nextNumber && flightVersion == capture.flightVersion
  }

  // MARK: Frames

  /// The recording ends (RFC 6455 7.4.1: going away).
  static func appendEnd(to output: inout [UInt8]) {
    appendClose(1_001, to: &output)
  }

  private static func appendClose(_ code: UInt16, to output: inout [UInt8]) {
    let code = [UInt8(code >> 8), UInt8(code & 0xFF)]
    WebSocketFrame.append(.close, code.span, to: &output)
  }

  private static func append(_ message: HARValue, to output: inout [UInt8]) {
    let text = message.json
    WebSocketFrame.append(.text, text.span, to: &output)
  }
}
