/// How to make one system, browser or tool trust an authority, and how to undo that.
struct TrustInstruction {
  let title: String
  /// A fact that the user must know and that the commands do not show.
  var remark: String?
  /// Commands, or steps if no command exists.
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
