import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Exchange records")
struct ExchangeRecordsTests {
  @Test("JSON: an object in one line, null for what is not known")
  func json() throws {
    let columns = try ListColumns(#"number,wait,ssl,reused,req.header["Accept"],phases"#)
    #expect(
      ExchangeRecords.json(.ordinary(), number: 3, columns: columns)
        == #"{"number":3,"wait":80,"ssl":null,"reused":false,"req.header[\"Accept\"]":["*/*"],"phases":"ccwwwwwr"}"#)
  }

  @Test("Comma-separated values: plain figures, quotes where they are needed, empty for what is not known")
  func csv() throws {
    let columns = try ListColumns(#"number,wait,ssl,resp.header["set-cookie"]"#)
    #expect(ExchangeRecords.csvHeading(columns, []) == "number,wait,ssl,\"resp.header[\"\"set-cookie\"\"]\"\r\n")
    #expect(ExchangeRecords.csv(.ordinary(), number: 3, columns: columns, []) == "3,80,,\"a=1, b=2\"\r\n")
  }

  @Test("The standard columns need nothing large of an entry")
  func parts() {
    #expect(ListColumns.standardForPrograms.parts == .overview)
    #expect(ListColumns.standard(width: 80).parts == .overview)
    #expect(ListColumns.standard(width: 160).parts == .overview)
  }
}
