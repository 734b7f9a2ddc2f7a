import Testing

@testable import TapelineTLS

struct ServerNameTests {
  @Test func addressesAreToldFromNames() {
    #expect(ServerName("127.0.0.1") == .address("127.0.0.1"))
    #expect(ServerName("::1") == .address("::1"))
    #expect(ServerName("example.test") == .name("example.test"))
    #expect(ServerName("127.0.0.1.example.test") == .name("127.0.0.1.example.test"))
    #expect(ServerName("127.1") == .name("127.1"))
  }

  @Test func theRootsDotIsLeftOut() {
    #expect(ServerName("example.test.") == .name("example.test"))
  }

  @Test func aScopeIsLeftOut() {
    #expect(ServerName("fe80::1%lo") == .address("fe80::1"))
  }
}
