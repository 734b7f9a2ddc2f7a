internal import TapelineSystem
package import TapelineBase

/// The positions of the parts of a `multipart/form-data` body (RFC 7578, in the grammar of RFC 2046).
package struct MultipartForm {
  package struct Part {
    package internal(set) var name: [UInt8] = []
    package internal(set) var fileName: [UInt8]?
    package internal(set) var contentType: [UInt8]?
    package internal(set) var content = 0..<0
  }

  /// Further parts are ignored.
  private static let most = 1_000

  package private(set) var parts: [Part] = []

  package init(_ body: Span<UInt8>, boundary: [UInt8]) {
    var all = MultipartParts(boundary: boundary)
    while parts.count < Self.most, let part = all.next(in: body) { parts.append(part) }
  }
}

extension MediaType {
  /// The delimiter between the parts of a form, as the header names it, or else the first line of the body; `nil` when the body
  /// is not a form (RFC 7578).
  package func boundary(of body: Span<UInt8>) -> [UInt8]? {
    guard isMultipartForm else { return nil }
    if let boundary = self["boundary"] { return boundary }
    guard body.matches("--", at: 0) else { return nil }
    return [UInt8](copying: body.extracting(body.trimmed(2..<body.endOfLine(from: 2))))
  }
}

/// The parts of a form, one after the other.
struct MultipartParts {
  private let delimiter: [UInt8]
  /// The delimiter before the next part; `nil` when no part is left.
  private var place: Int?
  private var hasBegun = false

  init(boundary: [UInt8]) {
    delimiter = boundary.isEmpty ? [] : Array("--".utf8) + boundary
  }

  /// Every call must pass the same body.
  mutating func next(in body: Span<UInt8>) -> MultipartForm.Part? {
    guard !delimiter.isEmpty else { return nil }
    if !hasBegun {
      place = body.first(delimiter: delimiter, from: 0)
      hasBegun = true
    }
    guard let start = place else { return nil }
    place = nil
    let lineEnd = start + delimiter.count
    // The last delimiter ends with two dashes.
    guard !body.matches("--", at: lineEnd), let lineFeed = body.first(of: 0x0A, from: lineEnd) else { return nil }
    var (part, contentStart) = Self.head(in: body, from: lineFeed + 1)
    place = body.first(delimiter: delimiter, from: contentStart)
    let end = place.map { body.endBeforeLineEnd($0) } ?? body.count
    part.content = contentStart..<max(contentStart, end)
    return part
  }

  /// The name in the notation of RFC 8187, which RFC 7578 4.2 forbids and some senders use.
  private static func extendedName(in value: Span<UInt8>) -> [UInt8] {
    guard let name = FieldParameters.value(of: "name*", in: value) else { return [] }
    let start = name.lastIndex(of: UInt8(ascii: "'")).map { $0 + 1 } ?? 0
    return EscapedText.unescaped(name.span.extracting(start..<name.count))
  }

  /// The fields of a part, and the start of its content.
  private static func head(in body: Span<UInt8>, from start: Int) -> (MultipartForm.Part, Int) {
    var part = MultipartForm.Part()
    var index = start
    while index < body.count {
      let lineFeed = body.first(of: 0x0A, from: index) ?? body.count
      let line = index..<body.endBeforeCarriageReturn(lineFeed, from: index)
      index = min(lineFeed + 1, body.count)
      if line.isEmpty { break }
      if body.starts(with: "content-disposition:", in: line) {
        let value = body.extracting(line)
        part.name = FieldParameters.value(of: "name", in: value) ?? extendedName(in: value)
        part.fileName = FieldParameters.value(of: "filename", in: value)
      } else if body.starts(with: "content-type:", in: line) {
        part.contentType = [UInt8](copying: body.extracting(body.trimmed(line.lowerBound + 13..<line.upperBound)))
      }
    }
    return (part, index)
  }
}
