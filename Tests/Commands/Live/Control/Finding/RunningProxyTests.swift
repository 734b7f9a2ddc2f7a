import TapelineOffline
import TapelineTestSupport
import Testing

@testable import TapelineLive

@Suite("Running proxy")
struct RunningProxyTests {
  private let recordings: RunningRecordings

  init() throws {
    recordings = try RunningRecordings()
    try recordings.add(["127.0.0.1:7"], in: "/home/first")
  }

  @Test("The shell's own is meant")
  func own() throws {
    let proxy = try RunningProxy.find(endpoint: nil, nil, from: recordings.shell(in: "/home/first"))
    #expect(proxy.endpoint.description == "127.0.0.1:7")
    #expect(proxy.controlPath == recordings.servers[0].path)
    #expect(proxy.status?.title == "curl x")
    #expect(proxy.text == "process 7, 127.0.0.1:7, /a.har")
  }

  @Test("Another has to be named: by its address, its name, its socket, or the environment")
  func others() throws {
    let second = try recordings.add(["0.0.0.0:8", "[::1]:9"], process: 8, in: "/home/second")
    let failure = #expect(throws: CommandFailure.self) {
      try RunningProxy.find(endpoint: nil, nil, from: recordings.shell())
    }
    #expect(failure?.status == .usage)
    #expect(failure?.choices.count == 2)
    let endpoint = try #require(Endpoint("127.0.0.1:8"))
    let shell = recordings.shell(in: "/home/first")
    #expect(try RunningProxy.find(endpoint: endpoint, nil, from: shell).controlPath == second)
    #expect(try RunningProxy.find(endpoint: nil, .socket(second), from: shell).endpoint.description == "0.0.0.0:8")
    #expect(try RunningProxy.find(endpoint: nil, .name("8"), from: shell).controlPath == second)
    let pointed = recordings.shell(in: "/home/first", ["TAPELINE_CONTROL": second])
    #expect(try RunningProxy.find(endpoint: nil, nil, from: pointed).controlPath == second)
  }

  @Test("What an ended recording has left in the shell does not matter")
  func stale() throws {
    let shell = recordings.shell(in: "/home/first", ["TAPELINE_CONTROL": "/gone.sock", "http_proxy": "http://127.0.0.1:6"])
    #expect(try RunningProxy.find(endpoint: nil, nil, from: shell).controlPath == recordings.servers[0].path)
    let nobody = try RunningProxy.find(endpoint: nil, nil, from: try RunningRecordings().shell())
    #expect(nobody.endpoint.description == "127.0.0.1:8888")
    #expect(nobody.text == "127.0.0.1:8888, which is not known to be a recording of yours")
  }

  @Test("An address is taken at its word where no recording of ours says that it listens there")
  func unknown() throws {
    let endpoint = try #require(Endpoint("127.0.0.1:8"))
    let proxy = try RunningProxy.find(endpoint: endpoint, nil, from: recordings.shell(in: "/home/first"))
    #expect(proxy.endpoint == endpoint)
    #expect(proxy.controlPath == nil)
    #expect(proxy.status == nil)
  }
}
