import FoundationEssentials
import TapelineTransport
import Testing

@testable import TapelineCore

@Suite struct UploadBodyTests {
  private func all(_ body: UploadBody, limit: Int) throws -> [[UInt8]] {
    var body = body
    var pieces: [[UInt8]] = []
    while case .bytes(let piece) = try body.next(limit: limit, ready: {}) { pieces.append(piece) }
    return pieces
  }

  @Test func anEmptyBodyEndsAtOnce() throws {
    #expect(try all(.none, limit: 10).isEmpty)
    #expect(try all(.data(Data()), limit: 10).isEmpty)
  }

  @Test func bytesComeInPiecesOfAtMostTheLimit() throws {
    #expect(try all(.data(Data([1, 2, 3, 4, 5])), limit: 2) == [[1, 2], [3, 4], [5]])
    #expect(try all(.data(Data([1, 2, 3, 4, 5])), limit: 5) == [[1, 2, 3, 4, 5]])
  }

  @Test func aSliceOfDataIsSentFromItsOwnStart() throws {
    #expect(try all(.data(Data([9, 9, 1, 2, 3])[2...]), limit: 2) == [[1, 2], [3]])
  }

  @Test func aStreamIsAskedEachTime() throws {
    var body = UploadBody.stream { limit in limit > 5 ? .bytes([9]) : .later }
    let small = try body.next(limit: 5, ready: {})
    let large = try body.next(limit: 6, ready: {})
    guard case .later = small, case .bytes([9]) = large else {
      Issue.record("unexpected chunks")
      return
    }
  }

  @Test func aRenewedBodyBeginsAgain() throws {
    var body = UploadBody.data(Data([1, 2, 3]))
    _ = try body.next(limit: 2, ready: {})
    #expect(try all(try #require(body.renewed()), limit: 9) == [[1, 2, 3]])
    #expect(UploadBody.stream { _ in .end }.renewed() == nil)
  }
}
