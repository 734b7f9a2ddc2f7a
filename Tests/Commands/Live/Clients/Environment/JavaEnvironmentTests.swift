@testable import TapelineLive
import Testing

@Suite("Java environment")
struct JavaEnvironmentTests {
  private let endpoint = Endpoint.loopback(port: 81)

  @Test("Both schemes go through the proxy, and nothing past it")
  func proxy() {
    #expect(
      JavaEnvironment.options(endpoint: endpoint, trustStore: nil, inherited: nil)
        == "-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=81 -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=81 -Dhttp.nonProxyHosts="
    )
  }

  @Test("What was there stays, in front")
  func inherited() {
    #expect(JavaEnvironment.options(endpoint: endpoint, trustStore: nil, inherited: "-Xmx1g").hasPrefix("-Xmx1g -Dhttp."))
    #expect(JavaEnvironment.options(endpoint: endpoint, trustStore: nil, inherited: "").hasPrefix("-Dhttp."))
  }

  @Test("Asked again in a shell that has it, it says the same")
  func again() {
    let store = JavaTrustStore(path: "/my ca/s")
    let once = JavaEnvironment.options(endpoint: endpoint, trustStore: store, inherited: #"-Xmx1g  "-Da=b c""#)
    #expect(once.hasPrefix(#"-Xmx1g "-Da=b c" -Dhttp."#))
    #expect(JavaEnvironment.options(endpoint: endpoint, trustStore: store, inherited: once) == once)
  }

  @Test("The store is named, in quotes where its path needs them")
  func trustStore() {
    let plain = JavaEnvironment.options(endpoint: endpoint, trustStore: JavaTrustStore(path: "/ca/s"), inherited: nil)
    #expect(plain.hasSuffix(" -Djavax.net.ssl.trustStore=/ca/s -Djavax.net.ssl.trustStorePassword=changeit"))
    let spaced = JavaEnvironment.options(endpoint: endpoint, trustStore: JavaTrustStore(path: "/my ca/s"), inherited: nil)
    #expect(spaced.contains(#" "-Djavax.net.ssl.trustStore=/my ca/s" "#))
  }
}
