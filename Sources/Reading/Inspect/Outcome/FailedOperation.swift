package import TapelineHAR
internal import TapelineHTTP
internal import TapelineBase

/// An operation that failed though its response came: a gRPC call with another status than OK, an operation of GraphQL with
/// `errors`, a call of JSON-RPC with an `error`.
package struct FailedOperation: Sendable, Hashable {
  /// The same for all failures of a kind: `gRPC 8 RESOURCE_EXHAUSTED`, `GraphQL error`, `JSON-RPC error -32601`.
  package let name: String
  /// In the words of the server; empty if it has none.
  package let message: String
  /// The number of a gRPC status.
  package let callStatus: Int?

  /// `nil` if no operation failed, or if the log has too little to say so.
  init?(_ entry: HAREntry) {
    if let status = CallStatus(entry) {
      guard status.number != 0 else { return nil }
      (name, message, callStatus) = ("gRPC \(status.text)", status.message, status.number)
      return
    }
    guard let error = OperationError(entry.request, entry.response) else { return nil }
    callStatus = nil
    switch error.language {
    case .graphQL: name = "GraphQL error"
    case .jsonRPC: name = error.code.map { "JSON-RPC error \($0)" } ?? "JSON-RPC error"
    }
    message = error.count > 1 ? "\(error.message) (the first of \(error.count) errors)" : error.message
  }
}

/// The status of a gRPC call ("gRPC over HTTP2", Status), from `_grpc`, or from the head of a response that has nothing else.
package struct CallStatus: Sendable, Hashable {
  package let number: Int
  /// `NOT_FOUND`; `nil` for a number that has no name.
  let name: String?
  /// Decoded.
  let message: String

  /// `nil` if the exchange was no call, or if the log does not say how it ended.
  package init?(_ entry: HAREntry) {
    let call = entry.custom[.grpc]
    if let number = call?["status"]?.integer {
      self.init(number, message: call?["message"]?.string ?? "")
    } else {
      guard let text = Self.field("grpc-status", of: entry.response), let number = Int(text) else { return nil }
      let message = Self.field("grpc-message", of: entry.response) ?? ""
      self.init(number, message: String(decoding: PercentEncoding.decode(message), as: UTF8.self))
    }
  }

  private init(_ number: Int, message: String) {
    self.number = number
    self.message = message
    name = UInt32(exactly: number).flatMap { GRPCStatus(rawValue: $0).name }
  }

  /// `5 NOT_FOUND`.
  var text: String { [String(number), name].compactMap(\.self).joined(separator: " ") }

  /// `NOT_FOUND`, or the number of a status without a name.
  package var outcome: String { name ?? String(number) }

  private static func field(_ name: String, of response: HARResponse) -> String? {
    response.headers.last { $0.name.isSameName(as: name) }?.value
  }
}
