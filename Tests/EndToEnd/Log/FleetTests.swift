import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Questions to many captures.
  @Suite struct Fleet {
    private static func tapeline(_ arguments: [String]) throws -> TestProcess {
      let process = try TestProcess(TapelineProcess.binary, arguments)
      try process.wait(seconds: 60)
      return process
    }

    /// A log of `count` exchanges whose waits are 1, 2, 3 … times `factor` milliseconds, every fifth with another host.
    private static func log(_ count: Int, factor: Double) -> String {
      let entries = (1...count).map { number in
        let wait = Double(number) * factor
        return """
          {"startedDateTime":"2026-01-02T03:04:05.000Z","time":\(wait),\
          "request":{"method":"GET","url":"http://\(number % 5 == 0 ? "b" : "a").example/\(number)","httpVersion":"HTTP/1.1",\
          "cookies":[],"headers":[],"queryString":[],"headersSize":-1,"bodySize":0},\
          "response":{"status":\(number % 7 == 0 ? 500 : 200),"statusText":"","httpVersion":"HTTP/1.1","cookies":[],"headers":[],\
          "content":{"size":0,"mimeType":""},"redirectURL":"","headersSize":-1,"bodySize":\(number)},\
          "cache":{},"timings":{"send":0,"wait":\(wait),"receive":0}}
          """
      }
      return #"{"log":{"version":"1.2","creator":{"name":"a","version":"1"},"entries":[\#(entries.joined(separator: ",\n"))]}}"#
    }

    /// Six captures of three builds, some compressed, last changed long ago.
    private static func fleet() throws -> TemporaryDirectory {
      let directory = try TemporaryDirectory()
      for build in 1...3 {
        _ = try directory.makeDirectory("build-\(build)")
        for number in 1...2 {
          _ = try directory.write(log(300 + 10 * build, factor: Double(build * number) / 8), to: "build-\(build)/\(number).har")
        }
      }
      for command in [["gzip"], ["zstd", "-q", "--rm"]] {
        let file = directory.path(command[0] == "gzip" ? "build-1/2.har" : "build-2/2.har")
        try #require(try TestProcess(command[0], command.dropFirst() + [file]).wait().isSuccess)
      }
      let files = try TestProcess("sh", ["-c", "touch -d 2020-01-01T00:00:00Z \"$0\"/*/*", directory.path("")])
      try #require(try files.wait().isSuccess)
      return directory
    }

    @Test("The answer to a question about several captures is the same at first, by the indexes, without them, and by DuckDB")
    func figures() throws {
      let directory = try Self.fleet()
      let question = ["stats", directory.path("**/*.har*"), "--by", "host,directory", "--json"]
      let first = try Self.tapeline(question)
      try #require(first.exitStatus == .exited(0), "\(first.errorText)")
      for name in [".1.har", ".2.har.gz"] {
        #expect(try fileMode(directory.path("build-1/\(name).tapeline-index")) == 0o600)
      }
      #expect(try Self.tapeline(question).outputText == first.outputText)
      #expect(try Self.tapeline(question + ["--no-index"]).outputText == first.outputText)
      let filter = ["--filter", "status >= 500 and wait > 3ms or url ~ '7$'"]
      #expect(try Self.tapeline(question + filter).outputText == Self.tapeline(question + filter + ["--no-index"]).outputText)

      let answer = try JSONTree(parsing: first.standardOutput)
      #expect(answer["captures"] == .number(6))
      #expect(answer["exchanges"] == .number(2 * (310 + 320 + 330)))
      let rows = directory.path("rows.ndjson")
      let convert = try Self.tapeline(["convert", directory.path("**/*.har*"), "--to", "rows", "-o", rows])
      try #require(convert.exitStatus == .exited(0), "\(convert.errorText)")
      let sql = try laboratory(["fleet-figures", rows, "host", "directory"])
      #expect(try sql.wait(seconds: 60).isSuccess, "\(sql.errorText)")
      let groups = try #require(answer["groups"]?.elements)
      let expected = try JSONTree(parsing: sql.standardOutput).elements
      #expect(groups.count == 6 && expected.count == 6)
      for row in expected {
        let key = row["key"]?.elements
        let group = try #require(groups.first { $0["by"]?["host"] == key?[0] && $0["by"]?["directory"] == key?[1] })
        #expect(group["exchanges"] == row["exchanges"])
        let (own, other) = (try #require(group["wait"]?["p95"]?.number), try #require(row["p95"]?.number))
        #expect(abs(own - other) <= other / 100, "\(own) and \(other)")
      }
    }

    @Test("Listed exchanges name their file, and an index finds the same ones")
    func listing() throws {
      let directory = try Self.fleet()
      let list = [
        "list", directory.path("*/*.har"), directory.path("*/*.har.*"), "--filter", "status == 500 and path like '/7*'",
      ]
      let read = try Self.tapeline(list + ["--no-index", "--json"])
      try #require(read.exitStatus == .exited(0), "\(read.errorText)")
      #expect(read.outputText.split(separator: "\n").count == 6 * 3)
      #expect(read.outputText.contains(#"{"file":"\#(directory.path("build-3/1.har"))","number":7,"#))
      #expect(try Self.tapeline(list + ["--json"]).outputText == read.outputText)
      #expect(try Self.tapeline(list + ["--json"]).outputText == read.outputText)
      let table = try Self.tapeline(list).outputText
      #expect(table.contains("==> \(directory.path("build-1/2.har.gz")) <==\n"))
      let slowest = try Self.tapeline(list + ["--sort", "wait:desc", "-n", "1", "--columns", "file,number"]).outputText
      #expect(slowest.contains("build-3/2.har") || slowest.contains("…"), "\(slowest)")
    }

    @Test("A file that is no capture is named, and the others are counted")
    func foreign() throws {
      let directory = try Self.fleet()
      _ = try directory.write("plain words\n", to: "build-3/0.har")
      let stats = try Self.tapeline(["stats", directory.path("build-3/*.har"), "--json"])
      #expect(stats.exitStatus == .exited(65))
      #expect(stats.errorText.contains("0.har: it is a text file, not a HAR"), "\(stats.errorText)")
      #expect(stats.errorText.contains("1 of 3 captures: not read, or not to the end"), "\(stats.errorText)")
      #expect(try JSONTree(parsing: stats.standardOutput)["exchanges"] == .number(660))
    }
  }
}
