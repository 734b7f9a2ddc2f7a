import TapelineHTTP
import Testing

@testable import TapelineCore

@Suite struct HTTPHeadersTests {
  @Test("Headers are built from headers and extended with add")
  func building() {
    var headers = HTTPHeaders([HTTPHeader(name: "A", value: "1"), HTTPHeader(name: "B", value: "2")])
    headers.add(name: "C", value: "3")
    headers.add(.accept("*/*"))
    #expect(headers.description == "A: 1\nB: 2\nC: 3\nAccept: */*")
    #expect(HTTPHeaders().isEmpty)
  }

  @Test("One entry per name without regard to case; an update keeps the position and takes the new spelling")
  func updateInPlace() {
    var headers: HTTPHeaders = ["Content-Type": "a", "X": "1"]
    headers.update(name: "content-TYPE", value: "b")
    #expect(headers.map(\.description) == ["content-TYPE: b", "X: 1"])
    headers["x"] = "2"
    #expect(headers["X"] == "2")
    headers["X"] = nil
    #expect(headers.map(\.name) == ["content-TYPE"])
    headers.remove(name: "not there")
    #expect(headers.count == 1)
  }

  @Test("Headers are sorted by lower-cased name")
  func sorting() {
    let headers: HTTPHeaders = ["b": "1", "A": "2", "C": "3"]
    #expect(headers.sorted().map(\.name) == ["A", "b", "C"])
    #expect(headers.map(\.name) == ["b", "A", "C"])
  }

  @Test func sortingKeepsTheOrderOfDuplicates() {
    var headers: HTTPHeaders = ["Z": "0"]
    for number in 1...12 { headers.append(name: number.isMultiple(of: 2) ? "set-cookie" : "Set-Cookie", value: "\(number)") }
    headers.sort()
    #expect(headers.values(for: "Set-Cookie") == (1...12).map(String.init))
    #expect(headers.last?.name == "Z")
  }

  @Test("append and values(for:) keep duplicates; update merges them")
  func duplicates() {
    var headers: HTTPHeaders = ["Set-Cookie": "a=1"]
    headers.append(name: "set-cookie", value: "b=2")
    headers.append(HTTPHeader(name: "Other", value: "x"))
    headers.append(name: "Set-Cookie", value: "c=3")
    #expect(headers.values(for: "SET-COOKIE") == ["a=1", "b=2", "c=3"])
    #expect(headers["Set-Cookie"] == "a=1")
    #expect(headers.dictionary == ["Set-Cookie": "a=1, b=2, c=3", "Other": "x"])
    headers.update(name: "Set-Cookie", value: "d=4")
    #expect(headers.map(\.description) == ["Set-Cookie: d=4", "Other: x"])
    headers.append(name: "Other", value: "y")
    headers.remove(name: "OTHER")
    #expect(headers.count == 1)
  }

  @Test func literalsAndDictionaries() {
    let fromDictionary = HTTPHeaders(["B": "1", "a": "2"])
    #expect(fromDictionary.map(\.name) == ["a", "B"])
    let fromArray: HTTPHeaders = [.accept("a/b"), .accept("c/d")]
    #expect(fromArray.map(\.value) == ["c/d"])
    let twice: HTTPHeaders = ["A": "1", "a": "2"]
    #expect(twice.map(\.description) == ["a: 2"])
  }

  @Test func equalityIsOfOrderSpellingAndValues() {
    let received = HTTPHeaders(HeaderFields([("A", "1"), ("B", "2")]))
    var made: HTTPHeaders = ["A": "1"]
    made.append(name: "B", value: "2")
    #expect(received == made)
    #expect(received.hashValue == made.hashValue)
    #expect(received != ["B": "2", "A": "1"])
    #expect(received != ["a": "1", "B": "2"])
  }

  /// Bytes that are no UTF-8 go on as they came, though the fields beside them are changed.
  @Test func whatNobodyChangedIsLossless() throws {
    let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX-Old: caf".utf8) + [0xE9] + Array("\r\nX-Gone: 1\r\n\r\n".utf8)
    var headers = HTTPHeaders(try #require(try receivedFields(bytes)))
    headers.remove(name: "Host")
    headers.remove(name: "X-Gone")
    headers.append(name: "X-New", value: "2")
    let fields = headers.fields
    #expect(headers["X-Old"] == "caf\u{E9}")
    fields.withValueBytes(at: 0) { bytes in
      #expect(bytes.count == 4 && bytes[3] == 0xE9)
    }
    #expect(fields.name(at: 1) == "X-New")
    #expect(fields.count == 2)
  }

  /// The fields of a head, byte by byte.
  private func receivedFields(_ bytes: [UInt8]) throws -> HeaderFields? {
    var connection = HTTP1Connection(role: .server)
    var offset = 0
    guard case .requestHead(let head) = try connection.receive(bytes.span, from: &offset) else { return nil }
    return head.fields
  }

  @Test func whatMayNotBeSentIsKeptButNotSent() {
    var headers: HTTPHeaders = ["Good": "1"]
    headers["Bad"] = "a\r\nHost: evil"
    headers[""] = "x"
    #expect(headers.count == 3)
    #expect(headers.fields.map(\.name) == ["Good"])
  }
}
