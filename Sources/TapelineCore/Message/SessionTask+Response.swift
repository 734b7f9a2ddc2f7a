public import TapelineTransport

extension SessionTask {
  /// The head of the last response received, even if another exchange follows it; `nil` before the first. From any thread.
  public var response: HTTPURLResponse? {
    answer.map { HTTPURLResponse(head: $0.response, request: $0.request) }
  }
}
