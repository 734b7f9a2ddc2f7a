/// How one system, browser or tool trusts an authority, and how not any more.
struct TrustInstruction {
  let title: String
  /// What a person must know that no command says.
  var remark: String?
  /// Commands, or the steps where there are none.
  let trust: [String]
  let remove: [String]

  var lines: [String] {
    var lines = ["## \(title)"]
    if let remark { lines.append("  \(remark)") }
    lines.append("  Trust:")
    lines += trust.map { "    \($0)" }
    lines.append("  Remove:")
    lines += remove.map { "    \($0)" }
    return lines + [""]
  }
}
