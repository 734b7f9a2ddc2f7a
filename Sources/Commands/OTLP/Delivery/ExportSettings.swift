internal import TapelineBase

/// Where spans go, by the option and by OpenTelemetry's environment variables.
///
/// Source: OpenTelemetry Protocol Exporter, and Resource SDK, "Specifying resource information via an environment variable".
package struct ExportSettings: Hashable, Sendable {
  /// The URL of the collector's traces: `http` or `https`, with its path.
  package let url: String
  /// The same for metrics.
  package let metricsURL: String
  /// Milliseconds from one sending of metrics to the next; `nil` for the standard, a minute.
  package let metricsMilliseconds: Int?
  /// Fields for each request.
  package let headers: [Field]
  package let isCompressed: Bool
  /// A PEM file of the roots to trust instead of the system's.
  package let certificateFile: String?
  /// Milliseconds for one attempt; `nil` for the standard.
  package let attemptMilliseconds: Int?
  /// The subject of the spans: `service.name` and the attributes that the user gave.
  package let resource: [Field]

  package struct Field: Hashable, Sendable {
    package let name: String
    package let value: String
  }

  /// Why no collector can be reached with these settings.
  package struct Problem: Error, Hashable {
    package let what: String
    package let why: String
    package let remedy: String
  }

  /// The argument that takes the URL from the environment.
  package static let fromEnvironment = "env"

  private static let standardEndpoint = "http://localhost:4318"
  private static let path = "/v1/traces"
  private static let metricsPath = "/v1/metrics"
  private static let prefix = "OTEL_EXPORTER_OTLP_"

  /// - Parameter argument: the collector's URL, to which `/v1/traces` is added unless it ends so; or `env`.
  package init(_ argument: String, environment: [String: String]) throws(Problem) {
    // An empty variable counts as unset.
    let variables = environment.filter { !$0.value.isEmpty }
    func variable(_ name: String) -> String? {
      variables["\(Self.prefix)TRACES_\(name)"] ?? variables["\(Self.prefix)\(name)"]
    }
    url = try Self.url(argument, variables)
    metricsURL = try Self.metricsURL(argument, variables, traces: url)
    metricsMilliseconds = try Self.milliseconds(variables["OTEL_METRIC_EXPORT_INTERVAL"], of: "OTEL_METRIC_EXPORT_INTERVAL")
    headers = try Self.headers(
      variable("HEADERS"), of: "\(Self.prefix)\(variables["\(Self.prefix)TRACES_HEADERS"] == nil ? "" : "TRACES_")HEADERS")
    switch variable("COMPRESSION") {
    case nil, "gzip": isCompressed = true
    case "none": isCompressed = false
    case let other?:
      throw Problem(what: "\(Self.prefix)COMPRESSION", why: "\(other) is not known", remedy: "set it to gzip or none")
    }
    certificateFile = variable("CERTIFICATE")
    attemptMilliseconds = try Self.milliseconds(variable("TIMEOUT"), of: "\(Self.prefix)TIMEOUT")
    var resource = try Self.list(variables["OTEL_RESOURCE_ATTRIBUTES"], of: "OTEL_RESOURCE_ATTRIBUTES")
    if let name = variables["OTEL_SERVICE_NAME"] {
      resource.removeAll { $0.name == "service.name" }
      resource.insert(Field(name: "service.name", value: name), at: 0)
    } else if !resource.contains(where: { $0.name == "service.name" }) {
      resource.insert(Field(name: "service.name", value: "tapeline"), at: 0)
    }
    self.resource = resource
  }

  private static func milliseconds(_ text: String?, of name: String) throws(Problem) -> Int? {
    guard let text else { return nil }
    guard let time = Int(text), time > 0 else {
      throw Problem(what: name, why: "\(text) is no number of milliseconds", remedy: "set it to 10000")
    }
    return time
  }

  /// The collector's URL for metrics has another path.
  private static func metricsURL(
    _ argument: String, _ variables: [String: String], traces url: String
  ) throws(Problem) -> String {
    let name = "\(prefix)METRICS_ENDPOINT"
    if argument == fromEnvironment, let url = variables[name] { return try checked(url, of: name) }
    return url.hasSuffix(path) ? String(url.dropLast(path.count)) + metricsPath : url
  }

  private static func url(_ argument: String, _ variables: [String: String]) throws(Problem) -> String {
    guard argument == fromEnvironment else { return try completed(argument, of: "--otlp \(argument)") }
    if let other = variables["\(prefix)TRACES_PROTOCOL"] ?? variables["\(prefix)PROTOCOL"], other != "http/protobuf" {
      throw Problem(
        what: "\(prefix)PROTOCOL", why: "tapeline speaks http/protobuf, not \(other)",
        remedy: "name the collector's URL for http/protobuf with --otlp")
    }
    // A URL for traces alone is used as it is.
    if let url = variables["\(prefix)TRACES_ENDPOINT"] { return try checked(url, of: "\(prefix)TRACES_ENDPOINT") }
    return try completed(variables["\(prefix)ENDPOINT"] ?? standardEndpoint, of: "\(prefix)ENDPOINT")
  }

  private static func completed(_ text: String, of name: String) throws(Problem) -> String {
    let url = try checked(text, of: name)
    let base = url.hasSuffix("/") ? String(url.dropLast()) : url
    return base.hasSuffix(path) ? base : base + path
  }

  private static func checked(_ url: String, of name: String) throws(Problem) -> String {
    let parts = URIReference(url)
    guard let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme), let authority = parts.authority,
      let host = HostAndPort(parts.hostAndPort ?? ""), !host.host.isEmpty, parts.query == nil, parts.fragment == nil
    else {
      throw Problem(what: name, why: "it is not the URL of a collector", remedy: "give one like http://localhost:4318")
    }
    guard !authority.contains("@") else {
      throw Problem(
        what: name, why: "it has a name and a password", remedy: "give them by OTEL_EXPORTER_OTLP_HEADERS=authorization=…")
    }
    return url
  }

  /// The fields that say where a message ends and whom it is for.
  private static let ownFields: Set = ["connection", "content-length", "host", "te", "trailer", "transfer-encoding", "upgrade"]

  private static func headers(_ text: String?, of name: String) throws(Problem) -> [Field] {
    let fields = try list(text, of: name)
    for field in fields {
      guard !ownFields.contains(field.name.lowercased()) else {
        throw Problem(what: name, why: "tapeline itself sets \(field.name)", remedy: "leave it out")
      }
      // A line end would begin another field (RFC 9110 5.5).
      guard field.name.utf8.allSatisfy(ByteSet.token.contains), field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        throw Problem(
          what: name, why: "the name or value of a field in it has characters that no field may have",
          remedy: "write it like name=value,name=value")
      }
    }
    return fields
  }

  /// `name=value,name=value`, percent-encoded, as in W3C Baggage without properties.
  private static func list(_ text: String?, of name: String) throws(Problem) -> [Field] {
    guard let text else { return [] }
    var fields: [Field] = []
    for member in text.split(separator: ",") {
      let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let key = parts[0].trimmingBlanks
      guard parts.count == 2, !key.isEmpty, let value = PercentEncoding.decodeStrictly(parts[1].trimmingBlanks) else {
        throw Problem(what: name, why: "it is not a list of names and values", remedy: "write it like name=value,name=value")
      }
      fields.removeAll { $0.name == key }
      fields.append(Field(name: key, value: value))
    }
    return fields
  }
}

extension Substring {
  fileprivate var trimmingBlanks: String {
    let blanks: Set<Character> = [" ", "\t"]
    let start = drop { blanks.contains($0) }
    return String(start.reversed().drop { blanks.contains($0) }.reversed())
  }
}
