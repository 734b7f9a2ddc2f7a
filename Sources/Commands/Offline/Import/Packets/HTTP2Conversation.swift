internal import TapelineCore
internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineTime
internal import TapelineTransport

/// Both directions of a connection of HTTP/2 that others have with each other.
final class HTTP2Conversation {
  private let bodyLimit: Int
  private var client = HTTP2Observer(ofClient: true)
  private var server = HTTP2Observer(ofClient: false)
  private var open: [HTTP2StreamID: PacketExchange] = [:]
  private var complete: [PacketExchange] = []
  private(set) var isUnreadable = false
  private var isFirst = true

  init(bodyLimit: Int) {
    self.bodyLimit = bodyLimit
  }

  /// The exchanges that became complete since the last call.
  func takeComplete() -> [PacketExchange] {
    defer { complete = [] }
    return complete
  }

  func receive(_ bytes: [UInt8], fromClient: Bool, at now: MonotonicInstant) {
    let events = fromClient ? client.receive(bytes.span) : server.receive(bytes.span)
    for event in events {
      switch event {
      case .headers(let stream, let list, let wireSize, let endsStream):
        do {
          if fromClient {
            try request(stream, list, wireSize: wireSize, at: now)
          } else {
            try response(stream, list, wireSize: wireSize, at: now)
          }
        } catch {
          change(stream) { $0.fail(.malformed("a head breaks the rules of HTTP/2"), at: now) }
        }
        if endsStream { end(stream, fromClient, at: now) }
      case .data(let stream, let content, let endsStream):
        change(stream) { if fromClient { $0.send(content.span, at: now) } else { $0.receive(content.span, at: now) } }
        if endsStream { end(stream, fromClient, at: now) }
      case .reset(let stream, let code): reset(stream, code, fromClient, at: now)
      case .goAway(let last, let code):
        guard !fromClient else { continue }
        for stream in open.keys where stream <= last { open[stream]?.stream?.goAway = code }
      case .malformed:
        isUnreadable = true
        end(.malformed("the frames cannot be read"), at: now)
      }
    }
  }

  /// No more bytes come. Exchanges that are not complete have failed.
  func end(_ reason: PacketFailure, at now: MonotonicInstant) {
    for stream in open.keys.sorted() { change(stream) { $0.fail(reason, at: now) } }
  }

  private func request(_ stream: HTTP2StreamID, _ list: HTTP2HeaderList, wireSize: Int, at now: MonotonicInstant) throws {
    guard open[stream] == nil else {
      let trailers = try HTTP2Trailers(list, wireSize: wireSize)
      return change(stream) { $0.requestTrailers = trailers.fields }
    }
    let head = try HTTP2RequestHead(list, wireSize: wireSize, offersProtocols: true)
    var exchange = PacketExchange(try head.head(), from: now, headEnd: now, isFirst: isFirst, bodyLimit: bodyLimit)
    isFirst = false
    exchange.stream = StreamMetrics(id: stream)
    exchange.requestList = list
    open[stream] = exchange
  }

  private func response(_ stream: HTTP2StreamID, _ list: HTTP2HeaderList, wireSize: Int, at now: MonotonicInstant) throws {
    guard let exchange = open[stream] else { return }
    guard exchange.response == nil else {
      let trailers = try HTTP2Trailers(list, wireSize: wireSize)
      return change(stream) { $0.responseTrailers = trailers.fields }
    }
    let head = try HTTP2ResponseHead(list, wireSize: wireSize)
    change(stream) {
      if head.isInterim {
        $0.informational.append(head.head)
      } else {
        $0.answer(head.head, from: now, headEnd: now)
        $0.responseList = list
      }
    }
  }

  private func end(_ stream: HTTP2StreamID, _ isClient: Bool, at now: MonotonicInstant) {
    change(stream) {
      if isClient {
        $0.marks.move(.sentLast, to: now)
        $0.requestEnded = true
      } else {
        $0.marks.move(.responseLastByte, to: now)
        $0.responseEnded = true
      }
    }
  }

  private func reset(_ stream: HTTP2StreamID, _ code: HTTP2ErrorCode, _ isClient: Bool, at now: MonotonicInstant) {
    change(stream) {
      $0.stream?.reset = StreamMetrics.Reset(code: code, who: isClient ? .client : .origin)
      $0.fail(.streamReset(code, byClient: isClient), at: now)
    }
  }

  private func change(_ stream: HTTP2StreamID, _ body: (inout PacketExchange) -> Void) {
    guard var exchange = open.removeValue(forKey: stream) else { return }
    body(&exchange)
    if exchange.isComplete { complete.append(exchange) } else { open[stream] = exchange }
  }
}
