/// Which rows of a block meet a condition. A text is tested once for all rows that have it.
struct IndexedRows {
  private let index: CaptureIndex
  private let block: CaptureIndex.Block
  private let file: String

  /// - Parameter file: the name of the capture.
  init(_ index: CaptureIndex, _ block: CaptureIndex.Block, file: String) {
    self.index = index
    self.block = block
    self.file = file
  }

  /// One value for each row. Every field of the condition is in the index.
  func matching(_ expression: QueryExpression) throws(CaptureIndex.Damage) -> [Bool] {
    switch expression {
    case .both(let left, let right): zip(try matching(left), try matching(right)).map { $0 && $1 }
    case .either(let left, let right): zip(try matching(left), try matching(right)).map { $0 || $1 }
    case .not(let inner): try matching(inner).map { !$0 }
    case .holds(let field, let test): try matching(field, test)
    case .compares(let comparison):
      zip(try values(of: comparison.left), try values(of: comparison.right)).map { comparison.holds($0, $1) }
    }
  }

  /// A value for each row.
  private func values(of field: QueryField) throws(CaptureIndex.Damage) -> [QueryValue] {
    guard case .known(let known) = field.source else { preconditionFailure("the field is not in an index") }
    if known == .number { return (block.first..<block.first + block.rows).map { .number(Double($0)) } }
    if known == .file || known == .directory {
      return [QueryValue](repeating: .text(known == .file ? file : directoryPart(of: file)), count: block.rows)
    }
    let column = IndexColumn.field(known)
    guard column.isText else {
      let isFlag = known.kind == .flag
      return try index.numbers(column, in: block).values.map { $0.isNaN ? .absent : isFlag ? .flag($0 != 0) : .number($0) }
    }
    let texts = try index.texts(column, in: block)
    return (0..<block.rows).map { texts[$0] }
  }

  private func matching(_ field: QueryField, _ test: QueryTest) throws(CaptureIndex.Damage) -> [Bool] {
    guard case .known(let known) = field.source else { preconditionFailure("the field is not in an index") }
    if known == .number { return (block.first..<block.first + block.rows).map { test.holds(for: .number(Double($0))) } }
    if known == .file || known == .directory {
      let name = known == .file ? file : directoryPart(of: file)
      return [Bool](repeating: test.holds(for: .text(name)), count: block.rows)
    }
    let column = IndexColumn.field(known)
    guard column.isText else {
      let isFlag = known.kind == .flag
      return try index.numbers(column, in: block).values.map { number in
        test.holds(for: number.isNaN ? .absent : isFlag ? .flag(number != 0) : .number(number))
      }
    }
    let texts = try index.texts(column, in: block)
    let results = (0..<texts.count).map { test.holds(for: texts.value(at: $0)) }
    return texts.places.map { results[Int($0)] }
  }
}
