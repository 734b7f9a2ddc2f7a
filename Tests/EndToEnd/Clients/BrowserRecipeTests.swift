import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The recipes of docs/browsers.md as they stand there, and `run --browser`.
  @Suite struct BrowserRecipes {
    private let authority: TestAuthority
    private let server: NginxServer
    private let directory: TemporaryDirectory

    init() throws {
      authority = try TestAuthority()
      server = try NginxServer(identity: authority.issue())
      try server.serve(Array("<!DOCTYPE html><title>A recipe</title><img src=/pixel.svg>".utf8), as: "page.html")
      try server.serve(Array(#"<svg xmlns="http://www.w3.org/2000/svg"/>"#.utf8), as: "pixel.svg")
      directory = try TemporaryDirectory()
    }

    /// The first block of Python under the heading.
    private func recipe(_ heading: String) throws -> String {
      let page = try String(decoding: readFile("\(repositoryRoot)/docs/browsers.md"), as: UTF8.self)
      let lines = page.split(separator: "\n", omittingEmptySubsequences: false).drop { $0 != "### \(heading)" }
      let code = lines.drop { $0 != "```python" }.dropFirst().prefix { $0 != "```" }
      try #require(!code.isEmpty, "docs/browsers.md has the recipe")
      return try directory.write(code.joined(separator: "\n"), to: "recipe.py")
    }

    private func run(options: [String] = [], _ command: [String]) throws -> RunRecording {
      try RunRecording(
        trusting: authority, options: options, command,
        environment: ["HOME": directory.path, "MOZ_DISABLE_CONTENT_SANDBOX": "1"], seconds: 120)
    }

    private func expectPage(_ run: RunRecording) throws {
      for path in ["/page.html", "/pixel.svg"] {
        let entry = try #require(run.exchanges.first { $0.url == server.tlsURL(path) }, "\(run.process.errorText)")
        #expect(entry.status == 200)
      }
    }

    @Test("A recipe records the page", arguments: ["Playwright", "Selenium"])
    func driver(heading: String) throws {
      let run = try run([pythonInterpreter(), try recipe(heading), server.tlsURL("/page.html")])
      #expect(run.process.outputText == "A recipe\n")
      try expectPage(run)
      #expect(!run.process.errorText.contains("our certificate for localhost"), "\(run.process.errorText)")
    }

    @Test("A browser's alerts before it goes on do not end interception, and the message is true afterwards")
    func ignoredErrors() throws {
      let recipe = try recipe("Playwright with ignore_https_errors")
      let run = try run([pythonInterpreter(), recipe, server.tlsURL("/page.html")])
      #expect(run.process.outputText == "A recipe\n")
      try expectPage(run)
      let lines = run.process.errorText.split(separator: "\n").filter { $0.contains("our certificate for localhost") }
      #expect(lines.count == 1 && lines[0].contains("if it goes on, it is recorded;"), "\(run.process.errorText)")
      #expect(!run.process.errorText.contains("is passed through to localhost, unread"))
    }

    @Test("run --browser chromium, and nothing goes past the recording")
    func chromium() throws {
      let run = try run(
        options: ["--browser", "chromium", "--require-all"],
        ["--headless", "--disable-gpu", "--dump-dom", server.tlsURL("/page.html")])
      #expect(run.process.outputText.contains("<title>A recipe</title>"))
      try expectPage(run)
    }

    @Test("run --browser firefox")
    func firefox() throws {
      let run = try run(
        options: ["--browser", "firefox"],
        ["--headless", "--screenshot", directory.path("page.png"), server.tlsURL("/page.html")])
      try expectPage(run)
      #expect(!run.process.errorText.contains("by itself"), "\(run.process.errorText)")
    }
  }
}
