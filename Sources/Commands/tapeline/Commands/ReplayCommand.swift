internal import ArgumentParser
internal import TapelineLive
internal import TapelineOffline
internal import TapelineInspect
internal import TapelineLoop
internal import TapelineProxy
internal import TapelineSystem
internal import TapelineTransport

typealias ReplayCommand = CaptureCommand<ReplayJob>

/// `tapeline replay FILE`: a capture answers in place of the network.
struct ReplayJob: CaptureJob {
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

  @Argument(parsing: .postTerminator, help: ArgumentHelp("The command to serve, after --.", valueName: "command"))
  var command: [String] = []

  func validate(with options: ReplayCommand) throws {
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

  func run(with options: ReplayCommand) throws {
    let bodies = bodySource.files(besideHAR: file)
    if sending.send { return try send(bodies, options) }
    let source = try ReplaySource(path: file, folding: answering.folding, bodies: bodies)
    if !options.quiet { Console.say(source.offer) }
    let directory = try PrivateDirectory(environment: ProcessEnvironment.variables())
    let status = try withExtendedLifetime(directory) { try answer(from: source, options, scratch: directory.path) }
    if !options.quiet { Console.say(source.counts.text(of: file)) }
    // The command's own status says more than ours, unless it is 0.
    guard status == 0 else { throw ExitCode(status) }
    if answering.strict { try source.counts.requireNoMisses(of: file) }
  }

  /// Serves clients, and returns the status of the command, if there is one.
  private func answer(from source: ReplaySource, _ options: ReplayCommand, scratch: String) throws(CommandFailure) -> Int32 {
    let (timing, passesMisses) = (answering.timing, answering.passMisses)
    let defaults = CaptureDefaults(
      listen: command.isEmpty ? .standard : .loopback(port: 0), intercepts: true, handsOverTrust: !command.isEmpty,
      title: "tapeline replay \(file)", scratchOutput: "\(scratch)/replay.har",
      inheritedProxy: passesMisses ? (command.isEmpty ? .mentioned : .followed) : .ignored)
    var configuration = try options.recording(defaults)
    configuration.survivesCrashes = false
    configuration.proxy.transport = { network in
      ReplayTransport(loop: network.loop, source: source, timing: timing, network: passesMisses ? network : nil)
    }
    guard command.isEmpty else { return try Recording.run(command, configuration, requiring: RunRequirement(exchanges: 0)) }
    try Recording.serve(configuration)
    return 0
  }

  /// Sends the requests of the capture through a proxy of our own, which records them.
  private func send(_ bodies: BodyFiles, _ options: ReplayCommand) throws {
    let source = try CaptureFile.source(file)
    if options.log.force, let output = options.log.output, source.isFile(at: output) {
      throw CommandFailure(
        status: .usage, what: output, why: "it is the capture whose requests are sent", remedy: "choose another name with -o")
    }
    var capture = CaptureFile(source, filter: try sending.query(), bodies: bodies, bringsBodiesIn: true)
    // This process itself is the client: it needs no lasting authority.
    let directory = try PrivateDirectory(environment: ProcessEnvironment.variables())
    defer { withExtendedLifetime(directory) {} }
    var configuration = try options.recording(
      CaptureDefaults(listen: .loopback(port: 0), intercepts: true, title: "tapeline replay --send \(file)"))
    configuration.scratch = directory.path
    try Recording.send(
      &capture, named: file, by: CaptureSending(timing: answering.timing, parallel: sending.parallel), configuration)
  }
}
