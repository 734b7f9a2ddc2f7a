package import TapelineHTTP
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

  /// Lends the record where it stands, without a copy. A borrower on the recorder's thread only reads.
  package func lend<Result, Failure: Error>(
    _ body: (inout ExchangeRecord) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(&record)
  }
}
