internal import TapelineBase

/// How the content of a call is framed, by its `Content-Type`.
package enum GRPCFormat: Hashable, Sendable {
  /// `application/grpc`.
  case http2
  /// `application/grpc-web`: trailers are the last frame of the content.
  case web
  /// `application/grpc-web-text`: the same in base64, in pieces that each may have padding.
  case webText

  /// `nil` when the message does not belong to a call. Reads the bytes in place: every exchange is asked.
  package init?(of fields: borrowing HeaderFields) {
    guard let index = fields.firstIndex(of: .contentType) else { return nil }
    let bytes = fields.bytes
    let value = bytes.span.extracting(fields.valueRange(at: index))
    if Self.isType(value, "application/grpc") {
      self = .http2
    } else if Self.isType(value, "application/grpc-web") {
      self = .web
    } else if Self.isType(value, "application/grpc-web-text") {
      self = .webText
    } else {
      return nil
    }
  }

  /// Whether the media type has this name, in any case, with or without a suffix and parameters.
  private static func isType(_ value: Span<UInt8>, _ name: StaticString) -> Bool {
    let end = name.utf8CodeUnitCount
    guard value.starts(with: name, in: value.indices) else { return false }
    return end == value.count || value[end] == UInt8(ascii: "+") || value[end] == UInt8(ascii: ";") || Byte.isBlank(value[end])
  }
}
