internal import TapelineHAR

/// A value that an index keeps of each exchange, in a column: a field that a query may name, the name of a group, or another fact
/// for the statistics.
enum IndexColumn: Hashable, Sendable {
  case field(QueryField.Known)
  case group(StatisticsGrouping)
  case fact(Fact)

  enum Fact: String, CaseIterable, Sendable {
    case course
    case requestOverhead
    case responseOverhead
    case outcome
    case failure
    /// Where the entry begins in the text of the capture, and how many bytes it has.
    case offset
    case length
  }

  static let all: [IndexColumn] =
    QueryField.Known.allCases.filter(\.isIndexed).map(IndexColumn.field)
    + StatisticsGrouping.named.filter(\.isIndexed).map(IndexColumn.group) + Fact.allCases.map(IndexColumn.fact)

  /// Where each column is among all.
  static let places = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1, $0) })

  /// The parts of an entry that the columns are made of.
  static let parts: HAREntryParts = [.custom, .fields, .pageTitle]

  /// A file with other names is not an index of this program.
  var name: String {
    switch self {
    case .field(let field): field.rawValue
    case .group(let grouping): "by \(grouping == .path ? "template" : grouping.name)"
    case .fact(let fact): "+\(fact.rawValue)"
    }
  }

  /// Whether its values are texts; numbers and flags otherwise.
  var isText: Bool {
    switch self {
    case .field(let field):
      switch field.kind {
      case .text, .date, .any: true
      case .number, .flag: false
      }
    case .group: true
    case .fact(let fact): fact == .outcome || fact == .failure
    }
  }

  /// - Parameter range: the bytes of the entry in the text of its capture.
  func value(of entry: HAREntry, number: Int, at range: Range<Int>) -> QueryValue {
    switch self {
    case .field(let field): QueryField(source: .known(field)).value(in: entry, number: number)
    case .group(let grouping): .text(grouping.key(of: entry, number: number))
    case .fact(.course): .number(Double(ExchangeCourse(entry).rawValue))
    case .fact(.requestOverhead): entry.custom[.overhead]?["request"]?.double.map(QueryValue.number) ?? .absent
    case .fact(.responseOverhead): entry.custom[.overhead]?["response"]?.double.map(QueryValue.number) ?? .absent
    case .fact(.outcome): .text(ExchangeOutcome(entry).text)
    case .fact(.failure): RecordedFailure(entry).map { QueryValue.text($0.kindText) } ?? .absent
    case .fact(.offset): .number(Double(range.lowerBound))
    case .fact(.length): .number(Double(range.count))
    }
  }
}

extension QueryField.Known {
  /// The number is the place of the row, and all rows have the same file.
  private static let implied: Set<Self> = [.number, .file, .directory]

  fileprivate var isIndexed: Bool { isKnownToIndex && !Self.implied.contains(self) }

  /// Whether an index answers for the field. Bodies are large.
  fileprivate var isKnownToIndex: Bool { !parts.contains(.bodies) }
}

extension StatisticsGrouping {
  fileprivate var isIndexed: Bool { self != .file && self != .directory }
}

extension Query {
  /// Whether every field that the query names is in an index.
  package var isKnownToIndex: Bool {
    expression.fields.allSatisfy { field in
      if case .known(let known) = field.source { known.isKnownToIndex } else { false }
    }
  }
}
