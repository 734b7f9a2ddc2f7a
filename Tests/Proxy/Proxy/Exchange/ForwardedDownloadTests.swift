import TapelineCore
import TapelineHTTP
import TapelineTime
import Testing

@testable import TapelineProxy

/// The origin's response on its way to the client, without sockets.
@Suite struct ForwardedDownloadTests {
  private let instant = MonotonicInstant(nanoseconds: 7)

  private func download() -> ForwardedDownload {
    ForwardedDownload(into: BodyCapture(limit: 4))
  }

  /// One that has begun, and has had a piece of five bytes.
  private func relaying(_ framing: BodyFraming) -> ForwardedDownload {
    var download = download()
    download.begin(framing, captures: true)
    _ = download.receive([1, 2, 3, 4, 5].span, at: instant)
    return download
  }

  @Test(
    "A piece goes to the client where there is content; it is captured up to the limit",
    arguments: [
      (BodyFraming?.some(.chunked), true), (.length(5), true), (.untilClose, true), (.some(.none), false), (nil, false),
    ])
  func passages(framing: BodyFraming?, passes: Bool) {
    var download = download()
    #expect(download.isUntold == true)
    download.begin(framing, captures: true)
    #expect(download.isUntold == false)
    let passed = download.receive([1, 2, 3, 4, 5].span, at: instant)
    let ended = download.end()
    #expect(passed == passes && ended)
    #expect(download.isOwed == true)
    #expect(download.body.bytes == [1, 2, 3, 4] && download.body.size == 5)
  }

  @Test("Pieces are timed when the origin did not announce the length; all of them")
  func times() {
    var timed = download()
    timed.begin(.chunked, captures: false)
    for _ in 0..<1_001 { _ = timed.receive([1].span, at: instant) }
    _ = timed.receive([1].span, at: nil)
    #expect(timed.pieces.count == 1_001)
    timed.pieces.forEach { #expect($0.nanoseconds == instant.nanoseconds / 1_000 * 1_000 && $1 == 1) }
    #expect(timed.body.bytes.isEmpty && timed.body.size == 1_002)
    #expect(relaying(.length(5)).pieces.isEmpty)
  }

  @Test("Bytes may pass unseen once the record has what it keeps, and only where the client was told the length")
  func unseen() {
    var download = download()
    #expect(download.passesUnseen == false)
    download.begin(.length(20), captures: true)
    _ = download.receive([1, 2, 3].span, at: instant)
    #expect(download.passesUnseen == false)
    _ = download.receive([4].span, at: instant)
    #expect(download.passesUnseen == true)
    download.pass(10)
    #expect(download.body.size == 14 && download.body.bytes == [1, 2, 3, 4] && download.pieces.isEmpty)
    #expect(download.isMidLength && !download.isWholeByLength)
    _ = download.receive([5, 6, 7, 8, 9, 10].span, at: instant)
    #expect(download.isWholeByLength && download.body.size == 20)
    _ = download.end()
    #expect(download.isWholeByLength == true)
    download.clientDidLeave()
    #expect(download.passesUnseen == false)

    var uncaptured = self.download()
    uncaptured.begin(.length(20), captures: false)
    #expect(uncaptured.passesUnseen == true)
  }

  @Test("Bytes whose times are recorded are seen", arguments: [BodyFraming.chunked, .untilClose, .none])
  func timed(framing: BodyFraming) {
    var download = relaying(framing)
    #expect(download.passesUnseen == false)
    download.pass(10)
    #expect(download.body.size == 5)
  }

  @Test(
    "A failure of the origin is answered while the client was told nothing; a body that has begun is broken off",
    arguments: [
      (BodyFraming?.none, ForwardedDownload.Remedy.answer, true), (.untilClose, .breakOff, false), (.length(9), .breakOff, false),
      (.chunked, .breakOff, false),
    ])
  func originFails(framing: BodyFraming?, remedy: ForwardedDownload.Remedy, isOwed: Bool) {
    var download = if let framing { relaying(framing) } else { download() }
    let first = download.originDidFail(passesOn: false)
    #expect(first == remedy)
    #expect(download.isOwed == isOwed)
    let second = download.originDidFail(passesOn: false)
    #expect(second == .nothing)
    let ending = download.end()
    #expect(!ending)
  }

  @Test("A failure that is passed on ends what the client was told nothing of, and breaks off what has begun")
  func failurePassedOn() {
    var untold = download()
    let passed = untold.originDidFail(passesOn: true)
    #expect(passed == .passOn && !untold.isOwed)
    var begun = relaying(.length(9))
    let broken = begun.originDidFail(passesOn: true)
    #expect(broken == .breakOff)
  }

  @Test("A complete response is still owed when the origin fails afterwards, and not when the client breaks its message")
  func afterTheEnd() {
    var download = relaying(.chunked)
    _ = download.end()
    let nothing = download.originDidFail(passesOn: false)
    #expect(nothing == .nothing && download.isOwed)
    let end = download.clientDidFail()
    #expect(end == .breakOff && !download.isOwed)
  }

  @Test("A client that breaks its own message is answered while it was told nothing")
  func clientFails() {
    var untold = download()
    let answer = untold.clientDidFail()
    #expect(answer == .answer && untold.isOwed)
    var open = relaying(.untilClose)
    let reset = open.clientDidFail()
    #expect(reset == .breakOff && !open.isOwed)
  }

  @Test("Nothing goes to a client that has left, and only a length is a promise")
  func clientLeaves() {
    var download = relaying(.length(9))
    #expect(download.isMidLength == true)
    download.clientDidLeave()
    #expect(!download.isMidLength && !download.isOwed)
    let passes = download.receive([6].span, at: instant)
    #expect(!passes)
    #expect(download.body.size == 5)
    #expect(relaying(.chunked).isMidLength == false)
  }

  @Test("After a 101 nothing is a response any more (RFC 9110 7.8)")
  func upgrades() {
    var download = download()
    download.upgrade()
    #expect(!download.isUntold && !download.isOwed)
    let passes = download.receive([1].span, at: instant)
    #expect(!passes)
    let remedy = download.originDidFail(passesOn: false)
    #expect(remedy == .breakOff)
  }
}
