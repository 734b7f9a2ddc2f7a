import Testing

@testable import TapelineInspect

@Suite("Query field list")
struct QueryFieldListTests {
  @Test("Fields keep the names by which they were asked for")
  func names() throws {
    let fields = try QueryFieldList.parse(#"total, req.header["a,b"] ,phases,_tcp.server.rtt"#, additional: ["phases"])
    #expect(fields.map(\.name) == ["total", #"req.header["a,b"]"#, "phases", "_tcp.server.rtt"])
    #expect(fields[0].field?.source == .known(.total))
    #expect(fields[1].field?.source == .named(.requestHeader, "a,b"))
    #expect(fields[2].field == nil)
  }

  @Test(
    "What is no list is refused at its place",
    arguments: [("", 1), ("total,", 7), ("total wait", 7), ("total,,wait", 7), ("phases", 1)])
  func errors(text: String, column: Int) {
    let error = #expect(throws: QueryError.self) { try QueryFieldList.parse(text) }
    #expect(error?.column == column)
  }
}
