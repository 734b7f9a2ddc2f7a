/// How an input is split into pieces.
enum Segmentation: CustomStringConvertible {
  case whole
  case byteByByte
  case halves(Int)

  /// The segmentations to compare with the whole input. The bytes decide the place of the cut, so inputs need no room for it.
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
