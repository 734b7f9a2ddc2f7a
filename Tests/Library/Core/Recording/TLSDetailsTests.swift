import TapelineTransport
import Testing

@testable import TapelineCore
@testable import TapelineTLS

/// One reference per connection, which behaves as a value.
struct TLSDetailsTests {
  private let parameters = TLSParameters(
    version: .tls13, cipher: "TLS_AES_128_GCM_SHA256", applicationProtocol: .http11, serverName: "a.test", isResumed: true,
    verification: .unverified(.expired), certificate: nil)

  @Test func aHandshakesDetailsAreThoseOfItsParameters() {
    let details = TLSDetails(HandshakeOutcome.agreed(parameters))
    #expect(details.version == "TLSv1.3")
    #expect(details.cipher == "TLS_AES_128_GCM_SHA256")
    #expect(details.applicationProtocol == "http/1.1")
    #expect(details.serverName == "a.test")
    #expect(details.isResumed == true)
    #expect(details.isUnverified)
    #expect(details.alert == nil)
  }

  @Test func aFailureHasItsAlert() {
    let received = TLSDetails(.failed(TLSError(.peerAlert(.unknownCA), "no")))
    #expect(received.alert == TLSDetails.Alert(name: "unknown_ca", origin: "upstream"))
    let sent = TLSDetails(.failed(TLSError(.certificate(.expired), "no", alertSent: TLSAlert(code: 45))))
    #expect(sent.alert == TLSDetails.Alert(name: "certificate_expired", origin: "local"))
  }

  @Test func aCopyIsAnotherValue() {
    let details = TLSDetails(.agreed(parameters))
    var copy = details
    #expect(copy == details)
    copy.helloNanoseconds = 7
    #expect(copy != details)
    #expect(details.helloNanoseconds == nil)
    var written = TLSDetails()
    written.adopt(parameters)
    written.serverName = "a.test"
    #expect(written == details)
    #expect(written.hashValue == details.hashValue)
  }
}
