import TapelineOTLP
import TapelineTime
import Testing

@testable import TapelineExport

struct ExportInboxTests {
  private static let page = SpanPage(id: "page_1", title: "a", began: 1)

  @Test("Entries beyond the limit are left out and counted; a single one is always taken")
  func isBounded() {
    let inbox = ExportInbox(limit: 10)
    for size in [20, 1, 1] { inbox.put([UInt8](repeating: 0, count: size).span, Self.page) }
    var content = inbox.take(until: nil)
    #expect(content.entries.map(\.json.count) == [20])
    #expect(content.leftOut == 2)
    for size in [4, 4, 4, 2] { inbox.put([UInt8](repeating: 0, count: size).span, Self.page) }
    content = inbox.take(until: nil)
    #expect(content.entries.map(\.json.count) == [4, 4, 2])
    #expect(content.leftOut == 1)
  }

  @Test("While the reader lets entries come together, only much, an answer or the end is given to it")
  func gathers() {
    let later = MonotonicInstant.now.advanced(by: .seconds(600))
    let inbox = ExportInbox(limit: 40)
    inbox.put([1].span, Self.page)
    let soon = MonotonicInstant.now.advanced(by: .milliseconds(5))
    // A single entry ends no wait; the time does, and then the entry comes along.
    #expect(inbox.take(until: soon, gatheringUntil: later).entries.count == 1)
    #expect(MonotonicInstant.now >= soon)
    inbox.put([2].span, Self.page)
    #expect(inbox.take(until: later, gatheringUntil: MonotonicInstant.now.advanced(by: .milliseconds(5))).entries.count == 1)
    inbox.put([UInt8](repeating: 0, count: 10).span, Self.page)
    #expect(inbox.take(until: nil, gatheringUntil: later).entries.count == 1)
    inbox.put([3].span, Self.page)
    inbox.put(.refused(reason: "no"), to: 7)
    #expect(inbox.take(until: nil, gatheringUntil: later).answers.count == 1)
    inbox.close()
    #expect(inbox.take(until: nil, gatheringUntil: later).isLast)
  }

  @Test("Answers and the end wake the reader, the end once")
  func wakes() {
    let inbox = ExportInbox(limit: 10)
    inbox.put(.refused(reason: "no"), to: 7)
    #expect(inbox.take(until: nil).answers.map(\.attempt) == [7])
    inbox.close()
    #expect(inbox.take(until: nil).isLast)
    let content = inbox.take(until: MonotonicInstant.now)
    #expect(content.isLast && content.entries.isEmpty)
  }
}
