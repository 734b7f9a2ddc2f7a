import Testing

@testable import TapelineHTTP

@Suite struct ForwardedFieldsTests {
  @Test func viaNamesTheVersionThatWasReceived() {
    for (version, expected) in [(HTTPVersion.http11, "Via: 1.1 tapeline\r\n"), (.http10, "Via: 1.0 tapeline\r\n")] {
      var output: [UInt8] = []
      ForwardedFields.appendVia(received: version, into: &output)
      #expect(String(decoding: output, as: UTF8.self) == expected)
    }
  }
}
