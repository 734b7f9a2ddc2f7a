import ArgumentParser
import TapelineHTTP
import TapelineLoop
import TapelineProxy
import TapelineRecorder
import Testing

@testable import tapeline

@Suite("Capture options")
struct CaptureOptionsTests {
  private let defaultListen = EndpointArgument.loopback(port: 8_888)

  @Test("The defaults are those of the documentation")
  func defaults() throws {
    let options = try CaptureOptions.parse([])
    let proxy = options.proxyConfiguration(defaultListen: defaultListen)
    #expect(proxy.listen.map(\.description) == ["127.0.0.1:8888"])
    #expect((1...4).contains(proxy.threads))
    #expect(proxy.connectTimeout == 10_000_000_000)
    #expect(proxy.idleTimeout == 60_000_000_000)
    #expect(proxy.headerTimeout == 30_000_000_000)
    #expect(proxy.limits.headerBlock == 65_536)
    #expect(proxy.bodies == .all)
    #expect(proxy.maxBody == 1_048_576)
    #expect(proxy.maxConnections >= 8)
    let recorder = options.recorderConfiguration(output: "a.har", title: "t")
    #expect(recorder.path == "a.har")
    #expect(recorder.redacts)
    #expect(recorder.debugLog == nil)
    #expect(!recorder.includesDebug)
  }

  @Test("Every option arrives where it acts")
  func options() throws {
    let options = try CaptureOptions.parse([
      "--listen", "127.0.0.1:0", "--listen", "[::1]:9", "--bodies", "text", "--max-body", "64KiB", "--no-redact", "--debug-log",
      "-",
      "--threads", "3", "--connect-timeout", "500ms", "--idle-timeout", "5s", "--header-timeout", "1m", "--max-header-size",
      "8KiB",
      "--max-connections", "7", "--debug-entries",
    ])
    let proxy = options.proxyConfiguration(defaultListen: defaultListen)
    #expect(proxy.listen.map(\.description) == ["127.0.0.1:0", "[::1]:9"])
    #expect(proxy.threads == 3)
    #expect(proxy.connectTimeout == 500_000_000)
    #expect(proxy.idleTimeout == 5_000_000_000)
    #expect(proxy.headerTimeout == 60_000_000_000)
    #expect(proxy.limits.headerBlock == 8_192)
    #expect(proxy.bodies == .text)
    #expect(proxy.maxBody == 65_536)
    #expect(proxy.maxConnections == 7)
    let recorder = options.recorderConfiguration(output: "a.har", title: "t")
    #expect(!recorder.redacts)
    #expect(recorder.debugLog == .standardOutput)
    #expect(recorder.includesDebug)
  }

  @Test(
    "Contradictions and values out of range are refused",
    arguments: [
      ["--output", "-"], ["-q", "-v"], ["--listen", "0.0.0.0:80"], ["--listen", "127.0.0.1:1", "--listen", "192.0.2.1:2"],
      ["--threads", "0"], ["--threads", "65"], ["--max-connections", "0"], ["--max-body", "1GiB"], ["--max-header-size", "10"],
      ["--connect-timeout", "0"], ["--idle-timeout", "0s"], ["--header-timeout", "0ms"], ["--bodies", "some"],
    ])
  func refusal(arguments: [String]) {
    #expect(throws: (any Error).self) { try CaptureOptions.parse(arguments) }
  }

  @Test("Other machines are let in when that is asked for")
  func remote() throws {
    #expect(try CaptureOptions.parse(["--listen", "0.0.0.0:80", "--allow-remote"]).listen.count == 1)
  }
}
