internal import TapelineBase

/// The result of a gRPC call, as `grpc-status` says it ("gRPC over HTTP2", Status).
package struct GRPCStatus: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Reads the field's value: a decimal number.
  package init?(fieldValue: Span<UInt8>) {
    guard !fieldValue.isEmpty else { return nil }
    var number: UInt32 = 0
    for index in fieldValue.indices {
      guard Byte.isDigit(fieldValue[index]) else { return nil }
      let (shifted, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflows) = shifted.addingReportingOverflow(UInt32(fieldValue[index] - UInt8(ascii: "0")))
      guard !isTooLarge, !overflows else { return nil }
      number = sum
    }
    rawValue = number
  }

  /// As gRPC spells it; `nil` for a number that has no name.
  package var name: String? {
    Self.names.indices.contains(Int(rawValue)) ? Self.names[Int(rawValue)] : nil
  }

  /// A status by its name.
  package init?(name: String) {
    guard let number = Self.names.firstIndex(of: name) else { return nil }
    rawValue = UInt32(number)
  }

  /// By their numbers.
  package static let names = [
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED",
  ]
}
