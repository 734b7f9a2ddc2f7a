import TapelineTestSupport
import Testing

extension EndToEnd {
  /// One rich session, read by other people's programs: those of `scripts/lab/run readers` that need no browser.
  @Suite struct Readers {
    @Test func takeTheRichSession() throws {
      let check = try laboratory([
        "readers", "--only", "har-schema,node-har-validator,haralyzer,har-capture,tapeline lint,tapeline list",
      ])
      #expect(try check.wait(seconds: 180).isSuccess, "\(check.outputText)\(check.errorText)")
    }
  }
}
