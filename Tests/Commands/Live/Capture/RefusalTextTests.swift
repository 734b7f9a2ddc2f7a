import TapelineProxy
import Testing

@testable import TapelineLive

@Suite("Messages when a client refuses our certificate")
struct RefusalTextTests {
  private func line(_ consequence: RefusalNotice.Consequence, trust: RefusalNotice.Trust = .unknown) -> String {
    RefusalText.line(
      for: RefusalNotice(
        host: "api.example.com", client: "curl", refusal: "alert unknown_ca", trust: trust, consequence: consequence))
  }

  @Test("The first message says what is missing and what to do")
  func first() {
    let text =
      "curl refused our certificate for api.example.com (alert unknown_ca): its requests there are not recorded; "
      + "make it trust us (tapeline env, tapeline ca trust), or leave the host alone (--passthrough-host api.example.com)"
    #expect(line(.suspicion) == text)
    #expect(line(.none) == text)
  }

  @Test("The message about a browser's first refusal is true also if the browser goes on")
  func browser() {
    #expect(
      line(.suspicion, trust: .browser)
        == "curl did not like our certificate for api.example.com (alert unknown_ca): if it goes on, it is recorded; if it refuses "
        + "again within a minute, it is passed through, unread; "
        + "start it by tapeline run --browser, with $TAPELINE_CHROMIUM_FLAGS, or see tapeline ca trust")
  }

  @Test("A client with authorities of its own is told to give them to tapeline")
  func ownAuthority() {
    let named =
      "its --cacert names other authorities than ours: give that file to tapeline (--upstream-ca) and leave --cacert out"
    #expect(
      line(.suspicion, trust: .named("--cacert"))
        == "curl refused our certificate for api.example.com (alert unknown_ca): its requests there are not recorded; "
        + "\(named), or leave the host alone (--passthrough-host api.example.com)")
    #expect(
      line(.passedThrough, trust: .named("--cacert")).hasSuffix(
        "(alert unknown_ca); \(named); tapeline passthrough --clear then intercepts it again"))
    #expect(
      line(.passedThrough, trust: .ownAuthority).contains(
        "; make it trust us (tapeline env, tapeline ca trust), and give authorities of its own to tapeline (--upstream-ca); "))
  }

  @Test("The message about a pass-through says how long it lasts and how to undo it")
  func passedThrough() {
    #expect(
      line(.passedThrough)
        == "curl is passed through to api.example.com, unread, for 10 minutes: it refused our certificate (alert unknown_ca); "
        + "once it trusts us (tapeline env, tapeline ca trust), tapeline passthrough --clear intercepts it again")
  }
}
