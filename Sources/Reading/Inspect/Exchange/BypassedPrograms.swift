package import TapelineHAR

/// The programs that went past the proxy of a recording, as its log names them (`_bypassed`).
package struct BypassedPrograms: Sendable {
  /// `python3 → 127.0.0.1:23001 (3)`.
  let texts: [String]
  /// How many connections they made.
  package let count: Int

  /// `nil` for other members of a log.
  package init?(_ member: HARObject.Member) {
    guard member.name == HARMember.bypassed.name, let items = member.value.array else { return nil }
    var texts: [String] = []
    var sum = 0
    for item in items {
      guard let members = item.object, let count = members["count"]?.integer, count > 0 else { continue }
      sum = sum.addingReportingOverflow(count).partialValue
      let (program, address) = (members["program"]?.string ?? "?", members["address"]?.string ?? "?")
      texts.append("\(program) → \(address) (\(count))".printable)
    }
    self.texts = texts
    count = sum
  }

}
