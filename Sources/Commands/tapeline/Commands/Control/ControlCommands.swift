internal import ArgumentParser
internal import TapelineOffline
internal import TapelineLive
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
    try StandardOutput.print([page].compactMap(\.self))
  }
}

/// `tapeline snapshot -o FILE`: the log as it is now.
struct SnapshotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot",
    abstract: "Write a complete copy of a running recording's HAR.",
    usage: "tapeline snapshot --output <file> [<options>]",
    discussion: """
      The copy has everything recorded before the call; after a rotation, everything of the newest file. Exchanges in flight are \
      included as far as they have come, marked with _inFlight. FILE appears at once and complete, replaces a file of that name, \
      and has mode 0600.

      EXAMPLES
        tapeline snapshot -o now.har
        tapeline wait && tapeline snapshot -o quiet.har
      """)

  @Option(name: .shortAndLong, help: ArgumentHelp("The file for the copy.", valueName: "file"))
  var output: String

  @OptionGroup
  var control: ControlOptions

  func validate() throws {
    guard output != "-" else {
      throw ValidationError("--output -: a copy is made under a name; name a file")
    }
  }

  mutating func run() throws {
    _ = try control.client(for: "snapshot").ask(.snapshot(path: AbsolutePath.of(output)))
  }
}

/// `tapeline rotate`: the next file.
struct RotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Close the HAR of a running recording and begin the next.",
    discussion: """
      Does what SIGHUP does to tapeline record: FILE.har is followed by FILE-001.har, FILE-002.har. Exchanges recorded before the \
      call are in the closed file.

      EXAMPLES
        tapeline rotate
      """)

  @OptionGroup
  var control: ControlOptions

  mutating func run() throws {
    _ = try control.client(for: "rotate").ask(.rotate)
  }
}

/// `tapeline stop`: ends a recording.
struct StopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "End a running recording, and return when its HAR is complete.",
    usage: "tapeline stop [<options>]",
    discussion: """
      Does what SIGTERM does: tapeline record gives exchanges in flight 2 s to finish; tapeline run passes the signal to its \
      command, and ends when the command ends. Prints the process, where it listens and which file it writes. Exits with 1 if it \
      has not ended before the time-out.

      EXAMPLES
        tapeline stop
        tapeline stop --name web --timeout 5s
      """)

  @Option(help: ArgumentHelp("Return after this, ended or not.", valueName: "time"))
  var timeout = DurationArgument(.seconds(30))

  @OptionGroup
  var control: ControlOptions

  mutating func run() throws {
    try control.client(for: "stop").stop(patience: timeout.duration)
  }
}
