import TapelineTestSupport
import Testing

@testable import tapeline

@Suite("Running proxy")
struct RunningProxyTests {
  /// Recordings that say of themselves what they are told to, in a runtime directory of their own.
  private final class Recordings {
    private let directory: TemporaryDirectory
    private(set) var servers: [ControlServer] = []

    init() throws {
      directory = try TemporaryDirectory()
    }

    deinit {
      for server in servers {
        server.close()
      }
    }

    var environment: [String: String] {
      ["XDG_RUNTIME_DIR": directory.path, "TMPDIR": directory.path("none")]
    }

    func add(_ endpoints: [String]) throws {
      var status = RecordingStatusTests.sample
      status.endpoints = endpoints
      let members = status.members
      servers.append(
        try ControlServer(directories: [ControlDirectory(path: directory.path("tapeline"))]) { _ in .result(members) })
    }
  }

  @Test("The only one is meant")
  func only() throws {
    let recordings = try Recordings()
    try recordings.add(["127.0.0.1:7"])
    let proxy = try RunningProxy.find(endpoint: nil, controlPath: nil, environment: recordings.environment)
    #expect(proxy.endpoint.description == "127.0.0.1:7")
    #expect(proxy.controlPath == recordings.servers[0].path)
    #expect(proxy.status?.title == "curl x")
  }

  @Test("Of several one has to be named: by its address, its socket, or the environment")
  func several() throws {
    let recordings = try Recordings()
    try recordings.add(["127.0.0.1:7"])
    try recordings.add(["0.0.0.0:8", "[::1]:9"])
    var environment = recordings.environment
    let failure = #expect(throws: CommandFailure.self) {
      try RunningProxy.find(endpoint: nil, controlPath: nil, environment: environment)
    }
    #expect(failure?.status == .usage)
    #expect(failure?.why.contains("(curl x), ") == true)
    let endpoint = try #require(EndpointArgument(argument: "127.0.0.1:8"))
    let second = recordings.servers[1].path
    #expect(
      try RunningProxy.find(endpoint: endpoint, controlPath: nil, environment: environment).controlPath == second)
    #expect(
      try RunningProxy.find(endpoint: nil, controlPath: second, environment: environment).endpoint.description == "0.0.0.0:8")
    environment["TAPELINE_CONTROL"] = second
    #expect(try RunningProxy.find(endpoint: nil, controlPath: nil, environment: environment).controlPath == second)
    #expect(try ControlClient.find(named: nil, environment: environment).path == second)
  }

  @Test("An address is taken at its word where no recording of ours says that it listens there")
  func unknown() throws {
    let recordings = try Recordings()
    try recordings.add(["127.0.0.1:7"])
    let endpoint = try #require(EndpointArgument(argument: "127.0.0.1:8"))
    let proxy = try RunningProxy.find(endpoint: endpoint, controlPath: nil, environment: recordings.environment)
    #expect(proxy.endpoint == endpoint)
    #expect(proxy.controlPath == nil)
    #expect(proxy.status == nil)
  }
}
