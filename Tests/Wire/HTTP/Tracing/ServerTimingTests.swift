import Testing

@testable import TapelineHTTP

@Suite("Server-Timing")
struct ServerTimingTests {
  private func list(_ value: String) -> [String] {
    ServerTiming.metrics(in: value).map {
      "\($0.name)|\($0.duration.map(String.init(describing:)) ?? "")|\($0.description ?? "-")"
    }
  }

  @Test(
    "Metrics, as the W3C's grammar has them",
    arguments: [
      ("miss, db;dur=53, app;dur=47.2", ["miss||-", "db|53.0|-", "app|47.2|-"]),
      ("customView, dc;desc=atl", ["customView||-", "dc||atl"]),
      (#"cache;desc="Cache Read";dur=23.2"#, ["cache|23.2|Cache Read"]),
      (#"a;desc="x, y; z\"q";dur=1,b"#, ["a|1.0|x, y; z\"q", "b||-"]),
      ("total ; DUR = 1e3", ["total|1000.0|-"]), ("a;dur=1;dur=2;desc=x;desc=y", ["a|1.0|x"]), ("", []), (" , ,a", ["a||-"]),
      ("a;dur", ["a||-"]), ("a;dur=", ["a||-"]), ("a;dur=-1", ["a||-"]), ("a;dur=nan", ["a||-"]), ("a;dur=x", ["a||-"]),
      ("two words;dur=1", []), (#"a;desc="open, b;dur=1"#, ["a||open, b;dur=1"]), (#""a";dur=1, b"#, ["b||-"]),
    ])
  func metrics(value: String, expected: [String]) {
    #expect(list(value) == expected)
  }
}

@Suite("traceparent")
struct TraceParentTests {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let span = "00f067aa0ba902b7"

  @Test("A well-formed value has a trace, a span and a flag")
  func wellFormed() throws {
    let parent = try #require(TraceParent("00-\(Self.trace)-\(Self.span)-01"))
    #expect(parent.traceID == Self.trace && parent.parentID == Self.span && parent.isSampled)
    #expect(TraceParent("00-\(Self.trace)-\(Self.span)-00")?.isSampled == false)
    #expect(TraceParent("cc-\(Self.trace)-\(Self.span)-09-what-comes-later")?.isSampled == true)
    #expect(TraceParent("cc-\(Self.trace)-\(Self.span)-01")?.traceID == Self.trace)
  }

  @Test(
    "A malformed value has nothing",
    arguments: [
      "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-01-", "00-\(trace)-\(span)-01-more", "ff-\(trace)-\(span)-01",
      "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span.dropLast())-01", "00-\(trace)0-\(span)-01",
      "00-\(String(repeating: "0", count: 32))-\(span)-01", "00-\(trace)-0000000000000000-01", "0-\(trace)-\(span)-01",
      " 00-\(trace)-\(span)-01", "00-\(trace)-\(span)-1", "cc-\(trace)-\(span)-01more", "00_\(trace)_\(span)_01",
      "00-é\(trace.dropLast(2))-\(span)-01",
    ])
  func malformed(value: String) {
    #expect(TraceParent(value) == nil)
  }
}
