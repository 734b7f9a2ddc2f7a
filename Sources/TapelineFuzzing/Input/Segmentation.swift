/// How an input is cut into the pieces in which it comes.
enum Segmentation: CustomStringConvertible {
  case whole
  case byteByByte
  case halves(Int)

  /// What a reading is compared with the whole one for. The place of the cut follows from the bytes, so that inputs need no room for it.
  static func all(of input: [UInt8]) -> [Segmentation] {
    [.byteByByte, .halves(Int(SeededRandom.hash(of: input) % UInt64(input.count + 1)))]
  }

  func pieces(of count: Int) -> [Range<Int>] {
    switch self {
    case .whole: [0..<count]
    case .byteByByte: (0..<count).map { $0..<$0 + 1 }
    case .halves(let cut): [0..<cut, cut..<count]
    }
  }

  var description: String {
    switch self {
    case .whole: "in one piece"
    case .byteByByte: "byte by byte"
    case .halves(let cut): "cut at \(cut)"
    }
  }
}
