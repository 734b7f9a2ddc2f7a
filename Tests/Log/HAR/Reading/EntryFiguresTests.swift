import Testing

@testable import TapelineHAR

@Suite("Figures of ordinary entries")
struct EntryFiguresTests {
  private static let parts: HAREntryParts = .figures

  private static func log(_ entries: String...) -> [UInt8] {
    Array("{\"log\":{\"version\":\"1.2\",\"entries\":[\(entries.joined(separator: ",\n"))],\"pages\":[]}}".utf8)
  }

  private static let ordinary = #"""
    {"pageref":"p","startedDateTime":"s","time":12.5,"request":{"method":"POST","url":"http:\/\/a.example\/é","queryString":[],
    "httpVersion":"HTTP/1.1","cookies":[],"headers":[{"name":"a","value":"}"}],"headersSize":9,"bodySize":7,
    "postData":{"mimeType":"m","text":"\\"},"_pseudo":[]},"response":{"status":404,"statusText":"Not Found","httpVersion":"h","_error":null,
    "cookies":[],"headers":[],"content":{"size":3,"compression":0,"mimeType":"m","text":"{\""},"redirectURL":"","headersSize":-1,
    "bodySize":3},"cache":{},"timings":{"blocked":1.5,"dns":-1,"connect":2,"ssl":1,"send":0,"wait":3.25,"receive":4,"comment":""},
    "serverIPAddress":"::1","connection":80,"_connectionId":"2","_blocked":{"client":1.25,"proxy":0.125,"connection":0.125},"_x":[[{}],null],
    "_overhead":{"request":0.5,"response":0.25,"queue":{"request":1}}}
    """#

  /// What is counted of each entry, by its figures or, if it is not ordinary, by the whole entry.
  fileprivate struct Counted: Equatable {
    var isOrdinary = true
    let time: Double
    let texts: [String]
    let sizes: [Int]
    let timings: HARTimings
    let shares: BlockedShares
    let overhead: [Double?]
    let error: HARValue?

    init(_ figures: ScannedEntry) {
      time = figures.time
      texts = [figures.request.method, figures.request.url, figures.response.statusText]
      sizes = [figures.request.bodySize, figures.response.status, figures.response.bodySize]
      timings = figures.timings.counted
      shares = figures.blockedShares
      overhead = [figures.overhead.request, figures.overhead.response]
      error = figures.error
    }

    init(_ entry: HAREntry) {
      isOrdinary = false
      time = entry.time
      texts = [entry.request.method, entry.request.url, entry.response.statusText]
      sizes = [entry.request.bodySize, entry.response.status, entry.response.bodySize]
      timings = entry.timings.counted
      shares = entry.blockedShares ?? BlockedShares()
      let overhead = entry.custom["_overhead"]
      self.overhead = [overhead?["request"]?.double, overhead?["response"]?.double]
      error = entry.custom["_error"]
    }
  }

  private static func counted(_ text: [UInt8], step: Int = .max, asksForFigures: Bool = true) throws(HARReadError) -> [Counted] {
    var reader = HARReader(parts: parts)
    var counted: [Counted] = []
    func drain() throws(HARReadError) {
      while true {
        if asksForFigures, let figures = try reader.nextFigures() {
          counted.append(Counted(figures))
        } else if let event = try reader.next() {
          if case .entry(let entry) = event { counted.append(Counted(entry)) }
        } else {
          return
        }
      }
    }
    for piece in pieces(text, step) {
      reader.feed(piece)
      try drain()
    }
    reader.finish()
    try drain()
    return counted
  }

  @Test("They are what the whole entry has")
  func same() throws {
    let figures = try #require(try Self.counted(Self.log(Self.ordinary)).first)
    var entry = try #require(try Self.counted(Self.log(Self.ordinary), asksForFigures: false).first)
    #expect(figures.isOrdinary && !entry.isOrdinary)
    entry.isOrdinary = true
    #expect(figures == entry)
    #expect(
      figures.shares == BlockedShares(client: 1.25, proxy: 0.125) && figures.sizes == [7, 404, 3]
        && figures.overhead == [0.5, 0.25])
  }

  @Test("However the text is split")
  func anySplit() throws {
    let text = Self.log(Self.ordinary, #"{"time":1}"#, Self.ordinary)
    let whole = try Self.counted(text)
    #expect(whole.map(\.isOrdinary) == [true, false, true])
    for step in 1...text.count { #expect(try Self.counted(text, step: step) == whole) }
  }

  @Test("Each change of an entry gives the same, or an entry that must be read whole")
  func changes() throws {
    let changes = [
      ("12.5", "\"12.5\""), ("12.5", "null"), ("12.5", "1e999"), ("12.5", "-0"), ("\"POST\"", "7"), ("\"POST\"", "\"CONNECT\""),
      ("\"POST\"", "\"a\\u00e9\\n\""), ("404", "0"), ("404", "404.5"), ("404", "4040e-1"), ("404", "\"404\""),
      ("\"bodySize\":7", "\"bodySize\":null"),
      ("\"_error\":null", "\"_error\":\"net\""), ("\"cache\":{}", "\"cache\":{\"afterRequest\":null}"),
      ("\"cache\":{}", "\"cache\":null"),
      ("\"_x\":", "\"_error\":{\"kind\":\"k\"},\"_x\":"), ("\"_x\":", "\"_ended\":{},\"_x\":"),
      ("\"_x\":", "\"_tunnel\":{},\"_x\":"),
      ("\"_x\":", "\"_inFlight\":true,\"_x\":"), ("\"_x\":", "\"_blocked\":{\"client\":0.000,\"a\":1},\"_x\":"),
      ("\"_x\":", "\"_blocked\":{\"client\":\"1\"},\"_x\":"), ("\"_x\":", "\"_blocked\":{\"client\":1,\"proxy\":2},\"_x\":"),
      ("\"connection\":0.125", "\"connection\":0.125,\"proxy\":7"), ("\"proxy\":0.125", "\"proxy\": 0.5"),
      ("\"proxy\":0.125", "\"proxy\":[1]"), ("\"proxy\":0.125", "\"proxy\":1e999"), ("\"_x\":", "\"_blocked\":1,\"_x\":"),
      ("\"_x\":", "\"time\":3,\"_x\":"),
      ("\"_x\":", "\"request\":{\"url\":\"u\"},\"_x\":"), ("\"_x\":", "\"\\u005fx\":1,\"t\\u0069me\":4,\"_x\":"),
      ("\"request\":0.5", "\"request\":1e999"), ("\"request\":0.5", "\"request\":\"1\""),
      ("\"queue\":{", "\"queue\":{\"a\":[1,\"\\n\"],"),
      ("\"ssl\":1", "\"ssl\":null"), ("\"ssl\":1", "\"ssl\":\"1\""), ("\"send\":0", "\"send\":123456789012345678901234567890"),
      ("\"connection\":80", "\"connection\":\"\\u0038\""), ("\"postData\":{", "\"postData\":{\"params\":[{}],"),
      ("\"size\":3", "\"size\":\"x\""),
    ]
    for (old, new) in changes {
      let entry = Self.ordinary.replacing(old, with: new, maxReplacements: 1)
      #expect(entry != Self.ordinary, "\(old) must be in the entry")
      let figures = try Self.counted(Self.log(entry, Self.ordinary))
      let entries = try Self.counted(Self.log(entry, Self.ordinary), asksForFigures: false)
      #expect(figures.map(\.withoutOrigin) == entries.map(\.withoutOrigin), "\(new)")
    }
  }

  @Test(
    "What is no JSON, or ends too early, is the same error at the same place",
    arguments: [",", "\"", "}", "]", ":", "\\", "\u{1}", "x", ""])
  func damage(byte: String) {
    let text = Self.log(Self.ordinary, Self.ordinary)
    for place in stride(from: 0, to: text.count, by: 3) {
      let damaged = Array(text[..<place]) + Array(byte.utf8) + (byte.isEmpty ? [] : Array(text[(place + 1)...]))
      for step in [64, text.count] {
        #expect(
          Result { try Self.counted(damaged, step: step).map(\.withoutOrigin) }.outcome
            == Result { try Self.counted(damaged, step: step, asksForFigures: false).map(\.withoutOrigin) }.outcome)
      }
    }
  }

  @Test(
    "Other programs' logs",
    arguments: ["charles", "chrome", "chromium-page", "fiddler", "firefox", "http2", "session", "faithful"])
  func fixtures(name: String) throws {
    let text = try Fixture.bytes(name)
    let entries = try Self.counted(text, asksForFigures: false).map(\.withoutOrigin)
    #expect(try Self.counted(text).map(\.withoutOrigin) == entries)
    #expect(try Self.counted(text, step: 1_000).map(\.withoutOrigin) == entries)
  }
}

extension EntryFiguresTests.Counted {
  fileprivate var withoutOrigin: Self {
    var same = self
    same.isOrdinary = true
    return same
  }
}

extension HARTimings {
  /// A comment and members of other programs are not counted.
  fileprivate var counted: HARTimings {
    HARTimings(blocked: blocked, dns: dns, connect: connect, send: send, wait: wait, receive: receive, ssl: ssl)
  }
}

extension Result {
  fileprivate var outcome: String {
    switch self {
    case .success(let value): "\(value)"
    case .failure(let error): "\(error)"
    }
  }
}
