internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineRedaction
internal import TapelineBase

/// The URL of a request as HAR wants it: absolute, without userinfo and fragment, a URI by RFC 3986.
enum EntryURL {
  /// The bytes as they came, made absolute.
  ///
  /// - Parameter implied: where the connection leads, for a target that is not a whole URL; `nil` means `http` and the `Host`.
  static func text(of head: RequestHead, implied: ImpliedOrigin?) -> [UInt8] {
    switch head.target {
    case .absolute where implied != nil:
      var text = origin(of: head, implied)
      let path = text.count
      head.appendOriginForm(into: &text)
      // The origin form of OPTIONS without a path is `*`, which is not a path.
      if text[path] != UInt8(ascii: "/") { text.replaceSubrange(path..., with: [UInt8(ascii: "/")]) }
      return text
    case .absolute(let target):
      var text: [UInt8] = []
      target.appendSanitized(into: &text)
      // A URL always has a path.
      if !target.hasPath { text.insert(UInt8(ascii: "/"), at: authorityEnd(of: text)) }
      return text
    case .authority(let host, let port):
      return Array("https://\(Authority.text(host: host, port: port))/".utf8)
    case .origin:
      var text = origin(of: head, implied)
      head.appendOriginForm(into: &text)
      return text
    case .asterisk:
      return origin(of: head, implied) + [UInt8(ascii: "/")]
    }
  }

  private static func origin(of head: RequestHead, _ implied: ImpliedOrigin?) -> [UInt8] {
    // The `Host` is only the client's claim; the connection's destination is known.
    let authority = implied?.authority ?? head.fields.first(of: .host) ?? "invalid.invalid"
    let scheme = implied?.scheme.text ?? "http"
    var text: [UInt8] = []
    // With room for a path.
    text.reserveCapacity(scheme.utf8.count + authority.utf8.count + 64)
    text.append(bytes: scheme.utf8.span)
    text.append(contentsOf: "://".utf8)
    text.append(bytes: authority.utf8.span)
    return text
  }

  /// Appends `,"url":…,"queryString":[…]`.
  static func appendMembers(of url: [UInt8], to writer: inout JSONWriter) {
    writer.append(json: #","url":"#)
    append(encoded: url, to: &writer)
    writer.append(json: #","queryString":["#)
    if let mark = url.firstIndex(of: UInt8(ascii: "?")) {
      ParameterWriter.append(url.span.extracting(mark + 1..<url.count), to: &writer)
    }
    writer.append(byte: UInt8(ascii: "]"))
  }

  /// Appends `url` as a JSON string and percent-encodes every byte that a URI must not contain.
  static func append(encoded url: [UInt8], to writer: inout JSONWriter) {
    let plain = Self.plain
    guard let first = url.firstIndex(where: { !plain.contains($0) }) else {
      if !writer.append(utf8: url.span) { preconditionFailure("plain bytes of a URI are ASCII") }
      return
    }
    var encoded = Array(url[..<first])
    let authorityEnd = authorityEnd(of: url)
    for index in first..<url.count {
      let byte = url[index]
      let isBracketOfHost = index < authorityEnd && (byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]"))
      let isEscape = byte == Byte.percent && PercentEncoding.isEscape(in: url.span, at: index)
      if plain.contains(byte) || isBracketOfHost || isEscape {
        encoded.append(byte)
      } else {
        PercentEncoding.append(encoded: byte, to: &encoded)
      }
    }
    if !writer.append(utf8: encoded.span) { preconditionFailure("an encoded URI is ASCII") }
  }

  /// Unreserved and reserved characters (RFC 3986, 2.2 and 2.3), except the brackets, which only a host may contain.
  private static let plain = ByteSet.unreserved.union(":/?@!$&'()*+,;=")

  /// The start of the path.
  static func authorityEnd(of url: [UInt8]) -> Int {
    URIRanges(url.span).path.lowerBound
  }
}

/// Writes `a=1&b=2` as the elements of `queryString` or `params`, decoded.
enum ParameterWriter {
  static func append(_ text: Span<UInt8>, to writer: inout JSONWriter) {
    var decoded: [UInt8] = []
    var isFirst = true
    var start = 0
    while start < text.count {
      let end = text.first(of: UInt8(ascii: "&"), from: start) ?? text.count
      if end > start {
        // Searched in this part only: there may be very many parts without `=`.
        let equals = text.extracting(start..<end).first(of: UInt8(ascii: "=")).map { start + $0 } ?? end
        writer.append(json: isFirst ? #"{"name":"# : #",{"name":"#)
        append(decoding: text.extracting(start..<equals), using: &decoded, to: &writer)
        writer.append(json: #","value":"#)
        append(decoding: text.extracting(min(equals + 1, end)..<end), using: &decoded, to: &writer)
        writer.append(byte: UInt8(ascii: "}"))
        isFirst = false
      }
      start = end + 1
    }
  }

  private static func append(decoding text: Span<UInt8>, using decoded: inout [UInt8], to writer: inout JSONWriter) {
    decoded.removeAll(keepingCapacity: true)
    PercentEncoding.append(decoding: text, isForm: true, to: &decoded)
    writer.append(text: decoded.span)
  }

  /// Writes the parts of a form as the elements of `params`. Only the body's text has the content of a file; its `value` is
  /// present all the same, because har2tree rejects logs without it.
  static func append(_ form: MultipartForm, of body: Span<UInt8>, to writer: inout JSONWriter) {
    for (index, part) in form.parts.enumerated() {
      writer.append(json: index == 0 ? #"{"name":"# : #",{"name":"#)
      writer.append(text: part.name.span)
      writer.append(json: #","value":"#)
      if let fileName = part.fileName {
        writer.append(json: #""","fileName":"#)
        writer.append(text: fileName.span)
      } else {
        writer.append(text: body.extracting(part.content))
      }
      if let contentType = part.contentType {
        writer.append(json: #","contentType":"#)
        writer.append(text: contentType.span)
      }
      writer.append(byte: UInt8(ascii: "}"))
    }
  }
}
