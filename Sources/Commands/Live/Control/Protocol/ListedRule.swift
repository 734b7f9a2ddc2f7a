package import TapelineHAR
internal import TapelineInspect
internal import TapelineProxy

/// A rule of a running recording, and what has become of it.
package struct ListedRule: Hashable, Sendable {
  /// As it was written, without values that are secret.
  let line: String
  let matched: Int
  let applied: Int
  let isOff: Bool

  package static func list(in members: HARObject) throws(ControlMessageError) -> [ListedRule] {
    try MemberReader(value: .object(members), path: "").objects("rules").map { reader throws(ControlMessageError) in
      ListedRule(
        line: try reader.text("rule"), matched: try reader.integer("matched"), applied: try reader.integer("applied"),
        isOff: reader.value["off"] == .bool(true))
    }
  }

  static func list(of rules: InjectionRules?) -> [ListedRule] {
    zip(rules?.rules ?? [], rules?.standings ?? []).map { rule, standing in
      ListedRule(
        line: rule.line, matched: Int(clamping: standing.matched), applied: Int(clamping: standing.applied), isOff: standing.isOff
      )
    }
  }

  /// `{"rules": [...]}`.
  package static func members(_ rules: [ListedRule]) -> HARObject {
    let values = rules.map { rule -> HARValue in
      [
        "rule": .string(rule.line), "matched": .number(HARNumber(rule.matched)), "applied": .number(HARNumber(rule.applied)),
        "off": .bool(rule.isOff),
      ]
    }
    return ["rules": .array(values)]
  }

  /// A line for each, below a heading.
  package static func lines(_ rules: [ListedRule]) -> [String] {
    TextTable.lines(
      [["#", "matched", "changed", "rule"]]
        + rules.enumerated().map { index, rule in
          ["\(index + 1)", "\(rule.matched)", "\(rule.applied)", (rule.isOff ? "(off) " : "") + rule.line.printable]
        })
  }
}
