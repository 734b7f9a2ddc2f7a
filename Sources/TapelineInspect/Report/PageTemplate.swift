/// A text with named places, written `{{name}}`.
struct PageTemplate: Sendable {
  private enum Piece: Hashable, Sendable {
    case text(ArraySlice<UInt8>)
    case place(String)
  }

  private let pieces: [Piece]

  init(_ text: [UInt8]) {
    var pieces: [Piece] = []
    var rest = text[...]
    while let opening = rest.firstRange(of: "{{".utf8), let closing = rest[opening.upperBound...].firstRange(of: "}}".utf8) {
      pieces.append(.text(rest[..<opening.lowerBound]))
      pieces.append(.place(String(decoding: rest[opening.upperBound..<closing.lowerBound], as: UTF8.self)))
      rest = rest[closing.upperBound...]
    }
    pieces.append(.text(rest))
    self.pieces = pieces
  }

  /// The text before `place`, with the places in it filled.
  func text(upTo place: String, _ fill: (String) -> [UInt8]) -> [UInt8] {
    Self.text(of: pieces[..<index(of: place)], fill)
  }

  /// The text after `place`, with the places in it filled.
  func text(after place: String, _ fill: (String) -> [UInt8]) -> [UInt8] {
    Self.text(of: pieces[(index(of: place) + 1)...], fill)
  }

  private func index(of place: String) -> Int {
    guard let index = pieces.firstIndex(of: .place(place)) else {
      preconditionFailure("the template has no place named \(place)")
    }
    return index
  }

  private static func text(of pieces: ArraySlice<Piece>, _ fill: (String) -> [UInt8]) -> [UInt8] {
    pieces.flatMap { piece in
      switch piece {
      case .text(let text): Array(text)
      case .place(let name): fill(name)
      }
    }
  }
}
