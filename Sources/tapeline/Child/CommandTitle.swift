internal import TapelineInspect

/// A command in one line, as a shell would take it: the title of the page that it is recorded on.
enum CommandTitle {
  /// Long enough to tell commands apart, short enough for a list of pages. In characters, quotes not included.
  static let limit = 200

  /// Cuts between words only: nobody could recognise half a secret as a secret.
  static func text(of command: [String]) -> String {
    var arguments: [String] = []
    var room = limit
    for argument in command {
      guard argument.count <= room else {
        let start = words(argument, upTo: room)
        return (arguments + (start.isEmpty ? [] : [start.shellQuoted]) + ["…"]).joined(separator: " ")
      }
      arguments.append(argument.shellQuoted)
      room -= argument.count + 1
    }
    return arguments.joined(separator: " ")
  }

  /// As many whole words from the start of `text` as fit.
  private static func words(_ text: String, upTo room: Int) -> String {
    let end = text.prefix(max(0, room)).lastIndex(where: \.isWhitespace)
    return end.map { String(text[..<$0]) } ?? ""
  }
}
