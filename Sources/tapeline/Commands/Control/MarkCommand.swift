internal import ArgumentParser
internal import TapelineHAR

/// `tapeline mark NAME`: a new page.
struct MarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark",
    abstract: "Begin a new page in a running recording.",
    discussion: """
      Exchanges whose request begins from now on belong to the page, which has NAME as its title. Prints the page's id, which \
      their entries have as pageref.

      EXAMPLES
        tapeline mark 'log in'
        tapeline run -- sh -c 'tapeline mark one; ./one; tapeline mark two; ./two'
      """)

  @Argument(help: ArgumentHelp("The title of the page.", valueName: "name"))
  var name: String

  @OptionGroup
  var control: ControlOptions

  private static let nameLimit = 4_096

  func validate() throws {
    guard name.utf8.count <= Self.nameLimit else {
      throw ValidationError("the name has more than \(Self.nameLimit) octets; give a shorter one")
    }
  }

  mutating func run() throws {
    let page = try control.client().ask(.mark(name: name))["page"]?.string
    var output = StandardOutput()
    if let page { try output.write(line: page) }
    try output.flush()
  }
}
