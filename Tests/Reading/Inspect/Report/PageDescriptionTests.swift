import TapelineBase
import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("The names that the page shares with the program")
struct PageDescriptionTests {
  private static let value: HARValue? = {
    let text = Array(PageDescription.script.dropFirst("const described = ".utf8.count).dropLast(2))
    return try? HARValue(json: text.span)
  }()

  private static func members(_ name: String) -> [HARObject.Member] { value?[name]?.object?.members ?? [] }

  @Test("The page has each phase, in order, with its words")
  func phases() {
    let phases = Self.value?["phases"]?.array ?? []
    #expect(phases.map { $0["name"]?.string } == Phase.allCases.map(\.name))
    #expect(
      phases.map { $0["title"]?.string ?? "" }
        == ["Client", "Proxy", "Blocked", "DNS", "Connect", "TLS", "Send", "Wait", "Receive"])
    #expect(phases.filter { $0["isOfTotal"]?.bool == false }.map { $0["name"]?.string } == ["client", "proxy"])
  }

  @Test("The page has each field with its kind, and each path of the log that means one")
  func fields() {
    let fields = Self.members("fields")
    #expect(fields.map(\.name) == QueryField.Known.allCases.map(\.rawValue))
    let kinds = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value["kind"]?.string ?? "") })
    #expect(kinds["wait"] == "duration" && kinds["req.size"] == "size" && kinds["status"] == "plain" && kinds["url"] == "text")
    #expect(kinds["start"] == "date" && kinds["reused"] == "flag" && kinds["version"] == "any")
    #expect(
      fields.filter { $0.value["isLowercase"]?.bool == true }.map(\.name) == ["scheme", "host", "origin", "mime", "req.mime"])
    let aliases = Self.members("aliases")
    #expect(aliases.map(\.name) == aliases.map(\.name).sorted(), "so that equal captures give equal reports")
    for (path, name) in [("timings.dns", "dns"), ("response.status", "status"), ("request.queryString", "query")] {
      #expect(aliases.first { $0.name == path }?.value.string == name, "\(path)")
    }
    #expect(Self.members("abbreviations").first { $0.name == "client.tcp" }?.value.string == "_tcp.client")
  }
}
