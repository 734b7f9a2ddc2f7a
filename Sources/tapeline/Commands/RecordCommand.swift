internal import ArgumentParser
internal import TapelineLoop
internal import TapelineSystem

/// `tapeline record`: a proxy until interrupted.
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Listen as a proxy and record every exchange until interrupted.",
    discussion: """
      The HAR on disk is valid at every moment. After SIGINT, SIGTERM or tapeline stop, it stops accepting, gives exchanges in \
      flight up to 2 s to finish, and ends; a second signal ends it at once. SIGHUP or tapeline rotate closes the file and \
      starts the next one (-1, -2 before the extension). With --intercept, clients must trust our authority: tapeline env and \
      tapeline ca trust help with that.

      EXAMPLES
        tapeline record -o session.har
        tapeline record --listen 127.0.0.1:0 --port-file port --bodies none
        tapeline record --intercept --passthrough-host '*.bank.example'
        tapeline record --upstream-proxy http://proxy.example:3128
        eval "$(tapeline env)"; curl http://example.com/
      """)

  @OptionGroup
  var options: CaptureOptions

  static let defaultListen = EndpointArgument.loopback(port: 8888)

  func validate() throws {
    try options.https.validateInterceptionIsAsked()
  }

  mutating func run() throws {
    try Self.record(
      options,
      Recording.Defaults(
        listen: Self.defaultListen, intercepts: false, title: "tapeline record", inheritedProxy: .mentioned))
  }

  /// Listens, and returns when a signal or `tapeline stop` has ended it.
  static func record(_ options: CaptureOptions, _ defaults: Recording.Defaults) throws {
    OpenFileLimit.raise()
    // Must exist before anybody can know that we listen and stop us.
    let main = try MainLoop()
    main.stop(on: .interrupt, .terminate)
    let recording = try Recording(options: options, defaults: defaults)
    main.on(.hangUp) { _ in recording.rotate() }
    if !options.quiet {
      if let warning = recording.warning { Console.say(warning) }
      recording.notes.forEach(Console.say)
      Console.say(recording.announcement)
    }
    if options.verbose { Console.say(recording.settings) }
    main.serve()
    if let failure = recording.conclude(isQuiet: options.quiet) { throw failure }
  }
}
