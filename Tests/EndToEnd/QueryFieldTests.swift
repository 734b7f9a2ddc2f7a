import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Each field of queries, by the program and by the page's own interpreter, over one capture.
  @Suite struct QueryFields {
    private static let capture = "\(repositoryRoot)/Tests/Fixtures/query/every-field.har"

    private static func lines() throws -> [(numbers: String, query: String)] {
      String(decoding: try readFile("\(repositoryRoot)/Tests/Fixtures/query/queries.txt"), as: UTF8.self)
        .split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
          let parts = line.split(separator: "\t").map(String.init)
          return (parts[1], parts[2])
        }
    }

    @Test func thePageFindsWhatTheProgramFinds() throws {
      let lines = try Self.lines()
      let refused = [
        (#"host == "localhost:8080""#, "Column 9: host has no port; use origin, or port beside host"),
        (#"path == "orders""#, #"Column 9: a path begins with /; write "/orders", or ~ for a part of the path"#),
        (
          "total > content.size",
          "Column 9: the two fields have different units; compare times with times, sizes with sizes, texts with texts"
        ),
      ]
      let queries = (lines.map(\.query) + refused.map(\.0)).map(JSONText.quoted).joined(separator: ",")
      let outcome = try ReportBrowser.visit(
        Self.capture,
        [
          .evaluate(
            """
            (async () => {
              const found = [];
              for (const query of [\(queries)]) {
                location.hash = `#q=${encodeURIComponent(query)}`;
                await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
                const message = document.querySelector('#filter-message');
                const numbers = [...document.querySelectorAll('.row:not([hidden]):not(.page) .cell-number')]
                  .map((one) => Number(one.textContent)).sort((a, b) => a - b);
                found.push(message.hidden ? numbers.join(',') : message.textContent);
              }
              return found;
            })()
            """)
        ])
      #expect(outcome.problems == [])
      let found = outcome.results[0].elements.compactMap(\.string)
      let expected = lines.map { ($0.query, $0.numbers) } + refused
      #expect(found.count == expected.count)
      for (found, line) in zip(found, expected) { #expect(found == line.1, "\(line.0)") }
    }

    @Test func theProgramFindsByEachField() throws {
      for line in try Self.lines() {
        let list = try TestProcess(
          TapelineProcess.binary, ["list", Self.capture, "--columns", "number", "--csv", "--filter", line.query])
        try list.wait(seconds: 60)
        let numbers = list.outputText.split(whereSeparator: \.isNewline).dropFirst().joined(separator: ",")
        #expect(numbers == line.numbers, "\(line.query): \(list.errorText)")
      }
    }

    @Test func anyFieldIsAGroup() throws {
      func groups(_ by: String) throws -> [String] {
        let stats = try TestProcess(TapelineProcess.binary, ["stats", Self.capture, "--json", "--by", by])
        try #require(try stats.wait(seconds: 60).isSuccess, "\(stats.errorText)")
        let json = try JSONTree(parsing: Array(stats.outputText.utf8))
        return json["groups"]?.elements.compactMap { $0["name"]?.string }.sorted() ?? []
      }
      #expect(
        try groups("origin") == ["http://[::1]:9000", "http://other.test", "https://api.example.com:8443"])
      #expect(try groups(#"req.param["item"]"#) == ["lamp", "none"])
      #expect(try groups("tls.version,status").contains("TLSv1.3, 503/8"))
      let unknown = try TestProcess(TapelineProcess.binary, ["stats", Self.capture, "--by", "hots"])
      try unknown.wait(seconds: 60)
      #expect(unknown.exitStatus == .exited(64))
      #expect(unknown.errorText.contains("--by: column 1: unknown field hots; did you mean host?"), "\(unknown.errorText)")
    }
  }
}
