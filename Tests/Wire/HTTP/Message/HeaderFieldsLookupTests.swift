import Testing

@testable import TapelineHTTP

@Suite struct HeaderFieldsLookupTests {
  private let fields: HeaderFields = [
    "Connection": "close , X-Trace", "Accept": "text/html", "connection": ",,TE;q=0.5, Upgrade", "X-Trace": "1",
  ]

  @Test func linesAreFoundByKnownName() {
    #expect(fields.firstIndex(of: .accept) == 1)
    #expect(fields.first(of: .connection) == "close , X-Trace")
    #expect(fields.values(of: .connection) == ["close , X-Trace", ",,TE;q=0.5, Upgrade"])
    #expect(fields.contains(.accept))
    #expect(!fields.contains(.host))
    #expect(fields.first(of: .host) == nil)
  }

  @Test func linesAreFoundByAnyName() {
    #expect(fields.values(named: "x-trace") == ["1"])
    #expect(fields.values(named: "CONNECTION").count == 2)
    #expect(fields.values(named: "X-Trac") == [])
  }

  @Test func membersAreFoundOverAllLinesInAnyCase() {
    for member in ["close", "CLOSE", "x-trace", "te", "upgrade"] {
      #expect(fields.listContains(token: member, in: .connection), "\(member)")
    }
    for member in ["clos", "closed", "q", "0.5", "", "text/html"] {
      #expect(!fields.listContains(token: member, in: .connection), "\(member)")
    }
  }
}
