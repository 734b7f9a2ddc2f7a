extension ExchangeRecord {
  /// The response debug description of the exchange: `[Request]`, `[Response]`, `[Data]`, `[Result]` and `[Timeline]`, a line each.
  package var responseDebugDescription: String {
    let result: Result<String, RecordedFailure> =
      failure.map { .failure(RecordedFailure(failure: $0)) } ?? .success("\(responseBody.size) bytes")
    var answer: HTTPURLResponse?
    if let request, let response { answer = HTTPURLResponse(head: response, request: request, implied: implied) }
    return responseDebugText(
      request: request.map { URLRequest(head: $0, implied: implied) }, response: answer, byteCount: responseBody.size,
      result: result.debugText, timeline: timeline)
  }
}

/// A recorded failure in the place of the error it was.
private struct RecordedFailure: Error, CustomStringConvertible {
  let failure: ExchangeRecord.Failure

  var description: String {
    "\(failure.origin) \(failure.kind) in \(failure.phase): \(failure.message)"
  }
}
