internal import TapelineBase

/// The mended pages of a log, and the entries that refer to them.
struct PageLint {
  /// In the order of the file, then those that entries refer to but the file lacks.
  private(set) var pages: [HARPage] = []
  private var ids: Set<String> = []
  /// Names of pages that entries refer to and that have not come yet, with the first entry that does.
  private var awaited: [(id: String, entry: Int, date: String)] = []
  private var awaitedIDs: Set<String> = []
  private var withoutPage: (first: Int, count: Int)?
  private var firstDate: String?
  private(set) var count = 0

  /// The page for entries that name no page; known when all pages are known.
  var defaultID: String? { pages.first?.id }

  mutating func append(_ page: HARPage, substituteDate: String, report: (HARRule, HARPath, String) -> Void) {
    let path = HARPath.log["pages"][count]
    count += 1
    var page = page
    if let finding = DateLint.mend(&page.startedDateTime, or: substituteDate) {
      report(finding.rule, path["startedDateTime"], finding.message)
    }
    if ids.contains(page.id) {
      report(.duplicatePageID, path["id"], "another page has the id \"\(page.id)\"")
      page.id = HARPage.unusedID(like: page.id, in: ids)
    }
    ids.insert(page.id)
    pages.append(page)
  }

  mutating func skip() {
    count += 1
  }

  /// Records an entry's page.
  mutating func refer(to id: String?, from entry: Int, date: String) {
    if firstDate == nil { firstDate = date }
    guard let id else {
      withoutPage = (withoutPage?.first ?? entry, (withoutPage?.count ?? 0) + 1)
      return
    }
    guard !ids.contains(id), awaitedIDs.insert(id).inserted else { return }
    awaited.append((id, entry, date))
  }

  /// Adds the pages that are missing, so that every entry has one.
  mutating func finish(report: (HARRule, HARPath, String) -> Void) {
    let hadNone = pages.isEmpty
    if hadNone { report(.missingPages, HARPath.log["pages"], "the log has no page; some readers want one") }
    for (id, entry, date) in awaited where !ids.contains(id) {
      report(.danglingPageref, HARPath.log["entries"][entry]["pageref"], "no page has the id \"\(id)\"")
      add(id: id, date: date)
    }
    if pages.isEmpty { add(id: "page_1", date: firstDate ?? InternetDate.epoch.text) }
    if let withoutPage {
      let others = withoutPage.count == 1 ? "" : ", as \(withoutPage.count - 1) others do not"
      report(.missingPageref, HARPath.log["entries"][withoutPage.first], "the entry names no page" + others)
    }
  }

  private mutating func add(id: String, date: String) {
    var date = date
    _ = DateLint.mend(&date, or: InternetDate.epoch.text)
    ids.insert(id)
    pages.append(
      HARPage(
        startedDateTime: date, id: id, title: id, pageTimings: HARPageTimings(onContentLoad: -1, onLoad: -1)))
  }
}
