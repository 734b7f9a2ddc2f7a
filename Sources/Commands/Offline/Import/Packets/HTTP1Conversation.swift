internal import TapelineCore
internal import TapelineHTTP
internal import TapelineBase
internal import TapelineTime

/// Both directions of a connection of HTTP/1.x that others have with each other. Requests may be pipelined.
final class HTTP1Conversation {
  private let bodyLimit: Int
  private var requests = HTTP1Connection(role: .server)
  private var responses = HTTP1Connection(role: .client)
  /// The exchanges that are not complete, in their order. The client is sending the last one.
  private var open: [PacketExchange] = []
  private var isExpecting = false
  /// When the message that is being read began.
  private var requestStart: MonotonicInstant?
  private var responseStart: MonotonicInstant?
  /// Complete exchanges that nobody has taken.
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
    guard !isUnreadable else { return }
    if let last = open.indices.last, open[last].relayed != nil {
      if fromClient {
        open[last].relayed?.toServer += UInt64(bytes.count)
      } else {
        open[last].relayed?.toClient += UInt64(bytes.count)
      }
      return
    }
    do throws(HTTPParseError) {
      if fromClient { try receiveRequests(bytes, at: now) } else { try receiveResponses(bytes, at: now) }
    } catch {
      isUnreadable = true
      end(.malformed(error.message), at: now)
    }
  }

  /// No more bytes come. Exchanges that are not complete have failed.
  func end(_ reason: PacketFailure, at now: MonotonicInstant) {
    endResponse(reason, at: now)
    for var exchange in open {
      // A tunnel may end in any way.
      if exchange.relayed == nil { exchange.fail(reason, at: now) }
      complete.append(exchange)
    }
    open = []
  }

  /// The end of the connection may end the content.
  private func endResponse(_ reason: PacketFailure, at now: MonotonicInstant) {
    guard case .closed(byClient: false) = reason, !isUnreadable, !open.isEmpty, isExpecting, open[0].response != nil else {
      return
    }
    do throws(HTTPParseError) {
      if case .end? = try responses.receiveEnd() {
        open[0].responseEnded = true
        retire()
      }
    } catch {
      open[0].fail(reason, at: now)
    }
  }

  private func receiveRequests(_ bytes: [UInt8], at now: MonotonicInstant) throws(HTTPParseError) {
    var offset = 0
    while offset < bytes.count || !requests.isIdle {
      if requests.isIdle, requestStart == nil { requestStart = now }
      guard let event = try requests.receive(bytes.span, from: &offset) else { return }
      switch event {
      case .requestHead(let head):
        open.append(
          PacketExchange(head, from: requestStart ?? now, headEnd: now, isFirst: isFirst, bodyLimit: bodyLimit))
        isFirst = false
      case .body(let range): change { $0.send(bytes.span.extracting(range), at: now) }
      case .trailers(let fields): change { $0.requestTrailers = fields }
      case .end:
        change { $0.requestEnded = true }
        requestStart = nil
        retire()
        if requests.isOpaque { return }
      case .responseHead, .informational: break
      }
    }
  }

  private func change(_ body: (inout PacketExchange) -> Void) {
    guard let last = open.indices.last else { return }
    body(&open[last])
  }

  private func receiveResponses(_ bytes: [UInt8], at now: MonotonicInstant) throws(HTTPParseError) {
    var offset = 0
    while offset < bytes.count || isExpecting {
      if !isExpecting {
        guard let next = open.first, !next.responseEnded else {
          isUnreadable = true
          return end(.malformed("bytes came that answer no request"), at: now)
        }
        responses.expectResponse(to: next.request.method)
        isExpecting = true
      }
      if responseStart == nil, offset < bytes.count { responseStart = now }
      guard let event = try responses.receive(bytes.span, from: &offset) else { return }
      switch event {
      case .informational(let head):
        open[0].informational.append(head)
        responseStart = nil
      case .responseHead(let head):
        open[0].answer(head, from: responseStart ?? now, headEnd: now)
      case .body(let range): open[0].receive(bytes.span.extracting(range), at: now)
      case .trailers(let fields): open[0].responseTrailers = fields
      case .end:
        open[0].marks.move(.responseLastByte, to: now)
        open[0].responseEnded = true
        isExpecting = false
        responseStart = nil
        if responses.isOpaque {
          open[0].relayed = RelayedBytes()
          open[0].relayed?.toClient += UInt64(bytes.count - offset)
          return
        }
        retire()
      case .requestHead: break
      }
    }
  }

  private func retire() {
    while let first = open.first, first.isComplete, first.relayed == nil { complete.append(open.removeFirst()) }
  }
}
