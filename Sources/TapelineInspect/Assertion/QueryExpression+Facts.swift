internal import TapelineHAR

extension QueryExpression {
  /// The facts of an exchange that the condition looks at: why the condition holds or does not.
  func facts(of entry: HAREntry, number: Int) -> [Offender.Fact] {
    var named: Set<QueryField> = []
    return fields.filter { $0.isWorthNaming && named.insert($0).inserted }.map { $0.fact(in: entry, number: number) }
  }

  /// In the order in which the condition names them.
  private var fields: [QueryField] {
    switch self {
    case .both(let left, let right), .either(let left, let right): left.fields + right.fields
    case .not(let inner): inner.fields
    case .holds(let field), .compares(let field, _), .isDated(let field, _), .equals(let field, _), .matches(let field, _),
      .isFlag(let field, _):
      [field]
    }
  }
}

extension QueryField {
  /// False for fields that every offender line already shows, and for bodies, which are long.
  fileprivate var isWorthNaming: Bool {
    switch source {
    case .named, .custom, .member: true
    case .known(.number), .known(.method), .known(.url), .known(.scheme), .known(.host), .known(.port), .known(.path),
      .known(.requestBody), .known(.responseBody):
      false
    case .known: true
    }
  }

  func fact(in entry: HAREntry, number: Int) -> Offender.Fact {
    Offender.Fact(name: spelling, text: text(of: value(in: entry, number: number)))
  }

  /// As a rule spells it.
  var spelling: String {
    switch source {
    case .known(let field): field.rawValue
    case .named(let field, let name): "\(field.rawValue)[\"\(name)\"]"
    case .member(let path, _): path.joined(separator: ".")
    case .custom(.entry, let path): path.joined(separator: ".")
    case .custom(.request, let path): "req." + path.joined(separator: ".")
    case .custom(.response, let path): "resp." + path.joined(separator: ".")
    case .custom(.content, let path): "content." + path.joined(separator: ".")
    }
  }

  /// Enough for a whole message; longer text keeps only its ends.
  private var textLimit: Int { 200 }

  private func text(of value: QueryValue) -> String {
    switch value {
    case .absent: "-"
    case .number(let number): MeasureText.text(number, dimension)
    case .text(let text), .titled(let text, _): text.isEmpty ? "\"\"" : text.elided(to: textLimit)
    case .flag(let flag): String(flag)
    case .object: "{…}"
    case .several(let values):
      values.isEmpty ? "-" : values.map { text(of: $0) }.joined(separator: ", ").elided(to: textLimit)
    }
  }
}
