/// The parts of a `multipart/form-data` body (RFC 7578, in the grammar of RFC 2046), where they lie.
struct MultipartForm {
  struct Part {
    var name: [UInt8] = []
    var fileName: [UInt8]?
    var contentType: [UInt8]?
    var content = 0..<0
  }

  /// More parts than this are not told apart.
  private static let most = 1_000

  private(set) var parts: [Part] = []

  init(_ body: Span<UInt8>, boundary: [UInt8]) {
    let delimiter = Array("--".utf8) + boundary
    guard !boundary.isEmpty, var place = body.first(delimiter: delimiter, from: 0) else { return }
    while parts.count < Self.most {
      let lineEnd = place + delimiter.count
      // Two dashes behind the last one.
      if body.matches("--", at: lineEnd) { return }
      guard let lineFeed = body.first(of: 0x0A, from: lineEnd) else { return }
      var (part, start) = Self.head(in: body, from: lineFeed + 1)
      let next = body.first(delimiter: delimiter, from: start)
      let end = next.map { body.endBeforeLineEnd($0) } ?? body.count
      part.content = start..<max(start, end)
      parts.append(part)
      guard let next else { return }
      place = next
    }
  }

  /// The fields of a part, and where its content begins.
  private static func head(in body: Span<UInt8>, from start: Int) -> (Part, Int) {
    var part = Part()
    var index = start
    while index < body.count {
      let lineFeed = body.first(of: 0x0A, from: index) ?? body.count
      let line = index..<body.endBeforeCarriageReturn(lineFeed, from: index)
      index = min(lineFeed + 1, body.count)
      if line.isEmpty { break }
      if body.starts(with: "content-disposition:", in: line) {
        let value = body.extracting(line)
        part.name = FieldParameters.value(of: "name", in: value) ?? []
        part.fileName = FieldParameters.value(of: "filename", in: value)
      } else if body.starts(with: "content-type:", in: line) {
        part.contentType = body.extracting(body.trimmedBlanks(line.lowerBound + 13..<line.upperBound)).array
      }
    }
    return (part, index)
  }
}

extension Span<UInt8> {
  /// Where `delimiter` next begins a line.
  fileprivate func first(delimiter: [UInt8], from start: Int) -> Int? {
    var index = start
    while let place = first(of: UInt8(ascii: "-"), from: index), place + delimiter.count <= count {
      let isLineStart = place == 0 || self[place - 1] == 0x0A
      if isLineStart, extracting(place..<place + delimiter.count).equals(delimiter) { return place }
      index = place + 1
    }
    return nil
  }

  private func equals(_ octets: [UInt8]) -> Bool {
    count == octets.count && ends(with: octets.span)
  }

  fileprivate func endBeforeLineEnd(_ end: Int) -> Int {
    guard end > 0, self[end - 1] == 0x0A else { return end }
    return endBeforeCarriageReturn(end - 1, from: 0)
  }

  fileprivate func endBeforeCarriageReturn(_ end: Int, from start: Int) -> Int {
    end > start && self[end - 1] == 0x0D ? end - 1 : end
  }
}
