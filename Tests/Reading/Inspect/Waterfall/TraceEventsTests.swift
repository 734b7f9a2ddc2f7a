import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Trace events")
struct TraceEventsTests {
  private static func entry(_ url: String, at milliseconds: Int, wait: Double, receive: Double) -> HAREntry {
    var entry = HAREntry.ordinary()
    entry.request.url = url
    let fraction = String(1_000 + milliseconds).dropFirst()
    entry.startedDateTime = "2026-01-02T03:04:05.\(fraction)Z"
    entry.timings = HARTimings(blocked: 0, dns: -1, connect: -1, send: 0, wait: wait, receive: receive, ssl: -1)
    entry.time = wait + receive
    return entry
  }

  private static func events(_ entries: [HAREntry]) throws -> [HARValue] {
    var events = TraceEvents()
    var text = JSONWriter()
    text.append(json: Array(TraceEvents.opening.utf8).span)
    for (index, entry) in entries.enumerated() { events.append(entry, number: index + 1, to: &text) }
    text.append(json: Array(TraceEvents.closing.utf8).span)
    return try #require(try HARValue(json: text.bytes.span)["traceEvents"]?.array)
  }

  @Test("An exchange is a slice with its phases in it, in the process of its origin")
  func slices() throws {
    let events = try Self.events([Self.entry("https://a.test/x?y=1", at: 10, wait: 20.0004, receive: 5.5)])
    let names = events.compactMap { $0["name"]?.string }
    #expect(names == ["process_name", "thread_name", "\(HAREntry.ordinary().request.method) /x", "wait", "receive"])
    #expect(events[0]["args"]?["name"]?.string == "https://a.test")
    let times = events.dropFirst(2).map { [$0["ts"]?.integer ?? 0, $0["dur"]?.integer ?? 0] }
    #expect(times[0][1] == 25_500 && times[1][1] == 20_000 && times[1][0] == times[0][0])
    #expect(times[2][0] + times[2][1] == times[0][0] + times[0][1])
    #expect(events[2]["args"]?["url"]?.string == "https://a.test/x?y=1" && events[2]["args"]?["number"]?.integer == 1)
  }

  @Test("Slices of a thread lie beside each other, and few threads are needed")
  func threads() throws {
    var generator = SystemRandomNumberGenerator()
    let entries = (0..<300).map { _ in
      Self.entry(
        "https://\(["a", "b"].randomElement(using: &generator) ?? "a").test/", at: Int.random(in: 0..<900, using: &generator),
        wait: Double.random(in: 0...20, using: &generator), receive: 1)
    }.sorted { ($0.startedDateTime, $0.time) < ($1.startedDateTime, $1.time) }
    let slices = try Self.events(entries).filter { $0["cat"]?.string == "http" }
    #expect(slices.count == 300)
    var ends: [String: Int] = [:]
    for slice in slices {
      let (start, duration) = (slice["ts"]?.integer ?? 0, slice["dur"]?.integer ?? 0)
      let thread = "\(slice["pid"]?.integer ?? 0) \(slice["tid"]?.integer ?? 0)"
      #expect(ends[thread, default: 0] <= start)
      ends[thread] = start + duration
    }
    // In the order of their starts, as many threads as exchanges were in flight at once.
    let most =
      entries.map { entry in
        entries.filter { other in
          other.request.url == entry.request.url && other.startedDateTime <= entry.startedDateTime
            && (Int(other.startedDateTime.suffix(4).dropLast()) ?? 0) + Int(other.time.rounded(.up))
              > (Int(entry.startedDateTime.suffix(4).dropLast()) ?? 0)
        }.count
      }.max() ?? 0
    #expect(Set(ends.keys).count <= 2 * (most + 1))
  }

  @Test("What has no date has no place in time, and no numbers are too large")
  func odd() throws {
    var undated = HAREntry.ordinary()
    undated.startedDateTime = "yesterday"
    var long = HAREntry.ordinary()
    long.time = 1e300
    long.timings.wait = 1e300
    let events = try Self.events([undated, long])
    #expect(events.filter { $0["cat"]?.string == "http" }.count == 1)
  }
}
