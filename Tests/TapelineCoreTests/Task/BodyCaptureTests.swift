import Testing

@testable import TapelineCore

@Suite struct BodyCaptureTests {
  private let octets = Array("0123456789".utf8)

  @Test(arguments: [(20, 10, false), (10, 10, false), (4, 4, true), (0, 0, true)])
  func keepsUpToTheLimitAndCountsAll(limit: Int, kept: Int, truncated: Bool) {
    var capture = BodyCapture(limit: limit)
    capture.append(octets.span.extracting(0..<3))
    capture.append(octets.span.extracting(3..<10))
    #expect(capture.octets == Array(octets.prefix(kept)))
    #expect(capture.size == 10)
    #expect(capture.isTruncated == truncated)
  }

  @Test func countingKeepsNothing() {
    var capture = BodyCapture(limit: 100)
    capture.count(octets.span)
    #expect(capture.octets.isEmpty)
    #expect(capture.size == 10)
    #expect(capture.isTruncated)
  }

  @Test func droppingForgetsTheOctetsNotTheSize() {
    var capture = BodyCapture(limit: 100)
    capture.append(octets.span)
    capture.dropOctets()
    #expect(capture.octets.isEmpty)
    #expect(capture.size == 10)
  }
}
