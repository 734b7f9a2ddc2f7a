import TapelineCore
import TapelineHTTP
import TapelineHTTP2
import TapelineLoop
import TapelineTime
import TapelineTransport

@testable import TapelineProxy

/// A client's end that writes down what it is told.
final class ScriptedClient: ClientExchange {
  var events: [String] = []
  var demand = Demand.more
  var tunnel: InterceptedTunnel? { nil }
  var bufferedBytes = 0

  func takeEvents() -> [String] {
    defer { events = [] }
    return events
  }

  func sendContinue() { events.append("100") }
  func sendInformational(_ head: ResponseHead, to request: OutgoingRequest) { events.append("interim \(head.status)") }

  func sendHead(
    _ head: ResponseHead, http2: HTTP2ResponseHead?, to request: OutgoingRequest, content received: BodyFraming?,
    originPersists: Bool, at instant: MonotonicInstant
  ) -> ResponseForwarding {
    events.append("head \(head.status)")
    return ResponseForwarding(to: request.head.method, of: request.head.version, framing: .chunked, persists: true)
  }

  func sendBody(_ bytes: Span<UInt8>) -> Demand {
    events.append("body \(text(bytes))")
    return demand
  }

  func endResponse(trailers: HeaderFields?, without removed: HopByHopFields?) {
    events.append(trailers == nil ? "end" : "end with trailers")
  }

  func answer(_ reply: LocalReply, to head: RequestHead?) { events.append("answer \(reply.status)") }
  func passOn(reset code: HTTP2ErrorCode) -> Bool { false }
  func breakOff(as ending: PassedFailure.Ending) { events.append("break off") }
  func passOn(_ failure: PassedFailure) { events.append("\(failure.ending)") }
  func end(as ending: PassedFailure.Ending) { events.append(ending == .reset ? "reset" : "end of connection") }

  func switchProtocols(_ head: ResponseHead, http2: HTTP2ResponseHead?, to request: OutgoingRequest) -> ResponseForwarding {
    events.append("switch")
    return ResponseForwarding(to: request.head.method, of: request.head.version, framing: .none, persists: false)
  }

  func exchangeDidUpgrade() { events.append("upgraded") }

  func relay(_ bytes: Span<UInt8>) -> Demand {
    events.append("relay \(text(bytes))")
    return demand
  }

  func endRelay() { events.append("end of relay") }
  func pauseReading() { events.append("pause") }
  func resumeReading() { events.append("resume") }
  func tcpHistory(since start: TCPSample, at now: MonotonicInstant) -> TCPHistory? { nil }
  func beginTCPHistory(at now: MonotonicInstant) -> TCPSample {
    TCPSample(
      instant: now,
      statistics: TCPStatistics(
        rttMicroseconds: 0, rttVariationMicroseconds: 0, minimumRTTMicroseconds: 0, totalRetransmits: 0, congestionWindow: 0,
        deliveryRate: 0),
      isPaused: false)
  }
  var http2: ClientStreamDetails? { nil }
  func engage(_ engagement: Engagement, at instant: MonotonicInstant?) { events.append("engage \(engagement)") }
  func exchangeDidEnd() { events.append("over") }
}
