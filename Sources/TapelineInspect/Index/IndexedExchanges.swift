/// The exchanges of a block of an index, as the statistics see them.
final class IndexedExchanges {
  private let index: CaptureIndex
  private let block: CaptureIndex.Block
  private let tunnels: NumberColumn
  private let sent: NumberColumn
  private let received: NumberColumn
  private let totals: NumberColumn
  private let statuses: NumberColumn
  private let requestOverheads: NumberColumn
  private let responseOverheads: NumberColumn
  private let phases: [NumberColumn]
  private let failed: [Bool]
  private let ended: [Bool]
  /// Columns that few exchanges are asked for.
  private var rare: [IndexColumn: TextColumn] = [:]
  /// Whether such a column could not be read.
  private(set) var isDamaged = false

  init(_ index: CaptureIndex, _ block: CaptureIndex.Block) throws(CaptureIndex.Damage) {
    self.index = index
    self.block = block
    tunnels = try index.numbers(.fact(.isTunnel), in: block)
    sent = try index.numbers(.field(.requestSize), in: block)
    received = try index.numbers(.field(.responseSize), in: block)
    totals = try index.numbers(.field(.total), in: block)
    statuses = try index.numbers(.field(.status), in: block)
    requestOverheads = try index.numbers(.fact(.requestOverhead), in: block)
    responseOverheads = try index.numbers(.fact(.responseOverhead), in: block)
    var phases: [NumberColumn] = []
    for phase in Phase.allCases { phases.append(try index.numbers(.field(phase.field), in: block)) }
    self.phases = phases
    failed = Self.hasValue(try index.texts(.fact(.failure), in: block))
    ended = Self.hasValue(try index.texts(.field(.ended), in: block))
  }

  private static func hasValue(_ texts: TextColumn) -> [Bool] {
    let results = (0..<texts.count).map { texts.value(at: $0) != .absent }
    return texts.places.map { results[Int($0)] }
  }

  subscript(row: Int) -> Exchange { Exchange(columns: self, row: row) }

  /// One row.
  struct Exchange: CountedExchange {
    fileprivate let columns: IndexedExchanges
    fileprivate let row: Int

    var isTunnel: Bool { columns.tunnels.values[row] == 1 }
    var hasFailed: Bool { columns.failed[row] }
    var isEnded: Bool { columns.ended[row] }
    var sentBytes: Int { Int(saturating: columns.sent[row] ?? 0) }
    var receivedBytes: Int { Int(saturating: columns.received[row] ?? 0) }
    var total: Double { columns.totals.values[row] }
    var status: Int { Int(saturating: columns.statuses[row] ?? 0) }
    var requestOverhead: Double? { columns.requestOverheads[row] }
    var responseOverhead: Double? { columns.responseOverheads[row] }
    var statusLine: String { CountedEntry.statusLine(status, columns.text(.field(.statusText), row)) }
    var failure: String { columns.text(.fact(.failure), row) }
    var outcome: String { columns.text(.fact(.outcome), row) }
    var method: String { columns.text(.field(.method), row) }
    var url: String { columns.text(.field(.url), row) }

    var durations: PhaseDurations {
      var durations = PhaseDurations()
      for phase in Phase.allCases { durations[phase] = columns.phases[phase.rawValue][row] }
      return durations
    }
  }

  private func text(_ column: IndexColumn, _ row: Int) -> String {
    if let texts = rare[column] { return texts[row].plainText }
    do throws(CaptureIndex.Damage) {
      let texts = try index.texts(column, in: block)
      rare[column] = texts
      return texts[row].plainText
    } catch {
      isDamaged = true
      return ""
    }
  }
}

extension Phase {
  fileprivate var field: QueryField.Known {
    switch self {
    case .client: .client
    case .blocked: .blocked
    case .dns: .dns
    case .connect: .connect
    case .ssl: .ssl
    case .send: .send
    case .wait: .wait
    case .receive: .receive
    }
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
      let matching = try filter.map { (filter) throws(CaptureIndex.Damage) in
        try IndexedRows(index, block, file: file).matching(filter.expression)
      }
      guard matching?.contains(true) ?? true else { continue }
      try add(
        try IndexedExchanges(index, block), first: block.first, rows: block.rows, matching,
        try IndexedKeys(groupings, index, block, file: file))
    }
  }

  private mutating func add(
    _ exchanges: IndexedExchanges, first: Int, rows: Int, _ matching: [Bool]?, _ keys: IndexedKeys
  ) throws(CaptureIndex.Damage) {
    var groups: [Int: Int?] = [:]
    for row in 0..<rows where matching?[row] ?? true {
      let exchange = exchanges[row]
      guard !exchange.isTunnel else {
        addTunnel()
        continue
      }
      let place = keys.place(of: row)
      let group: Int?
      if let known = groups[place] {
        group = known
      } else {
        group = self.group(keys.key(of: row))
        groups[place] = .some(group)
      }
      add(exchange, number: first + row, group: group)
    }
    if exchanges.isDamaged { throw CaptureIndex.Damage() }
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
      case .host, .path, .status, .page, .method, .connection, .version, .trace:
        parts.append(.texts(try index.texts(.group(grouping), in: block)))
      }
    }
  }

  /// A number that rows with the same key share. At most four groupings, each with at most as many values as a block has rows.
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
