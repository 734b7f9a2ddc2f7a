import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Distinct fact")
struct DistinctFactTests {
  @Test("What each is in an exchange")
  func values() {
    var entry = HAREntry.ordinary()
    entry.request.url = "https://API.test/orders/77?page=1"
    entry.response.content.mimeType = "Text/HTML; charset=utf-8"
    let values = DistinctFact.allCases.map { $0.value(in: entry) }
    #expect(values == ["api.test", "https://api.test/orders/{id}", "GET", "200", "text/html", nil])
  }

  @Test("What a failed exchange does not have is nothing new")
  func failures() {
    let values = DistinctFact.allCases.map { $0.value(in: .refused()) }
    #expect(values == ["example.com", "http://example.com/a", "GET", nil, nil, "upstream refused in connect"])
  }
}
