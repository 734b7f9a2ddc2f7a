internal import TapelineInspect

/// A command as its help shows it: enough to understand a command line that the parser refuses.
package struct CommandOutline {
  private let name: String
  private let help: () -> String
  private let subcommands: () -> [CommandOutline]
  /// Whether it starts another program, whose words are not ours.
  private let startsProgram: Bool

  private var commands: [CommandOutline] { subcommands() }

  /// - Parameters:
  ///   - subcommands: those below it. Made when a command line needs them, as few do.
  ///   - help: the whole help, with no line broken.
  package init(
    name: String, startsProgram: Bool, subcommands: @escaping () -> [CommandOutline], help: @escaping () -> String
  ) {
    self.name = name
    self.subcommands = subcommands
    self.startsProgram = startsProgram
    self.help = help
  }

  // MARK: Words for another program

  /// `arguments` with the `--` that a person left out before the program that `run` starts: `run -q curl -s URL` as
  /// `run -q -- curl -s URL`.
  package func terminated(_ arguments: [String]) -> [String] {
    guard let first = arguments.first, !arguments.contains("--"),
      let command = commands.first(where: { $0.name == first }), command.startsProgram,
      let place = command.words(arguments.dropFirst()).place
    else { return arguments }
    return Array(arguments[..<place]) + ["--"] + arguments[place...]
  }

  // MARK: What was mistyped

  /// The message for words that name no command where one belongs, or no option of their command; `nil` if they name what there
  /// is.
  package func mistake(in arguments: [String]) -> String? {
    var command = self
    for (place, word) in arguments.enumerated() where word != "help" {
      guard !command.commands.isEmpty, !word.hasPrefix("-") else {
        return command.words(arguments[place...]).unknownOption.map { command.text("option", $0, command.options.keys.sorted()) }
      }
      guard let next = command.commands.first(where: { $0.name == word }) else {
        return text("command", word, command.commands.map(\.name))
      }
      command = next
    }
    return nil
  }

  /// Worded like the parser's message.
  private func text(_ kind: String, _ word: String, _ names: [String]) -> String {
    let begun = names.filter { word.count > 1 && $0.hasPrefix(word) }
    let near = begun.count == 1 ? begun.first : Spelling.nearest(to: word, among: names)
    return "Unknown \(kind) '\(word)'" + (near.map { ". Did you mean '\($0)'?" } ?? "")
  }

  // MARK: Options

  /// Whether an option takes a value, by its name. The help has a line for each: `  -o, --output <file>   The HAR to write.`
  private var options: [String: Bool] {
    var options: [String: Bool] = [:]
    for line in help().split(separator: "\n") where line.hasPrefix("  -") {
      var words = line.split(separator: " ").prefix { $0.hasPrefix("-") || $0.hasPrefix("<") }
      let takesValue = words.last?.hasPrefix("<") == true
      if takesValue { words.removeLast() }
      for name in words.flatMap({ $0.split(whereSeparator: { $0 == "," || $0 == "/" }) }) { options[String(name)] = takesValue }
    }
    return options
  }

  /// The first option that is not one of this command, before any `--`; and the place of the first word that is neither an option
  /// nor a value of one. That is not known behind an unknown option.
  private func words(_ words: ArraySlice<String>) -> (unknownOption: String?, place: Int?) {
    let options = options
    var place: Int?
    var index = words.startIndex
    while index < words.endIndex, words[index] != "--" {
      let word = words[index]
      if word.hasPrefix("-"), word != "-" {
        let name = String(word.prefix { $0 != "=" })
        // `-qv` are two flags.
        let names = name.hasPrefix("--") ? [name] : name.dropFirst().map { "-\($0)" }
        if let unknown = names.first(where: { options[$0] == nil }) { return (names.count == 1 ? unknown : name, nil) }
        if names.contains(where: { options[$0] == true }), name == word { index += 1 }
      } else if place == nil {
        place = index
        if startsProgram { break }
      }
      index += 1
    }
    return (nil, place)
  }
}
