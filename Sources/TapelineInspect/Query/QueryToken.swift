/// The words of the query language.
enum QueryToken: Hashable, Sendable {
  /// The name of a field, or `and`, `or`, `not`, `in`, `like`, `true`, `false`.
  case word(String)
  case text(String)
  case quantity(QueryQuantity)
  case comparison(QueryComparison)
  case leftParenthesis
  case rightParenthesis
  case leftBracket
  case rightBracket
  case comma
  /// These two tokens occur only in rules.
  case percent
  case questionMark
  case end
}

/// A comparison between a field and a value.
enum QueryComparison: String, CaseIterable, Hashable, Sendable {
  case equal = "=="
  case notEqual = "!="
  case lessOrEqual = "<="
  case greaterOrEqual = ">="
  case notMatching = "!~"
  case less = "<"
  case greater = ">"
  case matching = "~"
}
