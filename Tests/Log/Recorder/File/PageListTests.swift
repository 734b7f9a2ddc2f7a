import TapelineHAR
import TapelineTime
import Testing

@testable import TapelineRecorder

struct PageListTests {
  private let anchor = ExampleExchange.anchor

  private func page(_ number: UInt64) -> RecordedPage {
    RecordedPage(id: PageID(number: number), title: "p\(number)", began: instant(Int64(number) * 100))
  }

  private func instant(_ nanoseconds: Int64) -> MonotonicInstant {
    anchor.instant.advanced(byNanoseconds: nanoseconds)
  }

  private func list(upTo last: UInt64) -> PageList {
    var list = PageList(first: page(1), anchor: anchor)
    for number in 1..<last { list.append(page(number + 1)) }
    return list
  }

  private func listed(_ list: PageList) throws -> [String] {
    let text = Array(#"{"log":{"entries":[],"pages":["#.utf8) + list.listed + Array("]}}".utf8)
    return try HARLog(json: text).pages.map(\.id)
  }

  @Test func listsAllUntilTheFileChanges() throws {
    var list = list(upTo: 3)
    #expect(try listed(list) == ["page_1", "page_2", "page_3"])
    list.beginFile()
    #expect(try listed(list) == ["page_3"])
    list.append(page(4))
    #expect(try listed(list) == ["page_3", "page_4"])
  }

  @Test(arguments: [(450, 4), (400, 4), (399, 3), (250, 2), (100, 1), (0, 1)])
  func thePageOfAnInstant(nanoseconds: Int64, number: UInt64) {
    var list = list(upTo: 4)
    let found = list.page(at: instant(nanoseconds))
    #expect(found.number == number)
  }

  @Test func anUnknownInstantIsNow() {
    var list = list(upTo: 4)
    let found = list.page(at: nil)
    #expect(found.number == 4)
  }

  @Test func anOldPageIsListedAgainWithThoseAfterIt() throws {
    var list = list(upTo: 4)
    list.beginFile()
    _ = list.page(at: instant(250))
    #expect(try listed(list) == ["page_2", "page_3", "page_4"])
  }

  @Test func isFullAtItsLimit() {
    var list = list(upTo: UInt64(PageList.most))
    #expect(list.isFull)
    list.beginFile()
    #expect(!list.isFull)
  }

  @Test func titlesAreBounded() {
    #expect(RecordedPage(id: .first, title: String(repeating: "é", count: 5_000), began: anchor.instant).title.count == 1_000)
  }
}
