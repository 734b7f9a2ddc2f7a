package import TapelineHAR
internal import TapelineRedaction
internal import TapelineBase
internal import TapelineTime

/// Writes the elements of `cookies` from the values of `Cookie` and `Set-Cookie` lines (RFC 6265).
///
/// A comma is written before every element except the first of the array.
package enum CookieWriter {
  /// The pairs of one `Cookie` line.
  package static func append(cookies value: Span<UInt8>, to writer: inout JSONWriter) {
    var start = 0
    while start < value.count {
      let end = value.first(of: UInt8(ascii: ";"), from: start) ?? value.count
      let pair = value.trimmed(start..<end)
      if !pair.isEmpty {
        begin(value, pair, to: &writer)
        writer.append(byte: UInt8(ascii: "}"))
      }
      start = end + 1
    }
  }

  /// The cookie of one `Set-Cookie` line, with its attributes.
  package static func append(setCookie value: Span<UInt8>, to writer: inout JSONWriter) {
    var end = value.first(of: UInt8(ascii: ";")) ?? value.count
    begin(value, value.trimmed(0..<end), to: &writer)
    var attributes = Attributes()
    while end < value.count {
      let start = end + 1
      end = value.first(of: UInt8(ascii: ";"), from: start) ?? value.count
      attributes.read(value, in: value.trimmed(start..<end))
    }
    attributes.append(from: value, to: &writer)
    writer.append(byte: UInt8(ascii: "}"))
  }

  /// `name=value`; a pair without `=` is a value without a name (RFC 6265bis, 5.6).
  private static func begin(_ value: Span<UInt8>, _ pair: Range<Int>, to writer: inout JSONWriter) {
    let equals = value.extracting(pair).first(of: UInt8(ascii: "=")).map { $0 + pair.lowerBound }
    let name = value.trimmed(pair.lowerBound..<(equals ?? pair.lowerBound))
    let content = value.trimmed((equals.map { $0 + 1 } ?? pair.lowerBound)..<pair.upperBound)
    if !writer.ends(with: UInt8(ascii: "[")) { writer.append(byte: UInt8(ascii: ",")) }
    writer.append(json: #"{"name":"#)
    writer.append(text: value.extracting(name))
    writer.append(json: #","value":"#)
    writer.append(text: value.extracting(content))
  }

  /// The positions of the attributes that HAR has members for. The last attribute of a name counts.
  private struct Attributes {
    private var path: Range<Int>?
    private var domain: Range<Int>?
    private var expires: CivilDate?
    private var sameSite: Range<Int>?
    private var isHTTPOnly = false
    private var isSecure = false

    mutating func read(_ value: Span<UInt8>, in attribute: Range<Int>) {
      let equals = value.extracting(attribute).first(of: UInt8(ascii: "=")).map { $0 + attribute.lowerBound }
      let name = value.trimmed(attribute.lowerBound..<(equals ?? attribute.upperBound))
      let content = value.trimmed((equals.map { $0 + 1 } ?? attribute.upperBound)..<attribute.upperBound)
      if value.equals("path", in: name) {
        path = content
      } else if value.equals("domain", in: name) {
        domain = content
      } else if value.equals("expires", in: name) {
        expires = CivilDate(lenientHTTPDate: value.extracting(content))
      } else if value.equals("samesite", in: name) {
        sameSite = content
      } else if value.equals("httponly", in: name) {
        isHTTPOnly = true
      } else if value.equals("secure", in: name) {
        isSecure = true
      }
    }

    func append(from value: Span<UInt8>, to writer: inout JSONWriter) {
      if let path {
        writer.append(json: #","path":"#)
        writer.append(text: value.extracting(path))
      }
      if let domain {
        writer.append(json: #","domain":"#)
        writer.append(text: value.extracting(domain))
      }
      if let expires {
        writer.append(json: #","expires":""#)
        writer.append(json: Array(expires.text.utf8).span)
        writer.append(json: #".000Z""#)
      }
      writer.append(json: isHTTPOnly ? #","httpOnly":true"# : #","httpOnly":false"#)
      writer.append(json: isSecure ? #","secure":true"# : #","secure":false"#)
      if let sameSite {
        writer.append(json: #","sameSite":"#)
        writer.append(text: value.extracting(sameSite))
      }
    }
  }
}
