internal import ArgumentParser
internal import TapelineOffline
internal import TapelineOTLP
internal import TapelineSystem

/// `tapeline export`: captures for systems that store what many programs measure.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Send the exchanges of HARs to an OpenTelemetry collector.",
    discussion: """
      EXAMPLES
        tapeline export otlp session.har --otlp http://localhost:4318
      """,
    subcommands: [ExportOTLPCommand.self])
}

/// `tapeline export otlp FILE…`: an exchange becomes a span with its phases.
struct ExportOTLPCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "otlp",
    abstract: "Send the exchanges of HARs as spans, by OTLP over HTTP.",
    usage: "tapeline export otlp <file> ... [--otlp <url>] [<options>]",
    discussion: """
      Each exchange becomes a CLIENT span with its phases as children, linked to a span of its connection. A page is a trace, \
      unless the request carried traceparent: then the span hangs below the application's. Secrets are replaced as by redact. \
      Spans keep their identifiers, so that a second export of a file gives the same spans. OpenTelemetry's variables apply: \
      OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS, _COMPRESSION, _TIMEOUT and _CERTIFICATE, also with TRACES_ after OTLP_; \
      OTEL_SERVICE_NAME; OTEL_RESOURCE_ATTRIBUTES. A collector that cannot be reached is tried for a minute. Exits with 69 if \
      spans did not arrive. docs/otlp.md has the model.

      EXAMPLES
        tapeline export otlp session.har
        tapeline export otlp captures/*.har --otlp https://collector.example:4318 --filter 'not method == "CONNECT"'
        OTEL_SERVICE_NAME=checkout tapeline export otlp chrome.har
      """)

  @Argument(help: ArgumentHelp("The HARs to read, also as a pattern.", valueName: "file"))
  var files: [String]

  @Option(
    help: ArgumentHelp(
      "The collector; env for the URL in OTEL_EXPORTER_OTLP_ENDPOINT, or http://localhost:4318.", valueName: "url"))
  var otlp = "env"

  @Option(
    name: .customLong("redact"),
    help: ArgumentHelp(
      "More rules for secrets: a file with lines header NAME, name GLOB, pattern REGEX; repeatable.", valueName: "file"))
  var rules: [String] = []

  @OptionGroup
  var selection: FilterOptions

  mutating func run() throws {
    var configuration = try ExportConfiguration(
      otlp, version: programVersion, environment: ProcessEnvironment.variables())
    configuration.redaction = try RedactionFiles.rules(rules)
    try FileExport(configuration, filter: try selection.query()).send(try CaptureFleet(files).files, onEnd: Console.say)
  }
}
