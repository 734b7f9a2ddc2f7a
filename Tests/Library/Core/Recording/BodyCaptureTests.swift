import Testing

@testable import TapelineCore

@Suite struct BodyCaptureTests {
  private let bytes = Array("0123456789".utf8)

  @Test(arguments: [(20, 10, false), (10, 10, false), (4, 4, true), (0, 0, true)])
  func keepsUpToTheLimitAndCountsAll(limit: Int, kept: Int, truncated: Bool) {
    var capture = BodyCapture(limit: limit)
    capture.append(bytes.span.extracting(0..<3))
    capture.append(bytes.span.extracting(3..<10))
    #expect(capture.bytes == Array(bytes.prefix(kept)))
    #expect(capture.size == 10)
    #expect(capture.isTruncated == truncated)
  }

  @Test func countingKeepsNothing() {
    var capture = BodyCapture(limit: 100)
    capture.count(bytes.span)
    #expect(capture.bytes.isEmpty)
    #expect(capture.size == 10)
    #expect(capture.isTruncated)
  }

  @Test func droppingForgetsTheBytesNotTheSize() {
    var capture = BodyCapture(limit: 100)
    capture.append(bytes.span)
    capture.dropBytes()
    #expect(capture.bytes.isEmpty)
    #expect(capture.size == 10)
  }
}
