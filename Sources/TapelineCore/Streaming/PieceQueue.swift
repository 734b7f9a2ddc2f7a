/// First in, first out, in constant time on average however long it gets.
struct PieceQueue<Piece> {
  private var incoming: [Piece] = []
  /// Oldest last.
  private var outgoing: [Piece] = []

  mutating func append(_ piece: Piece) {
    incoming.append(piece)
  }

  /// Puts back the piece that was taken last.
  mutating func putBack(_ piece: Piece) {
    outgoing.append(piece)
  }

  mutating func popFirst() -> Piece? {
    if outgoing.isEmpty {
      outgoing = incoming.reversed()
      incoming = []
    }
    return outgoing.popLast()
  }

  /// All that is left, oldest first.
  mutating func takeAll() -> [Piece] {
    defer { self = PieceQueue() }
    return outgoing.reversed() + incoming
  }
}

extension PieceQueue: Sendable where Piece: Sendable {}
