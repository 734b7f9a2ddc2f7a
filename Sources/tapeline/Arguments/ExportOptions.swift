internal import ArgumentParser
internal import TapelineConsole
internal import TapelineExport
internal import TapelineSystem

/// Where spans go while exchanges are recorded.
struct ExportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Also send the exchanges to this OpenTelemetry collector, by OTLP over HTTP; env for the URL in OTEL_EXPORTER_OTLP_ENDPOINT.",
      valueName: "url"))
  var otlp: String?

  func configuration() throws(CommandFailure) -> ExportConfiguration? {
    try otlp.map { argument throws(CommandFailure) in
      try ExportConfiguration(argument, version: programVersion, environment: ProcessEnvironment.variables())
    }
  }
}
