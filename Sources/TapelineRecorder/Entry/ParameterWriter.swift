internal import TapelineHAR
internal import TapelineText

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
