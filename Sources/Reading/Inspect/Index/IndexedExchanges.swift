internal import TapelineBase

/// Exchanges of a block of an index, as the statistics see them: a column for each figure, with a value for each exchange that is
/// counted.
final class IndexedExchanges {
  /// The place of each exchange in its file, from 1.
  let numbers: [Int]
  /// Not a number where the log has none.
  let totals: [Double]
  let statuses: [Int]
  /// Not a number where the log has none.
  let requestOverheads: [Double]
  let responseOverheads: [Double]
  fileprivate let sent: [Int]
  fileprivate let received: [Int]
  fileprivate let failed: [Bool]
  fileprivate let ended: [Bool]
  let courses: [ExchangeCourse]
  /// By the phase's number.
  private let phases: [[Double]]
  /// Where each exchange is in the block.
  fileprivate let rows: [Int]
  fileprivate let texts: RareTexts

  /// - Parameter rows: the exchanges to count, by their places in the block.
  init(_ index: CaptureIndex, _ block: CaptureIndex.Block, rows: [Int]) throws(CaptureIndex.Damage) {
    let isWhole = rows.count == block.rows
    func chosen<Value>(_ values: [Value]) -> [Value] { isWhole ? values : rows.map { values[$0] } }
    func numbers(_ column: IndexColumn) throws(CaptureIndex.Damage) -> [Double] {
      chosen(try index.numbers(column, in: block).values)
    }
    func sizes(_ field: QueryField.Known) throws(CaptureIndex.Damage) -> [Int] {
      try numbers(.field(field)).map { $0.isNaN ? 0 : Int(saturating: $0) }
    }
    func presence(_ column: IndexColumn) throws(CaptureIndex.Damage) -> [Bool] {
      let texts = try index.texts(column, in: block)
      let results = (0..<texts.count).map { texts.value(at: $0) != .absent }
      return chosen(texts.places).map { results[Int($0)] }
    }
    self.rows = rows
    self.numbers = rows.map { block.first + $0 }
    totals = try numbers(.field(.total))
    statuses = try sizes(.status)
    requestOverheads = try numbers(.fact(.requestOverhead))
    responseOverheads = try numbers(.fact(.responseOverhead))
    sent = try sizes(.requestSize)
    received = try sizes(.responseSize)
    failed = try presence(.fact(.failure))
    ended = try presence(.field(.ended))
    courses = try numbers(.fact(.course)).map { ExchangeCourse(rawValue: Int(saturating: $0)) ?? .answered }
    phases = try Phase.allCases.map { (phase) throws(CaptureIndex.Damage) in try numbers(.field(phase.field)) }
    texts = RareTexts(index, block)
  }

  /// How many exchanges are counted.
  var count: Int { rows.count }

  /// The durations of a phase; not a number where there was none.
  subscript(phase: Phase) -> [Double] { phases[phase.rawValue] }

  subscript(place: Int) -> Exchange { Exchange(columns: self, place: place) }

  /// Whether a text could not be read.
  var isDamaged: Bool { texts.isDamaged }

  struct Exchange: CountedExchange {
    fileprivate let columns: IndexedExchanges
    fileprivate let place: Int

    var hasFailed: Bool { columns.failed[place] }
    var course: ExchangeCourse { columns.courses[place] }
    var isEnded: Bool { columns.ended[place] }
    var sentBytes: Int { columns.sent[place] }
    var receivedBytes: Int { columns.received[place] }
    var total: Double? { columns.totals[place].isNaN ? nil : columns.totals[place] }
    var status: Int { columns.statuses[place] }
    var requestOverhead: Double? { columns.requestOverheads[place] }
    var responseOverhead: Double? { columns.responseOverheads[place] }

    var durations: PhaseDurations {
      var durations = PhaseDurations()
      for phase in Phase.allCases {
        let duration = columns[phase][place]
        if !duration.isNaN { durations[phase] = duration }
      }
      return durations
    }

    var statusLine: String { CountedEntry.statusLine(status, text(.field(.statusText))) }
    var failure: String { text(.fact(.failure)) }
    var outcome: String { text(.fact(.outcome)) }
    var method: String { text(.field(.method)) }
    var url: String { text(.field(.url)) }

    private func text(_ column: IndexColumn) -> String { columns.texts[column, columns.rows[place]] }
  }
}

/// Texts that few exchanges are asked for: a column is read once one is, and a text is made once.
private final class RareTexts {
  private struct Column {
    let texts: TextColumn
    /// By the places of the texts.
    var made: [String?]
  }

  private let index: CaptureIndex
  private let block: CaptureIndex.Block
  private var columns = [Column?](repeating: nil, count: IndexColumn.all.count)
  /// Whether a column could not be read.
  private(set) var isDamaged = false

