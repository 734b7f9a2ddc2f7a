import TapelineHAR
import TapelineTestSupport
import Testing

@testable import TapelineInspect

/// Each field with a query that finds an exchange by it. The list in `Tests/Fixtures/query` is also that of the page's test.
@Suite("Every field of queries")
struct EveryFieldTests {
  struct Line: CustomTestStringConvertible {
    let field: String
    let numbers: [Int]
    let query: String
    var testDescription: String { query }
  }

  private static let fixtures = "\(repositoryRoot)/Tests/Fixtures/query"

  static let lines: [Line] = {
    let text = (try? readText("\(fixtures)/queries.txt")) ?? ""
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let parts = line.split(separator: "\t").map(String.init)
      return Line(field: parts[0], numbers: parts[1].split(separator: ",").compactMap { Int($0) }, query: parts[2])
    }
  }()

  /// The exchanges, each read with the parts that the query asks for, and no others.
  private static func exchanges(_ parts: HAREntryParts) throws -> [HAREntry] {
    var reader = HARReader()
    reader.limit(to: parts)
    reader.feed(try readFile("\(fixtures)/every-field.har"))
    reader.finish()
    var entries: [HAREntry] = []
    var pages: [HARPage] = []
    while let event = try reader.next() {
      switch event {
      case .entry(let entry): entries.append(entry)
      case .page(let page): pages.append(page)
      case _: break
      }
    }
    for index in entries.indices {
      entries[index].pageTitle = pages.first { $0.id == entries[index].pageref }?.title
      entries[index].file = "dir/every-field.har"
    }
    return entries
  }

  @Test("It finds its exchange in what a command reads for it", arguments: lines)
  func finds(line: Line) throws {
    let query = try Query(line.query)
    let entries = try Self.exchanges(query.parts)
    #expect(entries.count == 3)
    let found = entries.indices.filter { query.matches(entries[$0], number: $0 + 1) }.map { $0 + 1 }
    #expect(found == line.numbers)
  }

  @Test("No field is missing in the list")
  func complete() {
    let listed = Set(Self.lines.map(\.field))
    // The page has one capture, and no name for it.
    let known = QueryField.Known.allCases.filter { $0 != .file && $0 != .directory }.map(\.rawValue)
    for name in known + QueryField.Named.allCases.map(\.rawValue) { #expect(listed.contains(name), "\(name)") }
    for entry in (try? Self.exchanges([])) ?? [] {
      #expect((try? Query(#"file like "*.har" and directory == "dir""#).matches(entry, number: 1)) == true)
    }
  }

  @Test(
    "A value that can never match is refused, with what to write",
    arguments: [
      (#"host == "localhost:8080""#, 9, "host has no port", "use origin"),
      (#"host ~ "api\.test:8443$""#, 8, "host has no port", "origin"),
      (#"host like "*.test:8443""#, 11, "host has no port", "origin"),
      (#"host in ("a.test", "https://a.test")"#, 20, "no scheme and no path", "use origin or url"),
      (#"host == "[::1]""#, 9, "no brackets", "origin"), (#"scheme == "https:""#, 11, "no colon", #""https""#),
      (#"origin == "a.test""#, 11, "begins with its scheme", "https://a.test"),
      (#"origin == "http://a.test/x""#, 11, "no path", #""http://a.test""#),
      (#"origin == "https://a.test:443""#, 11, "no default port", #""https://a.test""#),
      (#"path == "orders""#, 9, "begins with /", "/orders"), (#"path == "/a?b""#, 9, "no query", "url"),
      (#"mime == "text/html; charset=x""#, 9, "no parameters", #""text/html""#),
      (#"type == "image/png""#, 9, "no exchange has this type", "image"),
      ("total > content.size", 9, "different units", "sizes with sizes"), ("reused == total", 11, "different things", "times"),
      ("method < url", 10, "holds text", "put it in quotes"),
      ("error.phase == dns", 16, "holds text", #"put it in quotes: "dns""#),
    ])
  func impossible(text: String, column: Int, reason: String, remedy: String) {
    let error = #expect(throws: QueryError.self) { try Query(text) }
    #expect(error?.column == column, "\(error?.description ?? "")")
    #expect(
      error?.reason.contains(reason) == true && error?.remedy.contains(remedy) == true,
      "\(error?.reason ?? "") \(error?.remedy ?? "")")
  }

  @Test(
    "What may match is not refused",
    arguments: [
      #"host == "fe80::1""#, #"host ~ ":8080""#, #"host ~ "(?:a|b)\.test""#, #"host like "*:1""#, #"method == "PURGE""#,
      #"origin == "http://a.test:443""#, #"path == "/a:80""#, #"method == "purge""#, #"host == """#, #"path ~ "orders""#,
    ])
  func possible(text: String) throws {
    _ = try Query(text)
  }
}
