import TapelineTransport
import Testing

@testable import TapelineCore

@Suite struct UploadBodyTests {
  private func all(_ body: UploadBody, limit: Int) -> [[UInt8]] {
    var body = body
    var chunks: [[UInt8]] = []
    while case .bytes(let chunk) = body.next(limit: limit) { chunks.append(chunk) }
    return chunks
  }

  @Test func noBodyEndsAtOnce() {
    #expect(all(.none, limit: 10).isEmpty)
  }

  @Test(arguments: [1, 2, 3, 4, 5, 100])
  func dataComesInPiecesOfAtMostTheLimit(limit: Int) {
    let chunks = all(.data([1, 2, 3, 4]), limit: limit)
    #expect(chunks.flatMap(\.self) == [1, 2, 3, 4])
    #expect(chunks.allSatisfy { !$0.isEmpty && $0.count <= limit })
  }

  @Test func aStreamIsAskedEachTime() {
    var body = UploadBody.stream { limit in limit > 5 ? .bytes([9]) : .later }
    if case .bytes(let chunk) = body.next(limit: 6) { #expect(chunk == [9]) } else { Issue.record("no octets") }
    if case .later = body.next(limit: 5) {} else { Issue.record("not asked again") }
  }
}
