internal import TapelineBase
internal import TapelineHAR

/// The names that the page shares with the program: phases, and the fields of queries. The page's scripts begin with them.
enum PageDescription {
  static let script = Array("const described = \(String(decoding: value.json, as: UTF8.self));\n".utf8)

  private static var value: HARValue {
    [
      "phases": .array(
        Phase.allCases.map { phase in
          [
            "name": .string(phase.name), "title": .string(phase.title), "hint": .string(phase.hint),
            "isOfTotal": .bool(phase.isOfTotal),
          ]
        }),
      "fields": object(
        QueryField.Known.allCases.map { field in
          let isLowercase = QueryField(source: .known(field)).isLowercase
          return (field.rawValue, ["kind": .string(field.kind.pageName), "isLowercase": .bool(isLowercase)])
        }),
      "named": .array(QueryField.Named.allCases.map { .string($0.rawValue) }),
      "aliases": object(
        (HARMemberPath.known.map { ($0, .string($1.rawValue)) } + HARMemberPath.named.map { ($0, .string($1.rawValue)) })
          // So that the same capture gives the same report.
          .sorted { $0.0 < $1.0 }),
      "abbreviations": object(QueryField.abbreviations.map { ($0, .string($1.joined(separator: "."))) }),
    ]
  }

  private static func object(_ members: [(name: String, value: HARValue)]) -> HARValue {
    .object(HARObject(members: members.map { HARObject.Member(name: $0.name, value: $0.value) }))
  }
}

extension QueryField.Kind {
  fileprivate var pageName: String {
    switch self {
    case .text: "text"
    case .date: "date"
    case .number(.plain): "plain"
    case .number(.duration): "duration"
    case .number(.size): "size"
    case .flag: "flag"
    case .any: "any"
    }
  }
}
