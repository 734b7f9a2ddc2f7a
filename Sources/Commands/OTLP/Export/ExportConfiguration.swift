package import TapelineOffline
internal import TapelineCore
package import TapelineRedaction
internal import TapelineSystem

/// How the spans of a capture are exported.
package struct ExportConfiguration: Sendable {
  package let settings: ExportSettings
  /// The program's version.
  package let version: String
  /// The rules for secrets in entries that still have theirs; `nil` where they have none.
  package var redaction: RedactionRules?
  package var limits: DeliveryLimits
  /// Whether a recording also sends metrics.
  package var sendsMetrics = false
  /// The roots that vouch for the collector.
  let trustRoots: TrustRoots

  /// - Parameter argument: the collector's URL, or `env`.
  package init(_ argument: String, version: String, environment: [String: String]) throws(CommandFailure) {
    do throws(ExportSettings.Problem) {
      settings = try ExportSettings(argument, environment: environment)
    } catch {
      throw CommandFailure(status: .usage, what: error.what, why: error.why, remedy: error.remedy)
    }
    self.version = version
    limits = DeliveryLimits()
    if let time = settings.attemptMilliseconds { limits.attempt = .milliseconds(time) }
    guard let file = settings.certificateFile else {
      trustRoots = .system
      return
    }
    do throws(TLSMaterialError) {
      trustRoots = .only(try Certificate.certificates(contentsOfFile: file))
    } catch {
      throw CommandFailure(
        status: .badInput, what: "OTEL_EXPORTER_OTLP_CERTIFICATE", why: "\(file): \(error)",
        remedy: "name a PEM file with certificates")
    }
  }

  /// From one sending of metrics to the next.
  var metricsInterval: Duration { .milliseconds(settings.metricsMilliseconds ?? 60_000) }

  /// - Parameter hostName: the machine on which the exchanges took place, if that is known.
  func request(hostName: String?) -> TraceExportRequest {
    var resource = settings.resource.map { ($0.name, $0.value) }
    let standard = [
      ("host.name", hostName), ("telemetry.sdk.name", "tapeline"), ("telemetry.sdk.language", "swift"),
      ("telemetry.sdk.version", version),
    ]
    for (name, value) in standard where !resource.contains(where: { $0.0 == name }) {
      if let value { resource.append((name, value)) }
    }
    return TraceExportRequest(resource: resource, version: version)
  }
}
