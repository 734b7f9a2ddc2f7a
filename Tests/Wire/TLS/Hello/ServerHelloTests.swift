import Testing

@testable import TapelineTLS

struct ServerHelloTests {
  private func read(_ builder: HelloBuilder) -> ServerHello? {
    ServerHello(builder.message().span.extracting(droppingFirst: 4))
  }

  @Test func theExtensionSaysTheVersion() throws {
    let hello = try #require(
      read(HelloBuilder(type: 2, cipherSuites: [0x1302], extensions: [HelloBuilder.selectedVersion(0x0304)])))
    #expect(hello.version == .tls13)
    #expect(hello.applicationProtocol == nil)
  }

  @Test func elseTheLegacyFieldSaysIt() throws {
    let hello = try #require(
      read(HelloBuilder(type: 2, extensions: [HelloBuilder.applicationProtocols([Array("h2".utf8)])])))
    #expect(hello.version == .tls12)
    #expect(hello.applicationProtocol == .http2)
  }

  @Test func everyPrefixIsMalformed() {
    let message = HelloBuilder(type: 2, extensions: [HelloBuilder.selectedVersion(0x0304)]).message()
    for count in 4..<message.count {
      let hello = ServerHello(message.span.extracting(4..<count))
      // Behind the compression method the extensions may be missing altogether.
      #expect((hello == nil) == (count != 4 + 38))
    }
  }
}
