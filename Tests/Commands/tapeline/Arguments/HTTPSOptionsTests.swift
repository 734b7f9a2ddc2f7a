import ArgumentParser
internal import TapelineLive
import TapelineProxy
import TapelineTLS
import TapelineBase
import Testing

@testable import tapeline

@Suite("HTTPS options")
struct HTTPSOptionsTests {
  @Test("Who says nothing gets what the command does by default")
  func defaults() throws {
    let options = try HTTPSOptions.parse([])
    #expect(options.intercepts(byDefault: true))
    #expect(!options.intercepts(byDefault: false))
  }

  @Test(
    "Who says something gets that",
    arguments: [
      (["--intercept"], true), (["--no-intercept"], false), (["--intercept-host", "*.example.com"], true),
      (["--no-intercept", "--insecure-upstream"], false),
    ])
  func choice(arguments: [String], intercepts: Bool) throws {
    let options = try HTTPSOptions.parse(arguments)
    #expect(options.intercepts(byDefault: true) == intercepts)
    #expect(options.intercepts(byDefault: false) == intercepts)
  }

  @Test("Options arrive")
  func options() throws {
    let options = try HTTPSOptions.parse([
      "--intercept-host", "*.example.com", "--intercept-host", "127.0.0.1", "--passthrough-host", "b.example.com", "--strict",
      "--ca-dir", "/ca", "--upstream-ca", "root.pem",
    ])
    #expect(options.interceptHosts.map(\.description) == ["*.example.com", "127.0.0.1"])
    #expect(options.passthroughHosts.map(\.description) == ["b.example.com"])
    #expect(options.strict)
    let configuration = options.configuration
    #expect(configuration.interceptHosts == options.interceptHosts && configuration.passthroughHosts == options.passthroughHosts)
    #expect(!configuration.failsOpen && !configuration.trustsAnyServer)
    #expect(configuration.authorityDirectory == "/ca" && configuration.upstreamAuthority == "root.pem")
    #expect(options.upstreamAuthority == "root.pem")
    #expect(!options.trustsAnyServer)
  }

  @Test(
    "Contradictions are refused",
    arguments: [
      ["--no-intercept", "--intercept-host", "a.example"], ["--no-intercept", "--passthrough-host", "a.example"],
      ["--no-intercept", "--strict"], ["--insecure-upstream", "--upstream-ca", "f"], ["--intercept-host", "https://a.example/"],
      ["--intercept-host", ""],
    ])
  func refusal(arguments: [String]) {
    #expect(throws: (any Error).self) { try HTTPSOptions.parse(arguments) }
  }
}
