import Testing

@testable import TapelineOTLP

struct ExportSettingsTests {
  private func settings(_ argument: String = "env", _ environment: [String: String] = [:]) throws -> ExportSettings {
    try ExportSettings(argument, environment: environment)
  }

  @Test(
    "The option names the collector, with or without the path",
    arguments: [
      ("http://localhost:4318", "http://localhost:4318/v1/traces"), ("https://c.example/", "https://c.example/v1/traces"),
      ("http://[::1]:4318/otlp", "http://[::1]:4318/otlp/v1/traces"),
      ("http://c.example/v1/traces", "http://c.example/v1/traces"), ("HTTP://C.example", "HTTP://C.example/v1/traces"),
    ])
  func option(argument: String, url: String) throws {
    #expect(try settings(argument, ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://other"]).url == url)
  }

  @Test("A variable for traces comes before the one for all signals, and is used as it is")
  func endpoints() throws {
    #expect(try settings().url == "http://localhost:4318/v1/traces")
    let all = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c.example:4318/base"]
    #expect(try settings("env", all).url == "http://c.example:4318/base/v1/traces")
    let traces = all.merging(["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t.example/in"]) { $1 }
    #expect(try settings("env", traces).url == "http://t.example/in")
    #expect(try settings("env", ["OTEL_EXPORTER_OTLP_ENDPOINT": ""]).url == "http://localhost:4318/v1/traces")
  }

  @Test(
    "What is not the URL of a collector is refused",
    arguments: [
      "", "localhost:4318", "ftp://c.example", "http://", "http:///v1/traces", "http://a:b@c.example", "http://c.example?x=1",
      "http://c.example:0",
    ])
  func refusesURLs(argument: String) {
    #expect(throws: ExportSettings.Problem.self) { try settings(argument) }
  }

  @Test("Headers are percent-decoded; those for traces replace the others")
  func headers() throws {
    let all = ["OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b, x = 1=2 ,api-key=c"]
    #expect(try settings("env", all).headers.map { "\($0.name):\($0.value)" } == ["x:1=2", "api-key:c"])
    let traces = all.merging(["OTEL_EXPORTER_OTLP_TRACES_HEADERS": "y=2"]) { $1 }
    #expect(try settings("env", traces).headers.map { "\($0.name):\($0.value)" } == ["y:2"])
  }

  @Test(
    "What no field may have is refused, and so are fields that frame a message",
    arguments: ["nothing", "a=%zz", "a=b%0D%0Ac:%20d", "a=%00", "a b=c", "Content-Length=5", "host=x"])
  func refusesHeaders(value: String) {
    #expect(throws: ExportSettings.Problem.self) { try settings("env", ["OTEL_EXPORTER_OTLP_HEADERS": value]) }
  }

  @Test("OTEL_SERVICE_NAME comes before service.name in OTEL_RESOURCE_ATTRIBUTES")
  func resource() throws {
    func resource(_ environment: [String: String]) throws -> [String] {
      try settings("env", environment).resource.map { "\($0.name)=\($0.value)" }
    }
    #expect(try resource([:]) == ["service.name=tapeline"])
    let attributes = ["OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=ci,service.name=shop"]
    #expect(try resource(attributes) == ["deployment.environment.name=ci", "service.name=shop"])
    #expect(
      try resource(attributes.merging(["OTEL_SERVICE_NAME": "checkout"]) { $1 })
        == ["service.name=checkout", "deployment.environment.name=ci"])
  }

  @Test("Compression, time-out and protocol have few values")
  func others() throws {
    #expect(try settings().isCompressed)
    #expect(try !settings("env", ["OTEL_EXPORTER_OTLP_COMPRESSION": "none"]).isCompressed)
    #expect(try settings("env", ["OTEL_EXPORTER_OTLP_TIMEOUT": "2500"]).attemptMilliseconds == 2_500)
    for (name, value) in [("COMPRESSION", "br"), ("TIMEOUT", "soon"), ("TIMEOUT", "0"), ("PROTOCOL", "grpc")] {
      #expect(throws: ExportSettings.Problem.self) { try settings("env", ["OTEL_EXPORTER_OTLP_\(name)": value]) }
    }
    // A URL that is named on the command line is one for this protocol.
    #expect(throws: Never.self) { try settings("http://c.example", ["OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"]) }
  }

  @Test("Metrics go to the same collector under their own path, or to a URL of their own")
  func metrics() throws {
    func url(_ argument: String, _ environment: [String: String] = [:]) throws -> String {
      try ExportSettings(argument, environment: environment).metricsURL
    }
    #expect(try url("http://a:1") == "http://a:1/v1/metrics")
    #expect(try url("http://a:1/x/v1/traces") == "http://a:1/x/v1/metrics")
    #expect(try url("env") == "http://localhost:4318/v1/metrics")
    #expect(try url("env", ["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://b/m"]) == "http://b/m")
    #expect(try url("http://a:1", ["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://b/m"]) == "http://a:1/v1/metrics")
    #expect(try ExportSettings("env", environment: ["OTEL_METRIC_EXPORT_INTERVAL": "500"]).metricsMilliseconds == 500)
    #expect(throws: ExportSettings.Problem.self) {
      try ExportSettings("env", environment: ["OTEL_METRIC_EXPORT_INTERVAL": "soon"])
    }
  }
}
