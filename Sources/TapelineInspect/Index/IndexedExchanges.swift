/// The exchanges of a block of an index, as the statistics see them.
struct IndexedExchanges {
  private let tunnels: [Double]
  private let sent: [Double]
  private let received: [Double]
  private let totals: [Double]
  private let statuses: [Double]
  private let requestOverheads: [Double]
  private let responseOverheads: [Double]
  /// All phases of the first row, then all of the second, …
  private let phases: [Double]
  private let failed: [Bool]
  private let ended: [Bool]
  private let texts: RareTexts

  init(_ index: CaptureIndex, _ block: CaptureIndex.Block) throws(CaptureIndex.Damage) {
    tunnels = try index.numbers(.fact(.isTunnel), in: block).values
    sent = try index.numbers(.field(.requestSize), in: block).values
    received = try index.numbers(.field(.responseSize), in: block).values
    totals = try index.numbers(.field(.total), in: block).values
    statuses = try index.numbers(.field(.status), in: block).values
    requestOverheads = try index.numbers(.fact(.requestOverhead), in: block).values
    responseOverheads = try index.numbers(.fact(.responseOverhead), in: block).values
    let width = Phase.allCases.count
    var phases = [Double](repeating: .nan, count: width * block.rows)
    for phase in Phase.allCases {
      let values = try index.numbers(.field(phase.field), in: block).values
      for row in values.indices { phases[row * width + phase.rawValue] = values[row] }
    }
    self.phases = phases
    failed = Self.hasValue(try index.texts(.fact(.failure), in: block))
    ended = Self.hasValue(try index.texts(.field(.ended), in: block))
    texts = RareTexts(index, block)
  }

  private static func hasValue(_ texts: TextColumn) -> [Bool] {
    let results = (0..<texts.count).map { texts.value(at: $0) != .absent }
    return texts.places.map { results[Int($0)] }
  }

  /// Whether a text could not be read.
  var isDamaged: Bool { texts.isDamaged }

  func isTunnel(_ row: Int) -> Bool { tunnels[row] == 1 }

  subscript(row: Int) -> Exchange {
    var durations = PhaseDurations()
    for phase in Phase.allCases {
      let duration = phases[row * Phase.allCases.count + phase.rawValue]
      if !duration.isNaN { durations[phase] = duration }
    }
    return Exchange(
      hasFailed: failed[row], isEnded: ended[row], sentBytes: Self.size(sent[row]), receivedBytes: Self.size(received[row]),
      total: totals[row], durations: durations, status: Self.size(statuses[row]), requestOverhead: requestOverheads[row],
      responseOverhead: responseOverheads[row], row: row, texts: texts)
  }

  private static func size(_ value: Double) -> Int { value.isNaN ? 0 : Int(saturating: value) }

  /// One row, which is not a tunnel.
  struct Exchange: CountedExchange {
    let hasFailed: Bool
    let isEnded: Bool
    let sentBytes: Int
    let receivedBytes: Int
    let total: Double
    let durations: PhaseDurations
    let status: Int
    let requestOverhead: Double?
    let responseOverhead: Double?
    fileprivate let row: Int
    fileprivate let texts: RareTexts

    var statusLine: String { CountedEntry.statusLine(status, texts[.field(.statusText), row]) }
    var failure: String { texts[.fact(.failure), row] }
    var outcome: String { texts[.fact(.outcome), row] }
    var method: String { texts[.field(.method), row] }
    var url: String { texts[.field(.url), row] }
  }
}

/// Columns of a block that are read once an exchange is asked for its text: few are.
private final class RareTexts {
  private let index: CaptureIndex
  private let block: CaptureIndex.Block
  private var columns: [IndexColumn: TextColumn] = [:]
  /// Whether a column could not be read.
  private(set) var isDamaged = false

  init(_ index: CaptureIndex, _ block: CaptureIndex.Block) {
    self.index = index
    self.block = block
  }

  subscript(column: IndexColumn, row: Int) -> String {
    if let texts = columns[column] { return texts[row].plainText }
    do throws(CaptureIndex.Damage) {
      let texts = try index.texts(column, in: block)
      columns[column] = texts
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
    var groups = GroupPlaces(count: keys.count)
    for row in 0..<rows where matching?[row] ?? true {
      guard !exchanges.isTunnel(row) else {
        addTunnel()
        continue
      }
      let group = groups.group(at: keys.place(of: row)) { self.group(keys.key(of: row)) }
      add(exchanges[row], number: first + row, group: group)
    }
    if exchanges.isDamaged { throw CaptureIndex.Damage() }
  }
}

/// Where the groups of a block are, so that a key is made once.
private struct GroupPlaces {
  private enum Place {
    case unknown
    case others
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
  mutating func group(at place: Int, find: () -> Int?) -> Int? {
    switch few.isEmpty ? many[place, default: .unknown] : few[place] {
    case .group(let group): return group
    case .others: return nil
    case .unknown:
      let group = find()
      let found = group.map { Place.group($0) } ?? .others
      if few.isEmpty { many[place] = found } else { few[place] = found }
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
