extension EntryLint {
  mutating func checkDates() {
    if let finding = DateLint.mend(&entry.startedDateTime, or: substituteDate) {
      report(finding.rule, at: path["startedDateTime"], finding.message)
    }
    checkCookies(\.request.cookies, at: path["request"]["cookies"])
    checkCookies(\.response.cookies, at: path["response"]["cookies"])
    checkCacheState(\.cache.beforeRequest, at: path["cache"]["beforeRequest"])
    checkCacheState(\.cache.afterRequest, at: path["cache"]["afterRequest"])
  }

  private mutating func checkCookies(_ cookies: WritableKeyPath<HAREntry, [HARCookie]>, at path: HARPath) {
    for index in entry[keyPath: cookies].indices {
      guard let expires = entry[keyPath: cookies][index].expires else { continue }
      var mended: String? = expires
      guard let finding = DateLint.mend(&mended) else { continue }
      entry[keyPath: cookies][index].expires = mended
      report(finding.rule == .badDate ? .cookieExpires : finding.rule, at: path[index]["expires"], finding.message)
    }
  }

  private mutating func checkCacheState(_ state: WritableKeyPath<HAREntry, HARCacheState?>, at path: HARPath) {
    guard var mended = entry[keyPath: state] else { return }
    if let finding = DateLint.mend(&mended.expires) {
      report(finding.rule, at: path["expires"], finding.message)
    }
    var lastAccess = mended.lastAccess ?? ""
    if let finding = DateLint.mend(&lastAccess, or: substituteDate) {
      report(finding.rule, at: path["lastAccess"], finding.message)
    }
    mended.lastAccess = lastAccess
    entry[keyPath: state] = mended
  }
}
