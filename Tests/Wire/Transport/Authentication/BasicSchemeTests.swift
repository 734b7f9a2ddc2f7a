import Testing

@testable import TapelineTransport

@Suite struct BasicSchemeTests {
  @Test("RFC 7617 2: the example of the RFC")
  func example() {
    #expect(
      BasicScheme.fieldValue(for: Credential(user: "Aladdin", password: "open sesame")) == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
  }

  @Test("RFC 7617 2.1: what is not ASCII is UTF-8")
  func utf8() {
    #expect(BasicScheme.fieldValue(for: Credential(user: "test", password: "123\u{A3}")) == "Basic dGVzdDoxMjPCow==")
  }

  @Test("RFC 7617 2: a password may hold colons, and may be empty")
  func colons() {
    #expect(BasicScheme.fieldValue(for: Credential(user: "a", password: "b:c")) == "Basic YTpiOmM=")
    #expect(BasicScheme.fieldValue(for: Credential(user: "a", password: "")) == "Basic YTo=")
  }

  @Test(
    "RFC 7617 2: a colon in the user's name and control characters cannot be said",
    arguments: [
      Credential(user: "a:b", password: "c"), Credential(user: "a\n", password: "c"), Credential(user: "a", password: "c\u{7F}"),
    ])
  func unsayable(credential: Credential) {
    #expect(BasicScheme.fieldValue(for: credential) == nil)
  }

  @Test("A password is in no description")
  func description() {
    let credential = Credential(user: "me", password: "secret")
    #expect("\(credential)" == "me:***")
    #expect(String(reflecting: credential) == "me:***")
  }
}
