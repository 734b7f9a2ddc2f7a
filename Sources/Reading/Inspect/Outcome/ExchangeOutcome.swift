internal import TapelineHAR

/// How an exchange ended, as tables have it.
package struct ExchangeOutcome: Hashable, Sendable {
  /// 0 when no response came; some programs have numbers of their own then, below 0.
  package let status: Int
  /// If there is no status and nothing failed, the client did not wait for a response.
  package let hasFailed: Bool
  /// The status of a gRPC call that failed.
  package let callStatus: Int?
  /// Whether it was still in flight when its log was copied.
  let isOutstanding: Bool

  init(_ entry: HAREntry) {
    self.init(
      status: entry.response.status, failure: RecordedFailure(entry), isOutstanding: RecordedEnd.isOutstanding(for: entry))
  }

  init(status: Int, failure: RecordedFailure?, isOutstanding: Bool = false) {
    self.status = status
    hasFailed = failure != nil
    callStatus = failure?.operation?.callStatus
    self.isOutstanding = isOutstanding
  }

  /// `503`; `200!` when the exchange failed though it has this status, `200/8` when that was a gRPC call with this status, `ERR`
  /// when no status came; `END` when the client did not wait for one; `200…` and `…` while it is in flight.
  package var text: String {
    if let callStatus { return "\(status)/\(callStatus)" }
    if hasFailed { return status <= 0 ? "ERR" : "\(status)!" }
    if isOutstanding { return status <= 0 ? "…" : "\(status)…" }
    return status <= 0 ? "END" : String(status)
  }

  /// Failures, and statuses of 400 or above.
  package var isError: Bool { hasFailed || status >= 400 }
}
