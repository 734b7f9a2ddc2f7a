internal import TapelineText

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
    count == 0 ? nil : "\(count) \(count == 1 ? one : many)"
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
