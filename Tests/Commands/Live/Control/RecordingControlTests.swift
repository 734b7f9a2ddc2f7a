import TapelineOffline
import TapelineHAR
import TapelineLoop
import TapelineProxy
import TapelineRecorder
import TapelineTestSupport
import Testing

@testable import TapelineLive

@Suite("Recording control")
struct RecordingControlTests {
  private let directory: TemporaryDirectory
  private let control: RecordingControl

  init() throws {
    directory = try TemporaryDirectory()
    let configuration = RecorderConfiguration(path: directory.path("a.har"), title: "first", creatorVersion: "0")
    let recorder = try Recorder(configuration: configuration)
    let server = try ProxyServer(configuration: ProxyConfiguration(listen: [Endpoint.loopback(port: 0).address])) {
      recorder.inlet()
    }
    try server.start()
    control = RecordingControl(server: server, recorder: recorder, version: "0", interception: nil)
  }

  private func end() {
    control.server.shutdown(gracePeriod: .zero)
    _ = control.recorder.finish()
  }

  private func result(_ request: ControlRequest) throws -> HARObject {
    switch control.answer(request) {
    case .result(let members): return members
    case .failure(let failure): throw failure
    }
  }

  @Test("The state is that of a proxy that has seen nothing yet")
  func status() throws {
    defer { end() }
    let status = try RecordingStatus(members: try result(.status))
    #expect(status.title == "first")
    #expect(status.endpoints.count == 1)
    #expect(status.endpoints.first?.hasPrefix("127.0.0.1:") == true)
    #expect(status.directory.map { "\($0)/." } == AbsolutePath.of("."))
    #expect(status.name == nil)
    #expect(status.interception == nil)
    #expect(status.traffic == .init(inFlight: 0, openTunnels: 0, clients: 0, begun: 0, quietMilliseconds: nil))
    #expect(status.log.file == directory.path("a.har"))
    #expect(status.log.files == 1)
    #expect(status.log.recorded == 0)
  }

  @Test("A mark answers with the new page's id")
  func mark() throws {
    let page = try #require(try result(.mark(name: "second"))["page"]?.string)
    end()
    let pages = try HARLog(json: try readFile(directory.path("a.har"))).pages
    #expect(pages.last?.id == page)
    #expect(pages.last?.title == "second")
  }

  @Test("A copy is made under an absolute path, and never over the log itself")
  func snapshot() throws {
    defer { end() }
    let copy = directory.path("copy.har")
    let members = try result(.snapshot(path: copy))
    #expect(members["source"]?.string == directory.path("a.har"))
    #expect(members["entries"]?.integer == 0)
    #expect(try HARLog(json: try readFile(copy)).entries.isEmpty)
    let relative = #expect(throws: CommandFailure.self) { try result(.snapshot(path: "copy.har")) }
    #expect(relative?.status == .usage)
    let own = #expect(throws: CommandFailure.self) { try result(.snapshot(path: directory.path("a.har"))) }
    #expect(own?.status == .cannotCreate)
    let other = directory.path("other.har")
    let split = #expect(throws: CommandFailure.self) { try result(.snapshot(path: "\(other)\0.txt")) }
    #expect(split?.status == .usage)
    #expect(split?.why == "no path has a NUL")
    #expect(!fileExists(other), "nor what stands before it")
  }

  @Test("Where nothing is intercepted nobody is passed through")
  func passthrough() throws {
    defer { end() }
    #expect(try result(.passthrough(clear: false))["passthrough"] == [])
    #expect(try result(.passthrough(clear: true))["passthrough"] == [])
  }

  @Test("A rotation is taken")
  func rotate() throws {
    #expect(try result(.rotate) == [:])
    end()
    #expect(fileExists(directory.path("a-001.har")))
  }
}
