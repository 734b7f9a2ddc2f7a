import TapelineTestSupport

/// A command that a document shows, as a reader would paste it.
struct DocumentedCommand: CustomStringConvertible {
  /// Such as `docs/inspect.md:48`, or `tapeline help list`.
  let place: String
  /// One command, of one or more lines, without its prompt.
  var text: String
  /// What the document says that it prints.
  var output: [String] = []

  var description: String { "\(place): \(text)" }
}

/// The commands of a page in Markdown.
struct DocumentedPage {
  /// Those of each listing, which follow each other in one shell.
  private(set) var listings: [[DocumentedCommand]] = []
  /// Those within a sentence or a table.
  private(set) var phrases: [DocumentedCommand] = []

  /// - Parameter path: from the directory of `Package.swift`.
  init(_ path: String) throws {
    /// The language of the listing, and its commands so far.
    var listing: (language: Substring, commands: [DocumentedCommand])?
    for (index, line) in try readText("\(repositoryRoot)/\(path)").split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      let place = "\(path):\(index + 1)"
      if line.hasPrefix("```") {
        if let listing, !listing.commands.isEmpty { listings.append(listing.commands) }
        listing = listing == nil ? (line.dropFirst(3), []) : nil
      } else if listing == nil {
        phrases += Self.phrases(of: line, at: place)
      } else if listing?.language == "console" {
        listing?.commands.take(line, at: place)
      } else if listing?.language == "sh" {
        listing?.commands.append(DocumentedCommand(place: place, text: String(line)))
      }
    }
  }

  /// `tapeline …` between backticks.
  private static func phrases(of line: Substring, at place: String) -> [DocumentedCommand] {
    let parts = line.split(separator: "`", omittingEmptySubsequences: false)
    return parts.indices.filter { !$0.isMultiple(of: 2) }.map { String(parts[$0]) }
      .filter { $0.hasPrefix("tapeline ") || $0.hasPrefix("scripts/tapeline ") }
      .map { DocumentedCommand(place: place, text: $0) }
  }
}

extension [DocumentedCommand] {
  /// A line of a listing with prompts: a command, the rest of one, or what it prints.
  fileprivate mutating func take(_ line: Substring, at place: String) {
    if line.hasPrefix("$ ") {
      append(DocumentedCommand(place: place, text: String(line.dropFirst(2))))
    } else if let last, last.output.isEmpty, last.isUnfinished {
      self[count - 1].text += "\n" + line
    } else if !isEmpty {
      self[count - 1].output.append(String(line))
    }
  }
}

extension DocumentedCommand {
  /// Whether a shell would wait for more: a quote is open, or the line ends with a backslash.
  fileprivate var isUnfinished: Bool {
    var quote: Character?
    for character in text where character == "'" || character == "\"" {
      if quote == nil { quote = character } else if quote == character { quote = nil }
    }
    return quote != nil || text.hasSuffix("\\")
  }

  /// The examples in the help of a command, such as `ca export`.
  static func examples(of command: String) throws -> [DocumentedCommand] {
    let words = command.split(separator: " ").map(String.init)
    let help = try TestProcess(TapelineProcess.binary, ["help"] + words, environment: ["COLUMNS": "1000"])
    try help.wait()
    return help.outputText.split(separator: "\n", omittingEmptySubsequences: false)
      .drop { $0 != "EXAMPLES" }.dropFirst().prefix { $0.hasPrefix("  ") }
      .map { DocumentedCommand(place: "tapeline help \(command)", text: String($0.dropFirst(2))) }
  }
}
