import TapelineCore
@testable import TapelineLoop
import TapelineTLS
import TapelineTime
import Testing

@testable import TapelineProxy

/// The clients that are let through because their origin wants their certificate, with time moved by hand.
@Suite("Origins that demand certificates")
struct CertificateDemandTests {
  private let source = TLSClient.Source(address: "127.0.0.1", fingerprint: HelloFingerprint())

  private func second(_ number: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 1_000_000_000_000 + number * 1_000_000_000)
  }

  private func demand(by host: String = "h", at instant: MonotonicInstant, passing: Bool = true) -> CertificateDemand {
    CertificateDemand(
      host: host, client: "curl", manner: "alert certificate_required", since: instant,
      expires: passing ? instant.advanced(by: ClientTrust.verdict) : nil)
  }

  @Test("It holds for hosts and hellos, until the client has not connected for ten minutes")
  func held() {
    let trust = ClientTrust()
    let isNews = trust.note(demand(at: second(0)), of: source)
    let isNewsAgain = trust.note(demand(at: second(1)), of: source)
    #expect(isNews && !isNewsAgain)
    let elsewhere = TLSClient.Source(address: "192.0.2.1", fingerprint: HelloFingerprint())
    #expect(trust.certificateDemand(from: source, for: "i", at: second(2)) == nil)
    #expect(trust.certificateDemand(from: elsewhere, for: "h", at: second(2)) == nil)
    #expect(trust.certificateDemand(from: source, for: "h", at: second(599)) != nil)
    #expect(trust.certificateDemand(from: source, for: "h", at: second(1_198)) != nil)
    #expect(trust.certificateDemands(at: second(1_199)).map(\.host) == ["h"])
    #expect(trust.certificateDemand(from: source, for: "h", at: second(1_798)) == nil)
    #expect(trust.certificateDemands(at: second(1_798)).isEmpty)
  }

  @Test("It can be forgotten, and is only said where no client is let through")
  func forgotten() {
    let trust = ClientTrust()
    _ = trust.note(demand(at: second(0)), of: source)
    trust.forgetRefusals()
    #expect(trust.certificateDemand(from: source, for: "h", at: second(1)) == nil)
    let isNews = trust.note(demand(at: second(2), passing: false), of: source)
    #expect(isNews)
    #expect(trust.certificateDemand(from: source, for: "h", at: second(3)) == nil)
  }

  @Test("nginx's page is a demand, another answer is none")
  func page() {
    var page = BodyCapture(limit: 1_000)
    page.append(Array("<center>No required SSL certificate was sent</center>".utf8).span)
    var other = BodyCapture(limit: 1_000)
    other.append(Array("<center>The SSL certificate error</center>".utf8).span)
    #expect(CertificateDemand.isMade(by: page) && !CertificateDemand.isMade(by: other))
  }
}
