internal import ArgumentParser
internal import TapelineLive
internal import TapelineProxy
internal import TapelineSystem

typealias RunCommand = CaptureCommand<RunJob>

/// `tapeline run -- COMMAND`: records one command.
struct RunJob: CaptureJob {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a command, record its HTTP and HTTPS traffic, and exit with its status.",
    usage: "tapeline run [<options>] [--] <command> ...",
    discussion: """
      The command gets the proxy variables and, because its HTTPS is decrypted, those that name the authorities to trust: the \
      system's, those that the variables named before, and ours, which is created on first use and trusted by nobody else. \
      Entries of NO_PROXY that mean this machine are removed. stdin, stdout and stderr are the command's. The exit status is the \
      command's, or 128 and the signal that killed it; 127 if it was not found, 126 if it cannot be executed; and 1 if it \
      succeeded and fewer exchanges than --require were recorded. A crash of tapeline itself costs the exchanges in flight, which \
      the log names, and the exit status is 70. A server that fails is a failure for the command as without \
      tapeline, unless --failures page has tapeline answer with a page. If the proxy variables already name a proxy, traffic goes \
      through it, so a run in a run is recorded by both. Options of tapeline stand before the command; a command that begins \
      with - needs -- before it.

      With --all, the command gets a network of its own (Linux), in which every address leads to tapeline, and no proxy variables: \
      programs that ignore proxies are recorded too, and so are their lookups of names. UDP other than these lookups is refused. \
      Where the system forbids such networks, tapeline says why, and uses the variables.

      EXAMPLES
        tapeline run -- curl -s https://example.com/
        tapeline run -o install.har -- pip install requests
        tapeline run --all -- ./program-that-ignores-proxies
        tapeline run --browser chromium -o session.har -- https://example.com/
        tapeline run --no-intercept --bodies none -q -- sh -c 'make test'
      """)

  @Option(
    help: ArgumentHelp(
      "Exit with 1 if fewer exchanges than this were recorded, unless the command itself failed; 0 permits none.",
      valueName: "n"))
  var require = 1

  @Flag(
    help: ArgumentHelp(
      "Exit with 1 if a program of the command connected past the proxy, unless the command itself failed.",
      discussion: "Setuid programs such as sudo have no privileges then, unless you are root. docs/control.md has the details."))
  var requireAll = false

  @Option(
    help: ArgumentHelp(
      "Start a browser that is recorded, with a temporary profile of its own: chromium or firefox.",
      discussion: "Options and addresses for it follow --. docs/browsers.md has the details.", valueName: "browser"))
  var browser: Browser?

  @Flag(help: "Print the address of the live page, which shows the exchanges while they happen.")
  var live = false

  @Flag(
    help: ArgumentHelp(
      "Attach Chrome's network panel: print the address that opens it, and start the command when it is attached.",
      discussion: "The recording ends when the panel is closed. docs/live.md has the details."))
  var devtools = false

  @OptionGroup(title: "Network")
  var network: NetworkOptions

  @Argument(parsing: .postTerminator, help: ArgumentHelp("The command to run, and its options.", valueName: "command"))
  var command: [String] = []

  func validate(with options: RunCommand) throws {
    let hasNetwork = hasNetwork(options)
    try network.check(isOwn: hasNetwork)
    try tapeline.require("--require", require, require >= 0, "of 0 or more")
    if browser != nil, hasNetwork {
      throw ValidationError("--browser and --all: the browser uses the proxy in any case; leave it out")
    }
    if command.isEmpty, browser == nil {
      throw ValidationError("no command to run; give one, as in: tapeline run -- curl http://example.com/")
    }
  }

  /// Whether the command has a network of its own. A browser has the proxy.
  private func hasNetwork(_ options: RunCommand) -> Bool {
    network.isOwn || (options.conditions.network != nil && browser == nil)
  }

  func run(with options: RunCommand) throws {
    var defaults = CaptureDefaults(
      listen: .loopback(port: 0), intercepts: true, handsOverTrust: true,
      title: CommandTitle.text(of: [browser?.rawValue].compactMap(\.self) + command),
      failures: .connection, inheritedProxy: .followed)
    defaults.holdsPackets = browser == nil
    var configuration = try options.recording(defaults)
    if hasNetwork(options) { configuration.network = NetworkConfiguration(nameServer: network.nameServer) }
    configuration.browser = browser
    configuration.announcesLivePage = live
    configuration.waitsForPanel = devtools
    if network.closesHostLoopback { configuration.proxy.access.deniedHosts += NetworkOptions.loopback }
    throw ExitCode(
      try Recording.run(command, configuration, requiring: RunRequirement(exchanges: require, isEverything: requireAll)))
  }
}
