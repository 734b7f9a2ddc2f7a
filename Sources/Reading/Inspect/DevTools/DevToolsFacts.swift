internal import TapelineHAR
internal import TapelineBase

/// An entry in the words of the DevTools protocol's Network domain.
struct DevToolsFacts {
  let entry: HAREntry
  /// Seconds since 1970.
  let start: Double
  let isWebSocket: Bool
  let isInFlight: Bool

  init(_ entry: HAREntry) {
    self.entry = entry
    start = Double(unixNanoseconds(ofDate: entry.startedDateTime) ?? 0) / 1e9
    isInFlight = RecordedEnd.isOutstanding(for: entry)
    isWebSocket = ResourceType(entry) == .websocket || Self.asksForWebSocket(entry.request)
  }

  /// Before the answer, only the request tells.
  private static func asksForWebSocket(_ request: HARRequest) -> Bool {
    request.headers.contains { $0.name.isSameName(as: "upgrade") && $0.value.lowercased() == "websocket" }
  }

  /// A tunnel of which nobody knows yet whether it is read. If it is, its exchanges come in its place, and a panel forgets no
  /// row.
  var mayBeReplaced: Bool { isInFlight && entry.request.asksForTunnel && UnreadTunnel(entry) == nil }

  var isEventStream: Bool { MediaType(entry.response.content.mimeType).essence == "text/event-stream" }

  /// The protocol's `ResourceType`.
  var type: String {
    guard !isEventStream else { return "EventSource" }
    return switch ResourceType(entry) {
    case .document: "Document"
    case .script: "Script"
    case .style: "Stylesheet"
    case .image: "Image"
    case .font: "Font"
    case .fetch: "Fetch"
    case .media: "Media"
    case .websocket: "WebSocket"
    case .other: "Other"
    }
  }

  /// Its scheme is `ws` or `wss`.
  var webSocketURL: String {
    entry.request.url.hasPrefix("http") ? "ws" + entry.request.url.dropFirst(4) : entry.request.url
  }

  // MARK: Times

  /// When the first byte of the response came, in seconds since 1970.
  var responseStart: Double { start + milestones.response / 1_000 }
  var end: Double { start + (entry.duration ?? 0) / 1_000 }

  /// The ends of HAR's phases, in milliseconds from the start. HAR's sum is exact, so these are.
  private var milestones: (blocked: Double, dns: Double, connect: Double, send: Double, response: Double) {
    let timings = entry.timings
    let blocked = max(0, timings.blocked ?? 0)
    let dns = blocked + max(0, timings.dns ?? 0)
    let connect = dns + max(0, timings.connect ?? 0)
    let send = connect + max(0, timings.send)
    return (blocked, dns, connect, send, send + max(0, timings.wait))
  }

  /// The protocol's `ResourceTiming`.
  private var timing: HARValue {
    let (blocked, dns, connect, send, response) = milestones
    func mark(_ milliseconds: Double, if phase: Double?) -> HARValue {
      .number(HARNumber((phase ?? -1) >= 0 ? milliseconds : -1))
    }
    var timing: HARObject = [
      "requestTime": .number(HARNumber(start)),
      "dnsStart": mark(blocked, if: entry.timings.dns), "dnsEnd": mark(dns, if: entry.timings.dns),
      "connectStart": mark(dns, if: entry.timings.connect), "connectEnd": mark(connect, if: entry.timings.connect),
      "sslStart": mark(connect - max(0, entry.timings.ssl ?? 0), if: entry.timings.ssl),
      "sslEnd": mark(connect, if: entry.timings.ssl),
      "sendStart": .number(HARNumber(connect)), "sendEnd": .number(HARNumber(send)),
      "receiveHeadersStart": .number(HARNumber(response)), "receiveHeadersEnd": .number(HARNumber(response)),
      "pushStart": 0, "pushEnd": 0,
    ]
    for name in [
      "proxyStart", "proxyEnd", "workerStart", "workerReady", "workerFetchStart", "workerRespondWithSettled",
    ] { timing[name] = -1 }
    return .object(timing)
  }

  // MARK: Messages

  var request: HARValue {
    let request = entry.request
    var value: HARObject = [
      "url": .string(request.url), "method": .string(request.method), "headers": .object(Self.headers(request.headers)),
      "initialPriority": "Medium", "referrerPolicy": "unsafe-url",
    ]
    if request.postData != nil || request.bodySize > 0 { value["hasPostData"] = true }
    return .object(value)
  }

  var response: HARValue {
    let response = entry.response
    var value: HARObject = [
      "url": .string(entry.request.url), "status": .number(HARNumber(response.status)),
      "statusText": .string(response.statusText), "headers": .object(Self.headers(response.headers)),
      "mimeType": .string(MediaType(response.content.mimeType).essence), "charset": "",
      "connectionReused": .bool((entry.timings.connect ?? -1) < 0), "connectionId": connectionID,
      "encodedDataLength": .number(HARNumber(max(0, response.headersSize))), "timing": timing,
      "protocol": .string(Self.protocolName(response.httpVersion)),
      "securityState": entry.request.url.hasPrefix("https:") ? "secure" : "insecure",
    ]
    if let address = entry.serverIPAddress { value["remoteIPAddress"] = .string(address) }
    if let port = entry.connection.flatMap({ Int($0) }) { value["remotePort"] = .number(HARNumber(port)) }
    return .object(value)
  }

  var handshakeResponse: HARValue {
    [
      "status": .number(HARNumber(entry.response.status)), "statusText": .string(entry.response.statusText),
      "headers": .object(Self.headers(entry.response.headers)),
      "requestHeaders": .object(Self.headers(entry.request.headers)),
    ]
  }

  /// Equal for the exchanges that shared a connection.
  private var connectionID: HARValue {
    let digits = (entry.custom[.connectionID]?.string ?? "").filter(\.isNumber)
    return .number(HARNumber(Int(digits) ?? 0))
  }

  /// As ALPN names it, which the panel knows.
  private static func protocolName(_ version: String) -> String {
    let version = version.lowercased()
    return version == "http/2" || version == "http/2.0" ? "h2" : version
  }

  /// Values of a repeated name are in lines of one value.
  static func headers(_ headers: [HARHeader]) -> HARObject {
    var places: [String: Int] = [:]
    var members: [HARObject.Member] = []
    for header in headers {
      guard let place = places[header.name.lowercased()] else {
        places[header.name.lowercased()] = members.count
        members.append(HARObject.Member(name: header.name, value: .string(header.value)))
        continue
      }
      members[place].value = .string((members[place].value.string ?? "") + "\n" + header.value)
    }
    return HARObject(members: members)
  }
}
