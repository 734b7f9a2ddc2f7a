internal import TapelineHTTP

extension ExchangeRecord {
  /// The response debug description of the exchange: `[Request]`, `[Response]`, `[Data]`, `[Result]` and `[Timeline]`, a line each.
  ///
  /// It says of status, bytes, outcome and time what the exchange's entry says.
  package var responseDebugDescription: String {
    responseDebugText(
      request: request.map { URLRequest(head: $0, implied: implied) }, response: answer, byteCount: answerSize,
      result: resultText,
      timeline: timeline)
  }

  /// The origin's; of a tunnel that stands, the proxy's own, by which it was opened.
  private var answer: HTTPURLResponse? {
    guard let request else { return nil }
    let head = response ?? openTunnel.map { ResponseHead(status: $0.status, reason: HTTPStatus.tunnelReasonPhrase) }
    return head.map { HTTPURLResponse(head: $0, request: request, implied: implied) }
  }

  private var answerSize: UInt64 { openTunnel?.toClient ?? responseBody.size }

  /// Of a tunnel that stands: the status that the proxy opened it by, and the bytes that went to the client.
  package var openTunnel: (status: Int, toClient: UInt64)? {
    guard case .tunnel(_, let toClient) = kind, let localStatus, (200..<300).contains(localStatus) else { return nil }
    return (localStatus, toClient)
  }

  /// What the client ended is no failure, and no success either.
  private var resultText: String {
    if let failure { return Result<String, RecordedFailure>.failure(RecordedFailure(failure: failure)).debugText }
    if let endedByClient { return "ENDED: by the client in \(endedByClient.rawValue), \(answerSize) bytes" }
    return Result<String, RecordedFailure>.success("\(answerSize) bytes").debugText
  }
}

/// A recorded failure in the place of the error it was.
private struct RecordedFailure: Error, CustomStringConvertible {
  let failure: ExchangeRecord.Failure

  var description: String {
    "\(failure.origin.rawValue) \(failure.kind.name) in \(failure.phase.rawValue): \(failure.message)"
  }
}
