/// What the proxy adds to messages of both directions.
package enum ForwardedFields {
  /// The version that was received, and our pseudonym (RFC 9110 7.6.3). A line of its own: lines that came are not changed.
  package static func appendVia(
    received version: HTTPVersion, by pseudonym: Pseudonym = .common, into output: inout [UInt8]
  ) {
    output.append(contentsOf: "Via: ".utf8)
    HeadSerializer.appendDecimal(UInt64(version.major), into: &output)
    output.append(UInt8(ascii: "."))
    HeadSerializer.appendDecimal(UInt64(version.minor), into: &output)
    output.append(Octet.space)
    output.append(contentsOf: pseudonym.text.utf8)
    HeadSerializer.appendEnd(into: &output)
  }
}
