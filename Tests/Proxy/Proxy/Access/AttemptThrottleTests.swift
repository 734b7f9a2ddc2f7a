import TapelineTime
import Testing

@testable import TapelineProxy

@Suite struct AttemptThrottleTests {
  private let start = MonotonicInstant.now

  private func after(seconds: Double) -> MonotonicInstant {
    start.advanced(byNanoseconds: Int64(seconds * 1e9))
  }

  @Test("Twenty wrong passwords at once, then one a second, of each address")
  func attempts() {
    let throttle = AttemptThrottle()
    for _ in 0..<20 {
      #expect(throttle.permits("a", at: start))
      throttle.noteFailure(of: "a", at: start)
    }
    #expect(!throttle.permits("a", at: start))
    #expect(throttle.permits("b", at: start))
    #expect(!throttle.permits("a", at: after(seconds: 0.9)))
    #expect(throttle.permits("a", at: after(seconds: 1)))
    throttle.noteFailure(of: "a", at: after(seconds: 1))
    #expect(!throttle.permits("a", at: after(seconds: 1.5)))
    for _ in 0..<20 { throttle.noteFailure(of: "a", at: after(seconds: 100)) }
    #expect(!throttle.permits("a", at: after(seconds: 100)))
  }

  @Test("Many addresses cost no more memory: what is beyond the bound is counted together")
  func bound() {
    let throttle = AttemptThrottle()
    for number in 0..<5_000 { throttle.noteFailure(of: "\(number)", at: start) }
    // After a while, so that the limit of all together does not decide.
    #expect(!throttle.permits("new", at: after(seconds: 0.5)))
    throttle.noteSuccess(of: "3")
    #expect(throttle.permits("3", at: after(seconds: 0.5)))
    throttle.noteFailure(of: "later", at: after(seconds: 1_000))
    #expect(throttle.permits("new", at: after(seconds: 1_000)))
  }

  @Test(
    "Addresses that one program can have are one place",
    arguments: [
      ("127.0.0.1", "127.8.9.10", true), ("127.0.0.1", "::1", true), ("127.0.0.1", "::ffff:127.0.0.2", true),
      ("2001:db8::1", "2001:db8::ffff:2", true), ("2001:db8::1", "2001:db8:0:1::1", false), ("192.0.2.1", "192.0.2.2", false),
      ("192.0.2.1", "::ffff:192.0.2.1", true), ("local", "127.0.0.1", false),
    ])
  func places(first: String, second: String, areOne: Bool) {
    let throttle = AttemptThrottle()
    for _ in 0..<20 { throttle.noteFailure(of: first, at: start) }
    #expect(throttle.permits(second, at: start) == !areOne)
  }

  @Test("However many places there are, two hundred at once and then ten a second; who has given the right one is not held up")
  func total() {
    let throttle = AttemptThrottle()
    throttle.noteSuccess(of: "10.0.0.1")
    var looked = 0
    for number in 0..<1_200 where throttle.permits("192.0.\(number / 20).\(number % 200)", at: start) {
      looked += 1
      throttle.noteFailure(of: "192.0.\(number / 20).\(number % 200)", at: start)
    }
    #expect(looked == 200)
    #expect(!throttle.permits("10.0.0.2", at: start))
    #expect(throttle.permits("10.0.0.1", at: start))
    #expect(throttle.permits("10.0.0.2", at: after(seconds: 0.1)))
  }

  @Test("A right password is not looked at while wrong ones come; asking without one is no attempt")
  func admission() {
    var policy = AccessPolicy()
    policy.credentials = ProxyCredentials(pair: "user:pass")
    for _ in 0..<100 { #expect(policy.admission(of: [], from: "a", at: start) == .unknown) }
    #expect(policy.admission(of: ["Basic dXNlcjpwYXNz"], from: "a", at: start) == .admitted)
    for _ in 0..<20 { #expect(policy.admission(of: ["Basic eDp5"], from: "a", at: start) == .unknown) }
    #expect(policy.admission(of: ["Basic dXNlcjpwYXNz"], from: "a", at: start) == .throttled)
    #expect(policy.admission(of: ["Basic dXNlcjpwYXNz"], from: "b", at: start) == .admitted)
    #expect(policy.admission(of: ["Basic dXNlcjpwYXNz"], from: "a", at: after(seconds: 1)) == .admitted)
  }
}
