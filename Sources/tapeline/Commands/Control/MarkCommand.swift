internal import ArgumentParser
internal import TapelineHAR

/// `tapeline mark TITLE`: a new page.
struct MarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark",
    abstract: "Begin a new page in a running recording.",
    discussion: """
      Exchanges whose request begins from now on belong to the page with the title TITLE: list --filter, stats --by page, assert \
      and the report find them by it. Prints the page's id, which is the pageref of their entries.

      EXAMPLES
        tapeline mark 'log in'
        tapeline list session.har --filter 'page == "log in"'
        tapeline run -- sh -c 'tapeline mark one; ./one; tapeline mark two; ./two'
      """)

  @Argument(help: ArgumentHelp("The title of the page.", valueName: "title"))
  var title: String

  @OptionGroup
  var control: ControlOptions

  private static let titleLimit = 4_096

  func validate() throws {
    guard title.utf8.count <= Self.titleLimit else {
      throw ValidationError("the title has more than \(Self.titleLimit) bytes; give a shorter one")
    }
  }

  mutating func run() throws {
    let page = try control.client(for: "mark").ask(.mark(name: title))["page"]?.string
    var output = StandardOutput()
    if let page { try output.write(line: page) }
    try output.flush()
  }
}
