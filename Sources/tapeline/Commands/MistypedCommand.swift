internal import ArgumentParser
internal import TapelineInspect

/// A command that does not exist, and the command that the user probably meant.
enum MistypedCommand {
  /// The message for arguments that name no command where one belongs; `nil` when they name one, or begin with an option.
  static func text(for arguments: [String]) -> String? {
    var command: any ParsableCommand.Type = Tapeline.self
    for word in arguments where word != "help" {
      let commands = command.configuration.subcommands
      guard !commands.isEmpty, !word.hasPrefix("-") else { return nil }
      guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
        return text(of: word, among: commands.compactMap { $0.configuration.commandName })
      }
      command = next
    }
    return nil
  }

  /// Worded like the parser's message about a mistyped option.
  private static func text(of word: String, among names: [String]) -> String {
    let begun = names.filter { word.count > 1 && $0.hasPrefix(word) }
    let near = begun.count == 1 ? begun.first : Spelling.nearest(to: word, among: names)
    return "Unknown command '\(word)'" + (near.map { ". Did you mean '\($0)'?" } ?? "")
  }
}
