package import TapelineHAR

/// Why an exchange failed, according to its log: the one place that decides whether it did.
///
/// An exchange failed if no whole response came, or if the response reports that its operation failed: by the status of a gRPC
/// call, by the `errors` of GraphQL, by the `error` of JSON-RPC. A status of 400 or more is no failure.
package struct RecordedFailure: Sendable, Hashable {
  /// A sentence for people; empty for a gRPC call without a message.
  package let message: String
  /// The side at fault and the phase: only our own logs have them. A failed operation has no phase.
  package let origin: String?
  package let phase: String?
  package let kind: String?
  /// The tapeline option whose limit ended the exchange.
  package let option: String?

  /// The operation that failed; `nil` if the exchange itself did.
  package let operation: FailedOperation?

  /// `nil` when nothing failed. Reads `_error`, our object in the entry or the text that browsers put into the response, and what
  /// the response reports.
  package init?(_ entry: HAREntry) {
    if let error = entry.custom[.error] ?? entry.response.custom[.error], error != .null {
      self.init(error)
    } else if entry.response.status <= 0 {
      guard RecordedEnd(entry) == nil, !RecordedEnd.isOutstanding(for: entry) else { return nil }
      // Some programs write their own error numbers, all below 0, where no status came.
      let status = entry.response.status
      self.init(message: status == 0 ? "no response" : "no response (status \(status))", members: nil)
    } else {
      guard let operation = FailedOperation(entry) else { return nil }
      self.init(operation)
    }
  }

  /// Reads an `_error`; `nil` when it is null, as Chrome writes it where nothing failed.
  init?(_ error: HARValue) {
    switch error {
    case .string(let text): self.init(message: text, members: nil)
    case .object(let members): self.init(message: members["message"]?.string ?? "failed", members: members)
    case .bool, .number, .array: self.init(message: "failed", members: nil)
    case .null: return nil
    }
  }

  private init(_ operation: FailedOperation) {
    (message, origin, kind) = (operation.message, "upstream", "operation")
    (phase, option) = (nil, nil)
    self.operation = operation
  }

  private init(message: String, members: HARObject?) {
    operation = nil
    origin = members?["origin"]?.string
    phase = members?["phase"]?.string
    kind = members?["kind"]?.string
    option = members?["option"]?.string
    // The sentence also ends with the option, for readers that do not know the member.
    let ending = option.map { " (\($0))" } ?? ""
    self.message = message.hasSuffix(ending) ? String(message.dropLast(ending.count)) : message
  }

  /// Whether tapeline itself crashed, and no exchange failed.
  var isCrash: Bool { kind == "crash" && origin == "local" }

  /// `upstream refused in connect`, `local timed-out in receive (--idle-timeout)`, `gRPC 8 RESOURCE_EXHAUSTED`: the same text for
  /// all failures of a kind. `nil` for logs that have none of these facts.
  package var facts: String? {
    if let operation { return operation.name }
    let facts = [origin, kind, phase.map { "in \($0)" }, option.map { "(\($0))" }].compactMap(\.self)
    return facts.isEmpty ? nil : facts.joined(separator: " ")
  }

  /// `upstream refused in connect: Connection refused`, as far as the facts are known.
  package var text: String {
    facts.map { message.isEmpty ? $0 : "\($0): \(message)" } ?? message
  }
}
