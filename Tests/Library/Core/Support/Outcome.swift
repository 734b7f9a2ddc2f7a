import Dispatch
import FoundationEssentials

@testable import TapelineCore

/// What a handler of the tests' own gets.
struct Outcome: Sendable {
  let data: Data?
  let response: HTTPURLResponse?
  let error: TapelineError?
  let value: String?
  let timing: ResponseTiming

  var text: String? { data.map { String(decoding: $0, as: UTF8.self) } }
}

extension DataRequest {
  /// Attaches a handler whose value is `serialize`'s, or the body's text.
  @discardableResult
  func outcome(
    on queue: DispatchQueue? = nil, retries: Bool = true,
    serialize: @escaping @Sendable (DataRequest) -> Result<String, TapelineError> = { $0.bodyText },
    handler: @escaping @Sendable (Outcome) -> Void
  ) -> Self {
    respond(
      on: .queue(queue), retries: retries,
      serialize: { [self] in serialize(self) },
      answer: { [self] result, timing in
        Outcome(data: data, response: response, error: result.error, value: result.value, timing: timing)
      },
      completionHandler: handler)
  }

  /// A handler whose one outcome the test waits for.
  func awaitedOutcome(retries: Bool = true) -> Awaited<Outcome> {
    let awaited = Awaited<Outcome>()
    outcome(retries: retries) { awaited.take($0) }
    return awaited
  }

  /// The body as text, or the request's error.
  var bodyText: Result<String, TapelineError> {
    if let error { return .failure(error) }
    return .success(data.map { String(decoding: $0, as: UTF8.self) } ?? "")
  }
}

/// A serializer's failure.
func serializationFailure() -> TapelineError {
  .responseSerializationFailed(reason: .inputDataNilOrZeroLength)
}
