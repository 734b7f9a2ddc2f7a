package import TapelineHTTP
package import TapelineSystem
internal import TapelineBase
package import TapelineTime

/// The record of an exchange from its first byte until it is in the log.
///
/// A record is large and holds some twenty references. It is made here, filled here and read here: what goes from hand to hand is
/// one reference.
///
/// Safety: the exchange's loop alone uses it until it hands it over, if it does so, under the lock of the recorder's queue; from
/// then on it is only read.
package final class RecordDraft: @unchecked Sendable {
  /// To call a member of it copies all of it, as the compiler cannot see that nobody writes meanwhile: see `lend`.
  package var record: ExchangeRecord
  /// The part of the exchange that outlives a crash. Whoever takes it over frees it.
  package private(set) var flight = Flight.none

  package init(_ record: consuming ExchangeRecord) {
    self.record = record
  }

  /// Begins the record of a request.
  ///
  /// - Parameter bodyLimit: how many bytes of each content are kept.
  package init(
    id: UInt64, client: consuming ExchangeRecord.Peer, door: Door, request: consuming RequestHead?, bodyLimit: Int,
    marks: TimelineMarks
  ) {
    // In place: the initialiser that others use copies all it has made.
    record = ExchangeRecord(
      id: id, kind: .exchange, client: client, door: door, request: request, requestBody: BodyCapture(limit: bodyLimit),
      responseBody: BodyCapture(limit: bodyLimit), marks: marks, timeline: Timeline())
  }

  deinit {
    flight.free()
  }

  /// The request is here: should the process crash from now on, it can be told which exchange was lost.
  package func takeOff() {
    flight = lend { record in
      guard let started = record.started, let method = record.request?.method.rawValue else { return .none }
      let (exchange, scheme) = (record.id, record.implied?.scheme.flightMark ?? 0)
      let authority = record.implied?.authority ?? ""
      let taken = record.request?.withTarget { target in
        Flight(
          exchange: exchange, started: started.nanoseconds, method: method.utf8.span, scheme: scheme,
          authority: authority.utf8.span, target: target)
      }
      return taken ?? .none
    }
  }

  /// The flight is its taker's from now on.
  package func releaseFlight() {
    flight = .none
  }

  /// Lends the record where it stands, without a copy. A borrower on the recorder's thread only reads.
  package func lend<Result, Failure: Error>(
    _ body: (inout ExchangeRecord) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(&record)
  }
}

extension URIScheme {
  fileprivate var flightMark: UInt8 {
    switch self {
    case .http: 1
    case .https, .other: 2
    }
  }
}

extension LostFlight {
  /// The request as far as it is known, and where its connection led; `nil` if what is left is no request.
  package var request: (head: RequestHead, implied: ImpliedOrigin?)? {
    do throws(HTTPParseError) {
      let head = try RequestHead(
        method: HTTPMethod(rawValue: String(decoding: method, as: UTF8.self)), target: whole, version: .http11)
      let origin = ImpliedOrigin(
        scheme: scheme == URIScheme.http.flightMark ? .http : .https, authority: String(decoding: authority, as: UTF8.self))
      return (head, authority.isEmpty ? nil : origin)
    } catch {
      return nil
    }
  }

  /// The beginning of a secret is not recognised as one: of a target that is cut, the last part is left out.
  private var whole: [UInt8] {
    guard isCut else { return target }
    let end = target.lastIndex { [Byte.slash, UInt8(ascii: "?"), UInt8(ascii: "&")].contains($0) }
    return Array(target[..<(end ?? 0)]) + Array("...".utf8)
  }
}
