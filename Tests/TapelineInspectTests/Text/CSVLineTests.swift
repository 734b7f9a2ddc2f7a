import Testing

@testable import TapelineInspect

@Suite("CSV line")
struct CSVLineTests {
  @Test("What would be misread stands between quotes")
  func quotes() {
    #expect(CSVLine.text(of: ["a", "b c", "d,e", "f\"g", "h\ni", ""]) == "a,b c,\"d,e\",\"f\"\"g\",\"h\ni\",\r\n")
  }
}
