import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Query of HTTP/2 and gRPC")
struct HTTP2QueryTests {
  private static let entry: HAREntry = {
    var entry = HAREntry.ordinary()
    entry.request.httpVersion = "HTTP/2"
    entry.response.httpVersion = "HTTP/2"
    entry.custom["_http2"] = [
      "streamId": 7, "clientStreamId": 9, "urgency": 1, "sendStalled": .number(HARNumber(12.5)),
      "reset": ["code": "CANCEL", "who": "client"],
    ]
    entry.custom["_grpc"] = [
      "status": 0, "statusName": "OK", "requestMessages": 1, "responseMessages": 3, "messages": [["size": 5], ["size": 900]],
    ]
    return entry
  }()

  private func matches(_ query: String, _ entry: HAREntry = entry) throws -> Bool {
    try Query(query).matches(entry, number: 1)
  }

  @Test(
    "Conditions that hold",
    arguments: [
      "version == 2", "version >= 2", "version", #"version == "HTTP/2""#, #"version ~ "2$""#, "req.version == 2",
      #"version like "HTTP/*""#, "version in (2, 3)", "response.httpVersion == 2",
      "stream == 7", "stream", #"reset == "CANCEL""#, "reset", #"reset.who == "client""#, "http2.urgency < 3",
      "http2.sendStalled > 10ms", "http2.clientStreamId == 9", "grpc.status == 0", #"grpc.statusName == "OK""#, #"grpc == "OK""#,
      "grpc", "grpc.messages == 4", "grpc.messages > 3", "grpc.responseMessages == 3", "_grpc.messages.size > 64B",
    ])
  func holds(query: String) throws {
    #expect(try matches(query), "\(query)")
  }

  @Test(
    "Conditions that do not",
    arguments: [
      "version == 1.1", "version < 2", "version != 2", "stream > 7", #"reset == "REFUSED_STREAM""#, "grpc.status > 0",
      "http2.goaway",
      "grpc.messages > 4", #"version != "h2""#,
    ])
  func fails(query: String) throws {
    #expect(try !matches(query), "\(query)")
  }

  @Test("The spellings of other programs", arguments: ["h2", "HTTP/2.0", "http/2.0", "HTTP/2"])
  func foreign(spelling: String) throws {
    var entry = HAREntry.ordinary()
    entry.response.httpVersion = spelling
    #expect(try matches("version == 2", entry))
    #expect(try matches("version == \"\(spelling)\"", entry))
    #expect(try !matches("version == 1.1 or stream or grpc or reset or grpc.messages == 0", entry))
    #expect(try !matches("version == 2", .ordinary()))
    #expect(try matches("version == 1.1", .ordinary()))
  }

  @Test("A log without a version has none")
  func unknown() throws {
    var entry = HAREntry.refused()
    entry.response.httpVersion = "unknown"
    #expect(try !matches("version == 2 or version < 2", entry))
    #expect(try matches(#"version == "unknown""#, entry))
  }

  @Test("Columns: as the log has it, and sorted by number")
  func columns() throws {
    let columns = try ListColumns("version,stream,grpc,grpc.messages,reset")
    #expect(ExchangeRecords.csv(Self.entry, number: 1, columns: columns, []).hasPrefix("HTTP/2,7,OK,4,CANCEL"))
    #expect(
      ExchangeRecords.json(.ordinary(), number: 1, columns: columns)
        == #"{"version":"HTTP/1.1","stream":null,"grpc":null,"grpc.messages":null,"reset":null}"#)
    #expect(QueryValue.precedes(.numbered("http/1.1", 1.1), .numbered("HTTP/2", 2)))
    #expect(!QueryValue.precedes(.numbered("HTTP/2", 2), .numbered("h2", 2)))
    #expect(QueryValue.precedes(.numbered("HTTP/2", 2), .absent))
  }

  @Test("A table of them fits", arguments: [60, 80, 120])
  func table(width: Int) throws {
    let table = ExchangeTable(
      columns: try ListColumns("number,version,stream,grpc,url,status"), width: width, palette: Palette(isColored: false),
      clock: .utc)
    #expect(table.heading.hasPrefix("   # version  stream grpc"))
    let row = table.row(for: Self.entry, number: 1)
    #expect(row.head.hasPrefix("   1 HTTP/2        7 OK "))
    #expect(row.head.count + row.placeWidth + row.tail.count <= width)
  }

  @Test("A rule on calls")
  func assertion() throws {
    #expect(throws: Never.self) { try Assertion("all(grpc.status == 0)") }
  }
}
