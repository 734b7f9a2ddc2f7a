package import TapelineHAR
internal import TapelineBase

/// Tells Chrome's network panel of one exchange: events of the DevTools protocol's Network domain, each once, in order.
///
/// The same exchange may be told several times while it is in flight, and a last time when it has ended.
package struct DevToolsExchange {
  private let id: String
  private var stage = Stage.unknown
  /// Messages of the WebSocket, or events of the event stream, that were told.
  private var messages = 0
  /// Seconds since 1970.
  private var start = 0.0

  private enum Stage: Comparable {
    case unknown
    case requested
    case responded
    case ended
  }

  /// - Parameter id: by which the panel asks for bodies.
  package init(id: String) {
    self.id = id
  }

  /// Tells what is new.
  ///
  /// - Parameters:
  ///   - entry: as far as the exchange has come.
  ///   - tell: gets each event, `{"method": …, "params": …}`.
  package mutating func tell(_ entry: HAREntry, _ tell: (HARValue) -> Void) {
    let facts = DevToolsFacts(entry)
    guard stage > .unknown || !facts.mayBeReplaced else { return }
    if stage < .requested {
      stage = .requested
      start = facts.start
      begin(facts, tell)
    }
    if stage < .responded, entry.response.status > 0 {
      stage = .responded
      respond(facts, tell)
    }
    guard stage == .responded || !facts.isInFlight else { return }
    tellMessages(facts, tell)
    if !facts.isInFlight, stage < .ended {
      stage = .ended
      end(facts, tell)
    }
  }

  /// The log has no entry for it: it was filtered, or could not be kept.
  package consuming func vanish(_ tell: (HARValue) -> Void) {
    guard stage > .unknown, stage < .ended else { return }
    fail("not in the log", type: "Other", isCanceled: true, at: start, tell)
  }

  /// Whether there are messages to tell, which are in whole entries only.
  package static func hasMessages(_ entry: HAREntry) -> Bool {
    let facts = DevToolsFacts(entry)
    return facts.isWebSocket || facts.isEventStream
  }

  private func begin(_ facts: DevToolsFacts, _ tell: (HARValue) -> Void) {
    guard !facts.isWebSocket else {
      send("webSocketCreated", ["url": .string(facts.webSocketURL), "initiator": ["type": "other"]], tell)
      send(
        "webSocketWillSendHandshakeRequest",
        [
          "timestamp": .seconds(facts.start), "wallTime": .seconds(facts.start),
          "request": ["headers": .object(DevToolsFacts.headers(facts.entry.request.headers))],
        ], tell)
      return
    }
    send(
      "requestWillBeSent",
      [
        "loaderId": "tapeline", "documentURL": "", "request": facts.request, "timestamp": .seconds(facts.start),
        "wallTime": .seconds(facts.start), "initiator": ["type": "other"], "redirectHasExtraInfo": false,
        "type": .string(facts.type), "hasUserGesture": false,
      ], tell)
  }

  private func respond(_ facts: DevToolsFacts, _ tell: (HARValue) -> Void) {
    guard !facts.isWebSocket else {
      return send(
        "webSocketHandshakeResponseReceived",
        ["timestamp": .seconds(facts.responseStart), "response": facts.handshakeResponse], tell)
    }
    send(
      "responseReceived",
      [
        "loaderId": "tapeline", "timestamp": .seconds(facts.responseStart), "type": .string(facts.type),
        "response": facts.response, "hasExtraInfo": false,
      ], tell)
  }

  private mutating func tellMessages(_ facts: DevToolsFacts, _ tell: (HARValue) -> Void) {
    if facts.isWebSocket {
      for message in facts.entry.custom[.webSocketMessages]?.array?.dropFirst(messages) ?? [] {
        messages += 1
        let isSent = message["type"]?.string == "send"
        send(
          isSent ? "webSocketFrameSent" : "webSocketFrameReceived",
          [
            "timestamp": .seconds(message["time"]?.double ?? facts.start),
            "response": [
              "opcode": .number(HARNumber(message["opcode"]?.integer ?? 1)), "mask": .bool(isSent),
              "payloadData": .string(message["data"]?.string ?? ""),
            ],
          ], tell)
      }
    } else if facts.isEventStream {
      for event in RecordedStream(facts.entry)?.events.dropFirst(messages) ?? [] {
        messages += 1
        send(
          "eventSourceMessageReceived",
          [
            "timestamp": .seconds(event.time.map { facts.start + $0 / 1_000 } ?? facts.end),
            "eventName": .string(event.name), "eventId": .string(event.id), "data": .string(event.text),
          ], tell)
      }
    }
  }

  private func end(_ facts: DevToolsFacts, _ tell: (HARValue) -> Void) {
    // To a browser, a response with a failed operation is a response.
    let failure = RecordedFailure(facts.entry).flatMap { $0.operation == nil ? $0 : nil }
    if facts.isWebSocket {
      if let failure {
        send("webSocketFrameError", ["timestamp": .seconds(facts.end), "errorMessage": .string(failure.message)], tell)
      }
      return send("webSocketClosed", ["timestamp": .seconds(facts.end)], tell)
    }
    let response = facts.entry.response
    if response.content.size > 0 || response.bodySize > 0 {
      send(
        "dataReceived",
        [
          "timestamp": .seconds(facts.end), "dataLength": .number(HARNumber(max(0, response.content.size))),
          "encodedDataLength": .number(HARNumber(max(0, response.bodySize))),
        ], tell)
    }
    if let failure {
      fail(failure.message, type: facts.type, isCanceled: false, at: facts.end, tell)
    } else if let ended = RecordedEnd(facts.entry) {
      fail(ended.text, type: facts.type, isCanceled: true, at: facts.end, tell)
    } else {
      let size = max(0, response.headersSize).addingSaturating(max(0, response.bodySize))
      send("loadingFinished", ["timestamp": .seconds(facts.end), "encodedDataLength": .number(HARNumber(size))], tell)
    }
  }

  private func fail(_ text: String, type: String, isCanceled: Bool, at seconds: Double, _ tell: (HARValue) -> Void) {
    send(
      "loadingFailed",
      [
        "timestamp": .seconds(seconds), "type": .string(type), "errorText": .string(text), "canceled": .bool(isCanceled),
      ], tell)
  }

  private func send(_ event: String, _ parameters: HARObject, _ tell: (HARValue) -> Void) {
    var parameters = parameters
    parameters["requestId"] = .string(id)
    tell(["method": .string("Network.\(event)"), "params": .object(parameters)])
  }
}

extension HARValue {
  /// A time of the protocol. Both of its clocks begin with 1970 here.
  fileprivate static func seconds(_ seconds: Double) -> HARValue {
    .number(HARNumber(seconds))
  }
}
