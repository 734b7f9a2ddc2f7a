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
    #expect(!throttle.permits("new", at: start))
    #expect(throttle.permits("3", at: start))
    throttle.noteFailure(of: "later", at: after(seconds: 1_000))
    #expect(throttle.permits("new", at: after(seconds: 1_000)))
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
