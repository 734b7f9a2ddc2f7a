internal import TapelineHTTP

extension ExchangeRecord {
  /// The response debug description of the exchange: `[Request]`, `[Response]`, `[Data]`, `[Result]` and `[Timeline]`, a line
  /// each.
  ///
  /// Status, bytes, outcome and times are the same as in the exchange's entry.
  package var responseDebugDescription: String {
    responseDebugText(
      request: request.map { URLRequest(head: $0, implied: implied) }, response: answer, byteCount: answerSize,
      result: resultText,
      timeline: timeline)
  }

  /// The origin's response; for an open tunnel, the proxy's own response that opened it.
  private var answer: HTTPURLResponse? {
    guard let request else { return nil }
    let head = response ?? openTunnel.map { ResponseHead(status: $0.status, reason: HTTPStatus.tunnelReasonPhrase) }
    return head.map { HTTPURLResponse(head: $0, request: request, implied: implied) }
  }

  private var answerSize: UInt64 { openTunnel?.toClient ?? responseBody.size }

  /// For an open tunnel: the status with which the proxy opened it, and the bytes that went to the client.
  package var openTunnel: (status: Int, toClient: UInt64)? {
    guard case .tunnel(_, let toClient) = kind, let localStatus, (200..<300).contains(localStatus) else { return nil }
    return (localStatus, toClient)
  }

  /// An exchange that the client ended is neither a failure nor a success.
  private var resultText: String {
    if let failure { return Result<String, RecordedFailure>.failure(RecordedFailure(failure: failure)).debugText }
    if let endedByClient { return "ENDED: by the client in \(endedByClient.rawValue), \(answerSize) bytes" }
    return Result<String, RecordedFailure>.success("\(answerSize) bytes").debugText
  }
}

/// A recorded failure in place of the original error.
private struct RecordedFailure: Error, CustomStringConvertible {
  let failure: ExchangeRecord.Failure

  var description: String {
    "\(failure.origin.rawValue) \(failure.kind.name) in \(failure.phase.rawValue): \(failure.message)"
  }
}
