import ArgumentParser
import TapelineOffline
import TapelineLive
import TapelineLoop
import TapelineTestSupport
import TapelineTransport
import Testing

@testable import tapeline

@Suite("Upstream proxy options")
struct UpstreamOptionsTests {
  private func upstreamProxy(_ arguments: String..., listeners: [SocketAddress] = []) throws -> UpstreamProxy? {
    try UpstreamOptions.parse(arguments).upstreamProxy(besides: listeners)
  }

  @Test("Who names none reaches servers directly")
  func none() throws {
    #expect(try upstreamProxy() == nil)
  }

  @Test("A proxy with its credentials and exceptions arrives")
  func given() throws {
    let proxy = try #require(
      try upstreamProxy(
        "--upstream-proxy", "http://me:p%40ss@Proxy.example:3128", "--upstream-proxy-except", "localhost,.internal",
        "--upstream-proxy-except", "10.0.0.0/8"))
    #expect(proxy.host == "proxy.example")
    #expect(proxy.port == 3128)
    #expect(proxy.credential == Credential(user: "me", password: "p@ss"))
    for host in ["localhost", "a.internal", "10.1.2.3"] { #expect(proxy.exceptions.matches(host: host, port: 80), "\(host)") }
    #expect(!proxy.exceptions.matches(host: "origin.test", port: 80))
  }

  @Test("@FILE gives its first line, whoever wrote its line ends", arguments: ["\n", "\r\nmore\n", ""])
  func file(end: String) throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("http://me:secret@proxy.example:3128\(end)", to: "proxy", mode: 0o600)
    #expect(
      try upstreamProxy("--upstream-proxy", "@\(path)")?.credential == Credential(user: "me", password: "secret"))
  }

  @Test("A file that names no proxy, or is none, is bad input, and its content is not said")
  func badFile() throws {
    let directory = try TemporaryDirectory()
    let content = try directory.write("http://me:secret@:3128", to: "proxy", mode: 0o600)
    for path in [content, directory.path("missing")] {
      do throws(CommandFailure) {
        guard let options = try? UpstreamOptions.parse(["--upstream-proxy", "@\(path)"]) else {
          Issue.record("a file is read when it is needed, not when it is named")
          return
        }
        _ = try options.upstreamProxy(besides: [])
        Issue.record("\(path) was taken")
      } catch {
        #expect(error.status == .badInput)
        #expect(error.what == "--upstream-proxy @\(path)")
        #expect(!error.description.contains("secret"))
      }
    }
  }

  @Test("A file that others can read keeps no password")
  func openFile() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("http://me:secret@proxy.example:3128", to: "proxy", mode: 0o644)
    #expect {
      _ = try upstreamProxy("--upstream-proxy", "@\(path)")
    } throws: { error in
      let failure = error as? CommandFailure
      return failure?.status == .badInput && failure?.remedy == "chmod 600 \(path)"
    }
  }

  @Test(
    "What cannot be is refused when it is said, with what to do",
    arguments: [
      ["--upstream-proxy", "https://proxy.example"], ["--upstream-proxy", "socks4://proxy.example"], ["--upstream-proxy", ""],
      ["--upstream-proxy", "proxy.example:0"], ["--upstream-proxy", "http://proxy.example/path"],
      ["--upstream-proxy", "proxy.example", "--upstream-proxy-except", "10.0.0.0/40"], ["--upstream-proxy-except", "localhost"],
    ])
  func refused(arguments: [String]) {
    #expect {
      try UpstreamOptions.parse(arguments)
    } throws: { error in
      let message = UpstreamOptions.message(for: error)
      return message.hasPrefix("--upstream-proxy") && message.contains("; ")
    }
  }

  @Test(
    "A proxy where we listen ourselves is refused",
    arguments: [
      ("127.0.0.1:8888", "http://127.0.0.1:8888", true), ("127.0.0.1:8888", "http://localhost:8888", true),
      ("0.0.0.0:8888", "http://127.0.0.1:8888", true), ("[::1]:8888", "http://[::1]:8888", true),
      ("127.0.0.1:8888", "http://127.0.0.1:8889", false), ("127.0.0.1:8888", "http://127.0.0.2:8888", false),
      ("127.0.0.1:0", "http://127.0.0.1:8888", false), ("127.0.0.1:80", "http://proxy.example", false),
    ])
  func ourselves(listener: String, proxy: String, isRefused: Bool) throws {
    let address = try #require(Endpoint(listener)).address
    if isRefused {
      #expect {
        _ = try upstreamProxy("--upstream-proxy", proxy, listeners: [address])
      } throws: {
        ($0 as? CommandFailure)?.status == .usage
      }
    } else {
      #expect(try upstreamProxy("--upstream-proxy", proxy, listeners: [address]) != nil)
    }
  }
}
