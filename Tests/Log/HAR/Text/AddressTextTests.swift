import Testing

@testable import TapelineHAR

@Suite("IP addresses as text")
struct AddressTextTests {
  @Test(
    "Bare addresses",
    arguments: [
      "0.0.0.0", "192.0.2.1", "255.255.255.255", "::", "::1", "2001:db8::1", "1:2:3:4:5:6:7:8", "::ffff:192.0.2.1", "1::",
      "1:2:3:4:5:6:192.0.2.1", "fe80::ABCD",
    ])
  func bare(text: String) {
    #expect(AddressText.isBare(text))
    #expect(AddressText.bare(in: text) == text)
  }

  @Test(
    "What is none",
    arguments: [
      "", "example.com", "1.2.3", "1.2.3.256", "01.2.3.4", "1.2.3.4.5", "1.2.3.-4", "1:2:3", "1:2:3:4:5:6:7:8:9", ":::",
      "1::2::3",
      "12345::", "g::1", "1:2:3:4:5:6:7:1.2.3.4", "1.2.3.4::",
    ])
  func none(text: String) {
    #expect(!AddressText.isBare(text))
    #expect(AddressText.bare(in: text) == nil)
  }

  @Test(
    "The address in something that has more",
    arguments: [
      ("192.0.2.1:443", "192.0.2.1"), ("[2001:db8::1]", "2001:db8::1"), ("[2001:db8::1]:443", "2001:db8::1"),
      ("fe80::1%eth0", "fe80::1"), ("[fe80::1%25eth0]:80", "fe80::1"), ("www.example.com/192.0.2.1", "192.0.2.1"),
    ])
  func more(text: String, expected: String) {
    #expect(!AddressText.isBare(text))
    #expect(AddressText.bare(in: text) == expected)
  }
}
