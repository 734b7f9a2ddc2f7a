internal import TapelineText

extension Redactor {
  /// A body without its secrets; `nil` when it has none. Pictures, sound and fonts are not searched.
  mutating func redactedBody(_ body: Span<UInt8>, _ media: MediaType) -> [UInt8]? {
    guard !media.isMedia || body.looksLikeText else { return nil }
    var changed: [UInt8]?
    if media.isForm {
      let before = count
      var form: [UInt8] = []
      appendParameters(body, to: &form)
      if count > before { changed = form }
    } else if let boundary = media.boundary(of: body) {
      changed = redactedForm(body, boundary: boundary)
    }
    guard let changed else { return redacted(body) }
    return redacted(changed.span) ?? changed
  }

  /// A `multipart/form-data` body without the values of fields with secret names; `nil` when it has none.
  private mutating func redactedForm(_ body: Span<UInt8>, boundary: [UInt8]) -> [UInt8]? {
    var output: [UInt8] = []
    var end = 0
    var parts = MultipartParts(boundary: boundary)
    while let part = parts.next(in: body) {
      guard !part.content.isEmpty, part.fileName == nil, rules.names.contains(part.name.span) else { continue }
      output.append(bytes: body.extracting(end..<part.content.lowerBound))
      appendToken(of: body.extracting(part.content), to: &output)
      end = part.content.upperBound
    }
    guard end > 0 else { return nil }
    output.append(bytes: body.extracting(end..<body.count))
    return output
  }
}

extension Span<UInt8> {
  /// Whether a body labelled as a picture begins without control characters: then it is probably text with a wrong label.
  var looksLikeText: Bool {
    var controls = 0
    for index in indices.prefix(64) where self[index] < 0x20 && self[index] != 0x09 && self[index] != 0x0A && self[index] != 0x0D
    {
      controls += 1
    }
    return controls == 0 && count >= 4
  }
}
