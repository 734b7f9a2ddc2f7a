internal import TapelineHAR
internal import TapelineBase

/// The facts of an exchange that the critical path needs: no headers and no body.
struct CriticalExchange: Sendable {
  /// The place in the file, from 1.
  let number: Int
  let method: String
  let url: String
  /// The status as in tables: `200`, `200!`, `ERR`, `END`.
  let outcome: String
  let isFailed: Bool
  /// Whether the same request may be sent again, because this one failed or the server had no time.
  let isRetriable: Bool
  /// Nanoseconds since 1970.
  let start: Int
  /// Nanoseconds from the start.
  private let ready: Int
  private let firstByte: Int
  private let length: Int
  /// Looking up the name and opening the connection, in nanoseconds.
  let opening: Int
  /// Opening the client's connection to tapeline, in nanoseconds.
  let setUp: Int
  /// `nil` if the URL is not absolute.
  let address: WebAddress?
  /// Where the response sends the client.
  let redirect: WebAddress?
  let referer: WebAddress?
  /// The address that started it, according to the browser that wrote the log.
  let initiator: WebAddress?
  /// The connection, if it is known.
  let connection: String?
  /// Whether it carries one exchange at a time, as HTTP/1 has it.
  let isAlone: Bool
  let type: ResourceType
  var awaiting: Awaiting
  /// Whether the client ended it before it was complete.
  let isCutOff: Bool

  /// No exchange lasts longer, in milliseconds: thirty years.
  private static let longest = 1e12

  /// `nil` when the log does not say when the exchange began.
  init?(_ entry: HAREntry, number: Int) {
    guard let start = unixNanoseconds(ofDate: entry.startedDateTime) else { return nil }
    self.start = start
    self.number = number
    method = entry.request.method
    url = entry.request.url
    outcome = ExchangeOutcome(entry).text
    isFailed = RecordedFailure(entry) != nil
    isRetriable = isFailed || [408, 425, 429, 500, 502, 503, 504].contains(entry.response.status)
    type = ResourceType(entry)
    isCutOff = RecordedEnd(entry) != nil
    // A client that reads slowly has the response after its last byte came to the proxy.
    let delivered = (entry.custom[.events]?["deliveredLast"]?.double ?? 0) / 1_000
    let length = max(Self.nanoseconds(entry.duration ?? 0), Self.nanoseconds(delivered))
    let timings = entry.timings
    let before = [timings.blocked, timings.dns, timings.connect, timings.send, timings.wait].compactMap(\.self)
    self.length = length
    firstByte = min(length, Self.nanoseconds(before.reduce(0) { $0 + ($1.asDuration ?? 0) }))
    ready = min(firstByte, Self.nanoseconds(timings.blocked ?? 0))
    opening = min(length - ready, Self.nanoseconds(max(0, timings.dns ?? 0) + max(0, timings.connect ?? 0)))
    // A client that sets up TLS with tapeline does so in `blocked`.
    setUp = entry.custom[.overhead]?["clientTLS"] == nil ? 0 : ready
    let address = WebAddress(entry.request.url)
    self.address = address
    let isRedirect = (300..<400).contains(entry.response.status) && !entry.response.redirectURL.isEmpty
    redirect = isRedirect ? address.flatMap { WebAddress.Base($0).resolving(entry.response.redirectURL) } : nil
    referer = entry.request.headers.first { Self.isReferer($0.name) }.flatMap { WebAddress($0.value) }
    initiator = Self.initiator(of: entry).flatMap { WebAddress($0) }
    connection = Self.connection(of: entry, to: address)
    isAlone = [entry.response.httpVersion, entry.request.httpVersion].contains {
      $0.hasPrefix("HTTP/1") || $0.hasPrefix("http/1")
    }
    awaiting = Awaiting(entry, type, address: address)
  }

  /// - Parameter origin: the beginning of the group, in nanoseconds since 1970.
  func times(from origin: Int) -> ExchangeTimes {
    // Two starts may be further apart than an `Int` holds.
    let (offset, overflow) = start.subtractingReportingOverflow(origin)
    let start = min(overflow ? .max : max(0, offset), Int(Self.longest * 1e6))
    return ExchangeTimes(start: start, ready: start + ready, firstByte: start + firstByte, end: start + length)
  }

  private static func isReferer(_ name: String) -> Bool {
    name.utf8.count == 7 && name.withoutCapitals == "referer"
  }

  private static func nanoseconds(_ milliseconds: Double) -> Int {
    Int(saturating: ((milliseconds.asDuration ?? 0) * 1e6).rounded())
  }

  /// A URL, or Chrome's object: the document that the parser reads, or the script on top of the stack.
  private static func initiator(of entry: HAREntry) -> String? {
    guard let initiator = entry.custom[.initiator] else { return nil }
    if let url = initiator.string ?? initiator["url"]?.string { return url }
    var stack = initiator["stack"]
    // A stack has a few parents, those of asynchronous calls.
    for _ in 0..<32 {
      guard let frames = stack?["callFrames"]?.array else { return nil }
      if let url = frames.lazy.compactMap({ $0["url"]?.string }).first(where: { !$0.isEmpty }) { return url }
      stack = stack?["parent"]
    }
    return nil
  }

  /// A `connection` that is the server's port names none.
  private static func connection(of entry: HAREntry, to address: WebAddress?) -> String? {
    guard let address else { return nil }
    if let id = entry.custom[.clientConnectionID]?.string ?? entry.custom[.connectionID]?.string {
      return "\(address.origin) \(id)"
    }
    guard let id = entry.connection, !id.isEmpty, RequestURL(entry.request.url)?.port.map(String.init) != id else { return nil }
    return "\(address.origin) \(id)"
  }
}
