internal import ArgumentParser
internal import TapelineInspect
internal import TapelineProxy
internal import TapelineSystem
internal import TapelineTransport

/// `tapeline replay FILE`: a capture answers in place of the network.
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Answer requests from a HAR, or send its requests again.",
    usage: """
      tapeline replay <file> [<options>]
      tapeline replay <file> [<options>] -- <command> ...
      tapeline replay <file> --send -o <new.har> [<options>]
      """,
    discussion: """
      Works like the proxy of tapeline record, but answers from the capture: HTTPS too, for clients that trust our authority. \
      Equal requests get their answers in the recorded order, then the last one again. A request that is not in the capture gets \
      404; with --strict-misses the exit status is then 1. With a command after --, it serves only that command, as tapeline run \
      does.

      --send sends the requests again, in their order, and records the results: tapeline diff compares the two.

      EXAMPLES
        tapeline replay session.har -- npm test
        tapeline replay session.har --listen 127.0.0.1:8888 --timing recorded
        tapeline replay session.har --ignore-param ts --pass-misses -- ./job
        tapeline replay session.har --send -o again.har && tapeline diff session.har again.har
      """)

  @Argument(help: ArgumentHelp("The HAR with the answers, or with the requests to send; - for stdin.", valueName: "file"))
  var file: String

  @OptionGroup(title: "Answering")
  var answering: ReplayAnsweringOptions

  @OptionGroup(title: "Sending")
  var sending: ReplaySendingOptions

  @OptionGroup
  var bodySource: BodySourceOptions

  @OptionGroup
  var options: CaptureOptions

  @Argument(parsing: .postTerminator, help: ArgumentHelp("The command to serve, after --.", valueName: "command"))
  var command: [String] = []

  func validate() throws {
    guard sending.send else {
      return
    }
    if !command.isEmpty {
      throw ValidationError("--send and a command: the requests are the capture's own; give one of the two")
    }
    if options.log.output == nil {
      throw ValidationError("--send: the results need a file; give -o FILE.har")
    }
  }

  mutating func run() throws {
    let bodies = bodySource.files(besideHAR: file)
    if sending.send {
      return try ReplaySending(file: file, bodies: bodies, timing: answering.timing, sending: sending, options: options).run()
    }
    let source = try ReplaySource(path: file, folding: answering.folding, bodies: bodies)
    sayWhatThereIs(source.index)
    let timing = answering.timing
    let passesMisses = answering.passMisses
    let directory = try PrivateDirectory(environment: ProcessEnvironment.variables())
    let defaults = Recording.Defaults(
      listen: command.isEmpty ? RecordCommand.defaultListen : RunCommand.defaultListen, intercepts: true,
      handsOverTrust: !command.isEmpty, title: "tapeline replay \(file)", scratchOutput: "\(directory.path)/replay.har",
      inheritedProxy: passesMisses ? (command.isEmpty ? .mentioned : .followed) : .ignored,
      adjust: { configuration in
        configuration.transport = { network in
          ReplayTransport(loop: network.loop, source: source, timing: timing, network: passesMisses ? network : nil)
        }
      })
    let status = try withExtendedLifetime(directory) {
      guard command.isEmpty else {
        return try RunCommand.run(command, options, defaults, requiring: 0)
      }
      try RecordCommand.record(options, defaults)
      return Int32(0)
    }
    try conclude(source.counts, status: status)
  }

  private func sayWhatThereIs(_ index: ReplayIndex) {
    guard !options.quiet else { return }
    let leftOut =
      index.leftOut > 0 ? ", \(index.leftOut) that are tunnels, have switched protocols or were in flight are left out" : ""
    Console.say("\(Count.text(index.count, "answer", "answers")) in \(file)\(leftOut)")
  }

  /// The command's own status says more than ours, unless it is 0.
  private func conclude(_ counts: ReplaySource.Counts, status: Int32) throws {
    if !options.quiet {
      let incomplete = counts.incomplete > 0 ? ", \(counts.incomplete) of them with incomplete bodies" : ""
      Console.say(
        "\(Count.text(counts.answered, "request", "requests")) answered from \(file)\(incomplete), \(counts.missing) not in it")
    }
    guard status == 0 else { throw ExitCode(status) }
    guard answering.strict, counts.missing > 0 else { return }
    throw CommandFailure(
      status: .conditionFailed, what: "replay \(file)",
      why: "\(Count.text(counts.missing, "request was", "requests were")) not in the capture",
      remedy: "record again, or fold what differs with --ignore-param or --ignore-query")
  }
}
