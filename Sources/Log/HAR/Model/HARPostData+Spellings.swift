internal import TapelineBase

// HAR has `text` or `params`, and no word for bytes. Charles, Fiddler and Firebug write a form as `params` alone; Playwright and
// others mark base64 by `encoding`, as in a response, and our recorder by `_encoding`.

extension HARPostData {
  /// Whether `text` is in base64.
  package var isBase64: Bool {
    [HARMember.encoding.name, "encoding"].contains { custom[$0]?.string?.lowercased() == "base64" }
  }

  /// The fields of the form: `params`, or else what the text of a URL-encoded form says.
  package var fields: [HARPostParameter] {
    if let params, !params.isEmpty { return params }
    guard let text, !isBase64, MediaType(mimeType).essence == FormText.mediaType else { return params ?? [] }
    return FormText.fields(of: text[...]).map { HARPostParameter(name: $0, value: $1) }
  }
}

extension HARRequest {
  /// The text of the body: as the log has it, or else made of the form's fields. `nil` if the log has neither.
  package var bodyText: String? {
    guard let data = postData else { return nil }
    if let text = data.text, !text.isEmpty || data.unreadText > 0 { return text }
    let fields = data.fields
    return fields.isEmpty ? data.text : FormText.text(of: fields, contentType) ?? data.text
  }

  /// The type of the body. A header may have the boundary that `mimeType` lacks.
  private var contentType: MediaType {
    let types = [postData?.mimeType ?? ""] + headers.filter { $0.name.isSameName(as: "content-type") }.map(\.value)
    let known = types.map { MediaType($0) }.filter { !$0.isEmpty }
    return known.first { $0["boundary"] != nil } ?? known.first ?? MediaType("")
  }
}

/// Forms as bodies, and as queries of URLs.
package enum FormText {
  static let mediaType = "application/x-www-form-urlencoded"

  /// `nil` if the fields are not all of the body: the content of a file is missing, or the line between the parts is not known.
  fileprivate static func text(of fields: [HARPostParameter], _ type: MediaType) -> String? {
    guard type.essence.hasPrefix("multipart/") else {
      return fields.map { encoded($0.name, $0.value ?? "") }.joined(separator: "&")
    }
    guard let boundary = type["boundary"].map({ String(decoding: $0, as: UTF8.self) }),
      fields.allSatisfy({ $0.value != nil || $0.fileName == nil })
    else { return nil }
    return fields.map { part($0, boundary) }.joined() + "--\(boundary)--\r\n"
  }

  /// RFC 7578 4.2, with the escapes that browsers make.
  private static func part(_ field: HARPostParameter, _ boundary: String) -> String {
    let file = field.fileName.map { "; filename=\"\(escaped($0))\"" } ?? ""
    let type = field.contentType.map { "\r\nContent-Type: \($0)" } ?? ""
    let head = "Content-Disposition: form-data; name=\"\(escaped(field.name))\"\(file)\(type)"
    return "--\(boundary)\r\n\(head)\r\n\r\n\(field.value ?? "")\r\n"
  }

  private static func escaped(_ name: String) -> String {
    let escapes: [Unicode.Scalar: String] = ["\"": "%22", "\r": "%0D", "\n": "%0A"]
    return name.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
  }

  /// A field of a URL-encoded form.
  static func encoded(_ name: String, _ value: String) -> String {
    encoded(name) + "=" + encoded(value)
  }

  private static func encoded(_ text: String) -> String {
    PercentEncoding.encode(text, keeping: .formURLEncoded, isForm: true)
  }

  /// The decoded names and values of a URL-encoded form.
  package static func fields(of text: Substring) -> [(name: String, value: String)] {
    text.utf8.split(separator: UInt8(ascii: "&")).map { pair in
      let end = pair.firstIndex(of: Byte.equals) ?? pair.endIndex
      return (decoded(pair[..<end]), decoded(pair[end...].dropFirst()))
    }
  }

  private static func decoded(_ text: Substring.UTF8View) -> String {
    var bytes: [UInt8] = []
    PercentEncoding.append(decoding: text.span, isForm: true, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
