package import TapelineText

extension Redactor {
  /// A body without its secrets; `nil` when it has none. Pictures, sound and fonts are not searched.
  package mutating func redactedBody(_ body: Span<UInt8>, _ media: MediaType) -> [UInt8]? {
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

/// Counts the content of a log that could not be searched for secrets.
package struct UnseenContent: Sendable, Hashable {
  /// Bodies with a coding that could not be undone.
  package var undecoded = 0
  /// WebSocket messages whose compression could not be undone.
  package var compressedMessages = 0
  /// Archives and other compressed files.
  package var archives = 0
  /// Pictures, sound, video and fonts.
  package var media = 0
  /// Files with bodies that are missing or were changed.
  package var missingFiles = 0

  package init() {}

  /// A description for people; empty when everything was searched.
  package var text: String {
    [
      Self.text(undecoded, "body that cannot be decoded", "bodies that cannot be decoded"),
      Self.text(compressedMessages, "compressed message", "compressed messages"), Self.text(archives, "archive", "archives"),
      Self.text(media, "picture, sound or font", "pictures, sounds and fonts"),
      Self.text(missingFiles, "missing file with a body", "missing files with bodies"),
    ].compactMap(\.self).joined(separator: ", ")
  }

  private static func text(_ count: Int, _ one: String, _ many: String) -> String? {
    count == 0 ? nil : Count.text(count, one, many)
  }

  mutating func count(_ body: Span<UInt8>, _ media: MediaType) {
    if Self.isArchive(body) {
      archives += 1
    } else if media.isMedia, !body.isEmpty, !body.looksLikeText {
      self.media += 1
    }
  }

  private static let beginnings: [[UInt8]] = [
    [0x1F, 0x8B], [0x50, 0x4B, 0x03, 0x04], [0x28, 0xB5, 0x2F, 0xFD], [0xFD, 0x37, 0x7A, 0x58, 0x5A], Array("BZh".utf8),
    [0x37, 0x7A, 0xBC, 0xAF], Array("Rar!".utf8), Array("%PDF-".utf8),
  ]

  private static func isArchive(_ body: Span<UInt8>) -> Bool {
    beginnings.contains { beginning in body.extracting(first: beginning.count).ends(with: beginning.span) }
  }
}
