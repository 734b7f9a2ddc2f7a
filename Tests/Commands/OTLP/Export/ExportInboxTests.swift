@testable import TapelineOTLP
import TapelineTime
import Testing

struct ExportInboxTests {
  private static let page = SpanPage(id: "page_1", title: "a", began: 1)
  private static let later = MonotonicInstant.now.advanced(by: .seconds(600))

  private static func put(_ sizes: [Int], into inbox: ExportInbox) {
    for size in sizes { inbox.put([UInt8](repeating: UInt8(size), count: size).span) { page } }
  }

  private static func sizes(_ entries: inout WaitingEntries) -> [Int] {
    var sizes: [Int] = []
    while let size = entries.read({ json, _ in json.count }) { sizes.append(size) }
    return sizes
  }

  @Test("Entries beyond the limit are left out and counted; a single one is always taken")
  func isBounded() {
    let inbox = ExportInbox(limit: 10)
    Self.put([20, 1, 1], into: inbox)
    var content = inbox.take(until: nil, .any)
    #expect(Self.sizes(&content.entries) == [20])
    #expect(content.leftOut == 2)
    inbox.giveBack(content.entries)
    Self.put([4, 4, 4, 2], into: inbox)
    content = inbox.take(until: nil, .any)
    #expect(Self.sizes(&content.entries) == [4, 4, 2])
    #expect(content.leftOut == 1)
  }

  @Test("Entries that are being read count until they are given back")
  func countsReading() {
    let inbox = ExportInbox(limit: 10)
    Self.put([8], into: inbox)
    var reading = inbox.take(until: nil, .any)
    Self.put([2, 1], into: inbox)
    #expect(Self.sizes(&reading.entries) == [8])
    Self.put([1], into: inbox)
    inbox.giveBack(reading.entries)
    Self.put([8, 1], into: inbox)
    var content = inbox.take(until: nil, .any)
    #expect(Self.sizes(&content.entries) == [2, 8])
    #expect(content.leftOut == 3)
  }

  @Test("What is given back is empty, and what was put in meanwhile is not touched")
  func reuses() {
    let inbox = ExportInbox(limit: 100)
    for round in 1...4 {
      Self.put([round, 9], into: inbox)
      var reading = inbox.take(until: nil, .any)
      Self.put([round + 20], into: inbox)
      let first = reading.entries.read { json, page in (json[0], page) }
      #expect(first?.0 == UInt8(round) && first?.1 == Self.page)
      #expect(Self.sizes(&reading.entries) == [9])
      inbox.giveBack(reading.entries)
      var next = inbox.take(until: nil, .any)
      #expect(Self.sizes(&next.entries) == [round + 20])
      inbox.giveBack(next.entries)
    }
  }

  @Test("While the reader lets entries come together, only much, an answer or the end is given to it")
  func gathers() {
    let inbox = ExportInbox(limit: 40)
    Self.put([1], into: inbox)
    let soon = MonotonicInstant.now.advanced(by: .milliseconds(5))
    // A single entry ends no wait; the time does, and then the entry comes along.
    #expect(inbox.take(until: soon, .many(until: Self.later)).entries.size == 1)
    #expect(MonotonicInstant.now >= soon)
    Self.put([2], into: inbox)
    let pause = MonotonicInstant.now.advanced(by: .milliseconds(5))
    #expect(inbox.take(until: Self.later, .many(until: pause)).entries.size == 2)
    Self.put([10], into: inbox)
    #expect(inbox.take(until: nil, .many(until: Self.later)).entries.size == 10)
    Self.put([3], into: inbox)
    inbox.put(.refused(reason: "no"), to: 7)
    #expect(inbox.take(until: nil, .many(until: Self.later)).answers.count == 1)
    inbox.close()
    #expect(inbox.take(until: nil, .many(until: Self.later)).isLast)
  }

  @Test("A reader that wants no entries gets answers and the end, and finds the entries later")
  func refuses() {
    let inbox = ExportInbox(limit: 10)
    Self.put([9], into: inbox)
    #expect(inbox.take(until: .now, .none).entries.isEmpty)
    inbox.put(.refused(reason: "no"), to: 3)
    let content = inbox.take(until: nil, .none)
    #expect(content.answers.map(\.attempt) == [3] && content.entries.isEmpty)
    Self.put([9, 1], into: inbox)
    inbox.close()
    let last = inbox.take(until: nil, .none)
    #expect(last.isLast && last.entries.isEmpty && last.leftOut == 1)
    var rest = inbox.take(until: .now, .any)
    #expect(Self.sizes(&rest.entries) == [9, 1])
  }

  @Test("Answers and the end wake the reader, the end once")
  func wakes() {
    let inbox = ExportInbox(limit: 10)
    inbox.put(.refused(reason: "no"), to: 7)
    #expect(inbox.take(until: nil, .any).answers.map(\.attempt) == [7])
    inbox.close()
    #expect(inbox.take(until: nil, .any).isLast)
    let content = inbox.take(until: MonotonicInstant.now, .any)
    #expect(content.isLast && content.entries.isEmpty)
  }
}
