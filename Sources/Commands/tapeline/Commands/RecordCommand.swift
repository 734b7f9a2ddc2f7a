internal import ArgumentParser
internal import TapelineLive
internal import TapelineLoop
internal import TapelineSystem

typealias RecordCommand = CaptureCommand<RecordJob>

/// `tapeline record`: a proxy until interrupted.
struct RecordJob: CaptureJob {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Listen as a proxy and record every exchange until interrupted.",
    discussion: """
      The HAR on disk is valid at every moment. After SIGINT, SIGTERM or tapeline stop, it stops accepting, gives exchanges in \
      flight up to 2 s to finish, and ends; a second signal ends it at once. A crash of tapeline \
      itself costs the exchanges in flight, which the log names, and the exit status is 70. SIGHUP or tapeline rotate closes the file and \
      starts the next one (-1, -2 before the extension). With --intercept, clients must trust our authority: tapeline env and \
      tapeline ca trust help with that.

      EXAMPLES
        tapeline record -o session.har
        tapeline record --listen 127.0.0.1:0 --port-file port --bodies none
        tapeline record --intercept --passthrough-host '*.bank.example'
        tapeline record --upstream-proxy http://proxy.example:3128
        tapeline record --reverse 127.0.0.1:9000=https://api.example
        tapeline record --listen unix:/run/user/1000/proxy.sock
        eval "$(tapeline env)"; curl http://example.com/
      """)

  func validate(with options: RecordCommand) throws {
    try options.https.validateInterceptionIsAsked()
  }

  func run(with options: RecordCommand) throws {
    var defaults = CaptureDefaults(
      listen: .standard, intercepts: false, title: "tapeline record", inheritedProxy: .mentioned)
    defaults.needsAddress = false
    defaults.sockets = ServiceManager.handedOverSockets
    try Recording.serve(try options.recording(defaults))
  }
}
