internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineBase
internal import TapelineTime

/// An exchange as another program has seen it.
struct ImportedExchange {
  /// Its instants are nanoseconds since 1970-01-01T00:00:00Z.
  var record: ExchangeRecord
  /// When the exchange began, as far as the other program tells.
  let start: MonotonicInstant
  /// Whether the time before the first phase is known. HAR has −1 for an unknown `blocked`.
  var knowsBlocked = false
  /// Whether the client's end of the connection is known.
  var knowsClient = false
  /// Whether the record counts the bytes of the bodies. HAR has −1 for an unknown `bodySize`.
  var knowsRequestBody = true
  var knowsResponseBody = true
  /// Whether the sizes of heads of HTTP/2 are those on the wire.
  var knowsBlockSizes = true

  /// Corrects an entry that was made of the record.
  func complete(_ entry: inout HAREntry) {
    entry.startedDateTime = Self.text(of: start)
    if !knowsBlocked {
      entry.time -= entry.timings.blocked ?? 0
      entry.timings.blocked = -1
    }
    if !knowsClient {
      entry.custom[.clientAddress] = nil
      entry.custom[.clientPort] = nil
    }
    if !knowsRequestBody { entry.request.bodySize = -1 }
    if !knowsResponseBody {
      entry.response.bodySize = -1
      entry.response.content.custom[.truncated] = nil
      entry.response.content.compression = nil
    }
    guard !knowsBlockSizes else { return }
    entry.request.custom[.headersWire] = nil
    entry.response.custom[.headersWire] = nil
  }

  static func text(of instant: MonotonicInstant) -> String {
    (InternetDate(unixNanoseconds: Int(instant.nanoseconds)) ?? .epoch).text
  }
}

extension ExchangeRecord {
  /// A record without a timeline, which only a proxy has.
  init(
    observed id: UInt64, client: Peer = .unknown, request: RequestHead?, requestBody: BodyCapture, responseBody: BodyCapture,
    marks: TimelineMarks
  ) {
    self.init(
      id: id, kind: .exchange, client: client, request: request, requestBody: requestBody, responseBody: responseBody,
      marks: marks, timeline: Timeline())
  }
}

extension ExchangeRecord.Peer {
  /// The end of a connection that nobody has seen. Its members are removed from the entry.
  static let unknown = ExchangeRecord.Peer(connectionID: 0, address: "", port: 0, isReused: false)
}
