import ArgumentParser
import TapelineLive
import TapelineOffline
import TapelineHTTP
import TapelineLoop
import TapelineProxy
import TapelineRecorder
import TapelineTime
import TapelineTransport
import Testing

@testable import tapeline

@Suite("What the recording commands share")
struct CaptureCommandTests {
  private let defaultListen = Endpoint.loopback(port: 8_888)

  @Test("The defaults are those of the documentation")
  func defaults() throws {
    let options = try RecordCommand.parse([])
    let proxy = options.proxyConfiguration(defaultListen: defaultListen)
    #expect(proxy.listen.map(\.description) == ["127.0.0.1:8888"])
    #expect((1...4).contains(proxy.threads))
    #expect(proxy.connectTimeout == nil)
    #expect(proxy.idleTimeout == nil)
    #expect(proxy.headerTimeout == nil)
    #expect(proxy.limits.headerBlock == 1_048_576)
    #expect(proxy.bodies == .all)
    #expect(proxy.maxBody == 1_048_576)
    #expect(proxy.maxConnections >= 8)
    #expect(proxy.interception == nil)
    let recorder = try options.recorderConfiguration(output: "a.har", title: "t")
    #expect(recorder.path == "a.har")
    #expect(recorder.redaction != nil)
    #expect(recorder.bodiesDirectory == nil)
    #expect(recorder.fileSizeLimit == 500_000_000)
    #expect(recorder.rotationInterval == nil)
    #expect(recorder.sync == .never)
    #expect(recorder.decodedBodyLimit == 16_777_216)
    #expect(recorder.debugLog == nil)
    #expect(!recorder.includesDebug)
    #expect(recorder.queueLimit <= 1 << 30 && recorder.overload == .drop)
  }

  @Test("Every option arrives where it acts")
  func options() throws {
    let options = try RecordCommand.parse([
      "--listen", "127.0.0.1:0", "--listen", "[::1]:9", "--bodies", "text", "--max-body", "64KiB", "--no-redact", "--debug-log",
      "-",
      "--threads", "3", "--connect-timeout", "500ms", "--idle-timeout", "5s", "--header-timeout", "1m",
      "--response-timeout", "2m", "--max-header-size", "8KiB", "--max-header-fields", "300",
      "--tolerate", "both-framings", "--tolerate", "bare-line-feed",
      "--max-connections", "7", "--debug-entries", "--bodies-dir", "bodies", "--rotate-size", "10MiB", "--rotate-every", "1h",
      "--fsync", "5s", "--clock", "loop", "--queue", "2GiB", "--overload", "wait", "--overload-patience", "2m",
    ])
    let proxy = options.proxyConfiguration(defaultListen: defaultListen)
    #expect(proxy.listen.map(\.description) == ["127.0.0.1:0", "[::1]:9"])
    #expect(proxy.threads == 3)
    #expect(proxy.clock == .loop)
    #expect(proxy.connectTimeout == .milliseconds(500))
    #expect(proxy.idleTimeout == .seconds(5))
    #expect(proxy.headerTimeout == .seconds(60))
    #expect(proxy.responseTimeout == .seconds(120))
    #expect(proxy.limits.headerBlock == 8_192)
    #expect(proxy.limits.fields == 300)
    #expect(proxy.limits.tolerance == [.bothFramings, .bareLineFeed])
    #expect(proxy.bodies == .text)
    #expect(proxy.maxBody == 65_536)
    #expect(proxy.maxConnections == 7)
    let recorder = try options.recorderConfiguration(output: "a.har", title: "t")
    #expect(recorder.redaction == nil)
    #expect(recorder.bodiesDirectory == "bodies")
    #expect(recorder.fileSizeLimit == 10_485_760)
    #expect(recorder.rotationInterval == .seconds(3_600))
    #expect(recorder.sync == .interval(.seconds(5)))
    #expect(recorder.debugLog == .standardOutput)
    #expect(recorder.includesDebug)
    #expect(recorder.queueLimit == 2 << 30)
    #expect(recorder.overload == .wait(patience: .seconds(120)))
    let usual = try RecordCommand.parse(["--overload", "wait"]).recorderConfiguration(output: "a.har", title: "t")
    #expect(usual.overload == .wait(patience: .seconds(30)))
  }

  @Test(
    "Contradictions and values out of range are refused",
    arguments: [
      ["--output", "-"], ["-q", "-v"], ["--listen", "0.0.0.0:80"], ["--listen", "127.0.0.1:1", "--listen", "192.0.2.1:2"],
      ["--threads", "0"], ["--threads", "65"], ["--max-connections", "0"], ["--max-body", "1GiB"], ["--max-header-size", "10"],
      ["--max-header-size", "17MiB"], ["--max-header-fields", "9"], ["--tolerate", "everything"],
      ["--connect-timeout", "0"], ["--idle-timeout", "0s"], ["--header-timeout", "0ms"],
      ["--response-timeout", "0"], ["--bodies", "some"],
      ["--bodies", "none", "--bodies-dir", "b"], ["--redact", "f", "--no-redact"], ["--rotate-size", "1k"],
      ["--rotate-every", "0"],
      ["--rotate-every", "999ms"], ["--fsync", "sometimes"], ["--clock", "wall"],
      ["--queue", "1023KiB"], ["--overload", "block"], ["--overload-patience", "1s"],
    ])
  func refusal(arguments: [String]) {
    #expect(throws: (any Error).self) { try RecordCommand.parse(arguments) }
  }

  @Test("A large body to keep may be decoded into a larger one")
  func decodedBodies() throws {
    let recorder = try RecordCommand.parse(["--max-body", "64MiB"]).recorderConfiguration(output: "a.har", title: "t")
    #expect(recorder.decodedBodyLimit == 256 << 20)
  }

  @Test("Other machines are let in when that is asked for")
  func remote() throws {
    #expect(try RecordCommand.parse(["--listen", "0.0.0.0:80", "--allow-remote"]).listening.listen.count == 1)
  }

  @Test("A recording is what its options and its command say")
  func recording() throws {
    let options = try RecordCommand.parse([
      "--name", "web", "--port-file", "port", "--verbose", "--auth", "me:secret", "--upstream-proxy", "http://proxy.example:3128",
      "--strict", "--intercept",
    ])
    var defaults = CaptureDefaults(listen: .loopback(port: 0), intercepts: false, handsOverTrust: true, title: "t")
    let kept = try options.recording(defaults)
    #expect(kept.output == nil && kept.isKept)
    #expect(kept.name == "web" && kept.portFile == "port" && !kept.isQuiet)
    #expect(kept.credentials?.text == "me:secret")
    #expect(kept.proxy.upstreamProxy?.host == "proxy.example")
    #expect(kept.https.map { $0.handsOverTrust && !$0.failsOpen } == true)
    #expect(kept.settings?.contains("HTTPS intercepted, servers through http://proxy.example:3128") == true)
    defaults.scratchOutput = "/scratch/replay.har"
    let scratch = try options.recording(defaults)
    #expect(scratch.output == "/scratch/replay.har" && !scratch.isKept)
    let named = try RecordCommand.parse(["-o", "a.har", "-q", "--no-intercept"]).recording(defaults)
    #expect(named.output == "a.har" && named.isKept && named.isQuiet)
    #expect(named.https == nil && named.settings == nil && named.credentials == nil)
  }
}