  init(_ index: CaptureIndex, _ block: CaptureIndex.Block) {
    self.index = index
    self.block = block
  }

  /// The text of a row; empty if the column is damaged.
  subscript(column: IndexColumn, row: Int) -> String {
    guard let number = IndexColumn.places[column] else { preconditionFailure("only columns of the index are asked for") }
    do throws(CaptureIndex.Damage) {
      if columns[number] == nil {
        let texts = try index.texts(column, in: block)
        columns[number] = Column(texts: texts, made: [String?](repeating: nil, count: texts.count))
      }
    } catch {
      isDamaged = true
    }
    guard let texts = columns[number]?.texts else { return "" }
    let place = Int(texts.places[row])
    if let text = columns[number]?.made[place] { return text }
    let text = texts[row].plainText
    columns[number]?.made[place] = text
    return text
  }
}

extension CaptureStatistics {
  /// Counts the exchanges of a capture by its index, and gives the figures that its entries would give.
  ///
  /// - Parameters:
  ///   - file: the name of the capture.
  ///   - filter: the exchanges to count; all its fields are in an index.
  /// - Throws: when the index is damaged; some exchanges are counted then.
  package mutating func add(_ index: CaptureIndex, of file: String, filter: Query?) throws(CaptureIndex.Damage) {
    for block in index.blocks {
      makeRoomForGroups()
      let matching = try filter.map { (filter) throws(CaptureIndex.Damage) in
        try IndexedRows(index, block, file: file).matching(filter.expression)
      }
      guard matching?.contains(true) ?? true else { continue }
      let courses = try index.numbers(.fact(.course), in: block).values
      var rows: [Int] = []
      rows.reserveCapacity(block.rows)
      for row in 0..<block.rows where matching?[row] ?? true {
        let course = ExchangeCourse(rawValue: Int(saturating: courses[row])) ?? .answered
        if isCounted(course) { rows.append(row) } else { addOther(course) }
      }
      guard !rows.isEmpty else { continue }
      let exchanges = try IndexedExchanges(index, block, rows: rows)
      let keys = try IndexedKeys(groupings, index, block, file: file)
      var places = GroupPlaces(count: keys.count)
      add(exchanges, groups: rows.map { row in places.group(at: keys.place(of: row)) { group(keys.key(of: row)) } })
      if exchanges.isDamaged { throw CaptureIndex.Damage() }
    }
  }
}

/// Where the groups of a block are, so that a key is made once.
private struct GroupPlaces {
  private enum Place {
    case unknown
    case group(Int)
  }

  /// By the place of a key, if there are few keys.
  private var few: [Place]
  private var many: [Int: Place] = [:]

  private static let limit = 1 << 16

  init(count: Int) {
    few = count <= Self.limit ? [Place](repeating: .unknown, count: count) : []
  }

  /// - Parameter find: called once for each place.
  mutating func group(at place: Int, find: () -> Int) -> Int {
    switch few.isEmpty ? many[place, default: .unknown] : few[place] {
    case .group(let group): return group
    case .unknown:
      let group = find()
      if few.isEmpty { many[place] = .group(group) } else { few[place] = .group(group) }
      return group
    }
  }
}

/// The keys of the groups of a block's rows.
private struct IndexedKeys {
  private enum Part {
    case same(String)
    case texts(TextColumn)
  }

  private var parts: [Part] = []

  init(
    _ groupings: [StatisticsGrouping], _ index: CaptureIndex, _ block: CaptureIndex.Block, file: String
  ) throws(CaptureIndex.Damage) {
    for grouping in groupings {
      switch grouping {
      case .file: parts.append(.same(file))
      case .directory: parts.append(.same(directoryPart(of: file)))
      case .field: preconditionFailure("an index has no groups of this field")
      case .host, .path, .status, .page, .method, .connection, .version, .trace:
        parts.append(.texts(try index.texts(.group(grouping), in: block)))
      }
    }
  }

  /// How many keys there may be.
  var count: Int {
    parts.reduce(1) { count, part in
      if case .texts(let texts) = part { count * texts.count } else { count }
    }
  }

  /// A number below `count` that rows with the same key share. At most four groupings, each with at most as many values as a
  /// block has rows.
  func place(of row: Int) -> Int {
    parts.reduce(0) { place, part in
      switch part {
      case .same: place
      case .texts(let texts): place * texts.count + Int(texts.places[row])
      }
    }
  }

  func key(of row: Int) -> [String] {
    parts.map { part in
      switch part {
      case .same(let text): text
      case .texts(let texts): texts[row].plainText
      }
    }
  }
}
