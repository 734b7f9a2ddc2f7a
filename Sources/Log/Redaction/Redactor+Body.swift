package import TapelineBase

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
    } else {
      changed = redactedTable(body)
    }
    guard let changed else { return redacted(body) }
    return redacted(changed.span) ?? changed
  }

  /// A `multipart/form-data` body without the values of fields with secret names; `nil` when it has none.
  private mutating func redactedForm(_ body: Span<UInt8>, boundary: [UInt8]) -> [UInt8]? {
    var output: [UInt8] = []
    var end = 0
    var parts = MultipartParts(boundary: boundary)
    var hasParts = false
    while let part = parts.next(in: body) {
      hasParts = true
      guard !part.content.isEmpty else { continue }
      let isCard = CardNumber.range(at: 0, in: body.extracting(part.content))?.count == part.content.count
      guard isCard || rules.names.strength(ofEscaped: part.name.span) == .sure else { continue }
      output.append(bytes: body.extracting(end..<part.content.lowerBound))
      appendToken(of: body.extracting(part.content), to: &output)
      end = part.content.upperBound
    }
    if !hasParts, body.matches("--", at: 0) {
      // The label has another delimiter than the body.
      let own = [UInt8](copying: body.extracting(body.trimmed(2..<body.endOfLine(from: 2))))
      return own.isEmpty || own == boundary ? nil : redactedForm(body, boundary: own)
    }
    guard end > 0 else { return nil }
    output.append(bytes: body.extracting(end..<body.count))
    return output
  }

  /// A table (RFC 4180) without the values of columns with secret names; `nil` when it is none, or has no such column.
  private mutating func redactedTable(_ body: Span<UInt8>) -> [UInt8]? {
    // The first bytes tell of nearly all bodies that they are none.
    guard SecretColumns.begin(body) else { return nil }
    let headEnd = body.extracting(0..<min(body.count, Self.longestTableHead + 1)).endOfLine(from: 0)
    guard headEnd < body.count, headEnd <= Self.longestTableHead,
      let table = SecretColumns(body.extracting(0..<headEnd), rules.names)
    else { return nil }
    var output: [UInt8] = []
    var (end, column, place) = (0, 0, headEnd)
    while place < body.count {
      switch body[place] {
      case 0x0A, 0x0D:
        column = 0
        place += 1
      case table.separator:
        column += 1
        place += 1
      default:
        let quote = Quote(beginningAt: place, in: body).flatMap { $0.mark == UInt8(ascii: "\"") && $0.level == 0 ? $0 : nil }
        let value =
          quote?.content(from: place, in: body)
          ?? place..<body.end(of: { $0 != table.separator && $0 != 0x0A && $0 != 0x0D }, from: place)
        place = min(value.upperBound + (quote?.size ?? 0), body.count)
        guard table.columns.contains(column), !value.isEmpty else { continue }
        output.append(bytes: body.extracting(end..<value.lowerBound))
        appendToken(of: body.extracting(value), to: &output)
        end = value.upperBound
      }
    }
    guard end > 0 else { return nil }
    output.append(bytes: body.extracting(end..<body.count))
    return output
  }

  private static let longestTableHead = 4096
}

/// The columns of a table whose names are secret.
private struct SecretColumns {
  let separator: UInt8
  private(set) var columns: Set<Int> = []

  private static let longestName = 64

  /// Whether a text begins with a name and a separator.
  static func begin(_ text: Span<UInt8>) -> Bool {
    separator(in: text.extracting(0..<min(text.count, longestName + 1))) != nil
  }

  private static func separator(in head: Span<UInt8>) -> UInt8? {
    let first = separators.firstMember(of: head, from: 0)
    guard first > 0, first < head.count, head.end(of: ofNames.contains, from: 0) == first else { return nil }
    return head[first]
  }

  private static let separators = ByteTable(",;\t".utf8)
  private static let ofNames = ByteSet.alphanumeric.union("_- .\"")

  /// `nil` when a line is no head of a table, or has no secret name.
  init?(_ head: Span<UInt8>, _ names: SecretNames) {
    guard let separator = Self.separator(in: head) else { return nil }
    self.separator = separator
    var (start, column) = (0, 0)
    while start <= head.count {
      let end = head.end(of: Self.ofNames.contains, from: start)
      guard end == head.count || head[end] == separator else { return nil }
      var name = head.trimmed(start..<end)
      if name.count > 1, head[name.lowerBound] == UInt8(ascii: "\"") { name = name.lowerBound + 1..<name.upperBound - 1 }
      if names.contains(head.extracting(name)) { columns.insert(column) }
      column += 1
      start = end + 1
    }
    if columns.isEmpty { return nil }
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
