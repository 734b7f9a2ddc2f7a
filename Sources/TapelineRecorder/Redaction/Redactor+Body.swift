extension Redactor {
  /// A body without its secrets; `nil` when it has none. Pictures, sound and fonts are not looked into.
  mutating func redactedBody(_ body: Span<UInt8>, _ media: MediaType) -> [UInt8]? {
    guard !media.isMedia else { return nil }
    var changed: [UInt8]?
    if media.isForm {
      let before = count
      var form: [UInt8] = []
      appendParameters(body, to: &form)
      if count > before { changed = form }
    } else if let boundary = media.boundary {
      changed = redactedForm(body, boundary: boundary)
    }
    guard let changed else { return redacted(body) }
    return redacted(changed.span) ?? changed
  }

  /// A `multipart/form-data` body without the values of fields with secret names; `nil` when it has none.
  private mutating func redactedForm(_ body: Span<UInt8>, boundary: [UInt8]) -> [UInt8]? {
    let secrets = MultipartForm(body, boundary: boundary).parts.filter { part in
      !part.content.isEmpty && part.fileName == nil && rules.names.contains(part.name.span)
    }
    guard !secrets.isEmpty else { return nil }
    var output: [UInt8] = []
    output.reserveCapacity(body.count + 64)
    var end = 0
    for part in secrets {
      output.append(body.extracting(end..<part.content.lowerBound))
      appendToken(of: body.extracting(part.content), to: &output)
      end = part.content.upperBound
    }
    output.append(body.extracting(end..<body.count))
    return output
  }
}
