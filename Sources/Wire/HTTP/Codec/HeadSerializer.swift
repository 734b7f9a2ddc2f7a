internal import TapelineBase

/// Appends the parts of a head to the output. It writes what it is given: the callers apply the rules.
package enum HeadSerializer {
  /// A status line with our own version. The space after the status is sent even without a reason (RFC 9112 4).
  package static func appendStatusLine(status: Int, reason: String? = nil, into output: inout [UInt8]) {
    let reason = reason ?? HTTPStatus.reasonPhrase(for: status)
    precondition(!reason.utf8.contains { $0 < Byte.space && $0 != Byte.tab }, "a reason of our own holds no control byte")
    appendStatus(status, into: &output)
    output.append(bytes: reason.utf8.span)
    appendEnd(into: &output)
  }

  /// A field of our own. The caller is responsible for its syntax.
  package static func appendField(name: String, value: String, into output: inout [UInt8]) {
    output.append(contentsOf: name.utf8)
    output.append(Byte.colon)
    output.append(Byte.space)
    output.append(contentsOf: value.utf8)
    appendEnd(into: &output)
  }

  /// The line at `index`: name and value byte by byte, with the standard separator.
  package static func appendField(_ fields: HeaderFields, at index: Int, into output: inout [UInt8]) {
    output.append(fields.nameRange(at: index), of: fields.bytes)
    output.append(Byte.colon)
    output.append(Byte.space)
    output.append(fields.valueRange(at: index), of: fields.bytes)
    appendEnd(into: &output)
  }

  /// Bytes of a line end.
  static let endSize = 2

  /// A line end; after the last field, it ends the head.
  package static func appendEnd(into output: inout [UInt8]) {
    output.append(Byte.carriageReturn)
    output.append(Byte.lineFeed)
  }

  /// `HTTP/1.1`, the status and the spaces around it.
  static func appendStatus(_ status: Int, into output: inout [UInt8]) {
    precondition((100...999).contains(status), "a status has three digits and does not begin with 0")
    output.append(bytes: "HTTP/1.1 ".utf8.span)
    appendDecimal(UInt64(status), into: &output)
    output.append(Byte.space)
  }

  static func appendDecimal(_ number: UInt64, into output: inout [UInt8]) {
    if number >= 10 { appendDecimal(number / 10, into: &output) }
    output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
  }
}
