import TapelineHAR
import Testing

@Suite("Dates in an entry")
struct EntryLintDatesTests {
  @Test(
    "The start",
    arguments: [
      ("2026-01-02 03:04:05", "bad-date", "2026-01-02T03:04:05.000000Z"), ("soon", "bad-date", "2026-01-01T00:00:00Z"),
      ("2026-01-02T03:04:05.1234567Z", "long-fraction", "2026-01-02T03:04:05.123456Z"),
    ])
  func start(date: String, rule: String, repaired: String) {
    var entry = cleanEntry()
    entry.startedDateTime = date
    let result = lint(entry)
    #expect(result.found == ["\(rule) $.startedDateTime"] && result.repaired.startedDateTime == repaired)
  }

  @Test("Cookies: what is no date goes")
  func cookies() {
    var entry = cleanEntry()
    entry.request.cookies = [HARCookie(name: "a", value: "1", expires: "2026-01-02T03:04:05Z"), HARCookie(name: "b", value: "2")]
    entry.response.cookies = [
      HARCookie(name: "a", value: "1", expires: "Session"),
      HARCookie(name: "b", value: "2", expires: "Fri, 02-Jan-26 03:04:05 GMT"),
    ]
    let (found, repaired) = lint(entry)
    #expect(found == ["cookie-expires $.response.cookies[0].expires", "cookie-expires $.response.cookies[1].expires"])
    #expect(repaired.response.cookies.map(\.expires) == [nil, "2026-01-02T03:04:05.000000Z"])
    #expect(repaired.request == entry.request)
  }

  @Test("States of a cache")
  func cache() {
    var entry = cleanEntry()
    entry.cache.beforeRequest = HARCacheState(expires: "0", lastAccess: "", eTag: "", hitCount: 0)
    entry.cache.afterRequest = HARCacheState(expires: "x", lastAccess: "2026-01-02T03:04:05Z", eTag: "", hitCount: 0)
    let (found, repaired) = lint(entry)
    #expect(
      found == [
        "bad-date $.cache.beforeRequest.expires", "bad-date $.cache.beforeRequest.lastAccess",
        "bad-date $.cache.afterRequest.expires",
      ])
    #expect(repaired.cache.beforeRequest?.lastAccess == "2026-01-01T00:00:00Z" && repaired.cache.afterRequest?.expires == nil)
  }
}
