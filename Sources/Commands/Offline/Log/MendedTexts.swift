internal import TapelineHAR
internal import TapelineBase

/// How often a log had something that cannot be written as it was, because JSON does not have it.
struct MendedTexts: Sendable {
  private var replaced = 0
  private var escaped = 0
  private var emptied = 0

  mutating func add(_ warning: HARReadWarning) {
    switch warning.kind {
    case .notUTF8, .loneSurrogate: replaced += 1
    case .controlCharacter: escaped += 1
    case .tooDeep: emptied += 1
    case .missing, .null, .wrongType, .quoted, .unquoted, .fraction, .duplicate, .impossible: break
    }
  }

  /// `U+FFFD replaces what is not Unicode in 1 text`, and so on; empty if nothing was mended.
  var parts: [String] {
    [
      replaced > 0 ? "U+FFFD replaces what is not Unicode in \(Count.text(replaced, "text"))" : nil,
      escaped > 0 ? "control characters are escaped in \(Count.text(escaped, "text"))" : nil,
      emptied > 0 ? "null replaces \(Count.text(emptied, "value")) nested too deeply" : nil,
    ].compactMap(\.self)
  }
}
