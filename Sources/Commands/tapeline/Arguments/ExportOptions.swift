internal import ArgumentParser
internal import TapelineOffline
internal import TapelineOTLP
internal import TapelineSystem

/// Where spans go while exchanges are recorded.
struct ExportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Also send the exchanges to this OpenTelemetry collector, by OTLP over HTTP; env for the URL in OTEL_EXPORTER_OTLP_ENDPOINT.",
      valueName: "url"))
  var otlp: String?

  @Flag(help: "Also send metrics to the collector of --otlp: how long requests took, and the sizes of bodies.")
  var otlpMetrics = false

  func validate() throws {
    if otlpMetrics, otlp == nil { throw ValidationError("--otlp-metrics: it goes with --otlp; give both") }
  }

  func configuration() throws(CommandFailure) -> ExportConfiguration? {
    try otlp.map { argument throws(CommandFailure) in
      var configuration = try ExportConfiguration(
        argument, version: programVersion, environment: ProcessEnvironment.variables())
      configuration.sendsMetrics = otlpMetrics
      return configuration
    }
  }
}
