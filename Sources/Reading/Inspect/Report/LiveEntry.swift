internal import TapelineHAR

// Lists in an entry that can be long, for answers that must not be.

extension HAREntry {
  /// Leaves out the first messages of a WebSocket and the last fields of a form, where their texts have more than `limit` bytes.
  /// `_webSocketMessagesLeftOut` and `_paramsLeftOut` say how many there were.
  mutating func limitLists(to limit: Int) {
    if let messages = custom[.webSocketMessages]?.array {
      // The latest are those that somebody waits for.
      let kept = Array(messages.reversed()).countWithin(limit) { $0["data"]?.string?.utf8.count ?? 0 }
      if kept < messages.count {
        custom[.webSocketMessages] = .array(Array(messages.suffix(kept)))
        custom[.webSocketMessagesLeftOut] = .number(HARNumber(messages.count - kept))
      }
    }
    if let params = request.postData?.params {
      let kept = params.countWithin(limit) { $0.name.utf8.count + ($0.value?.utf8.count ?? 0) }
      if kept < params.count {
        request.postData?.params = Array(params.prefix(kept))
        request.postData?.custom[.paramsLeftOut] = .number(HARNumber(params.count - kept))
      }
    }
  }
}

extension Array {
  /// How many elements from the first on have no more than `limit` bytes together.
  fileprivate func countWithin(_ limit: Int, _ size: (Element) -> Int) -> Int {
    var total = 0
    return prefix { element in
      total += size(element)
      return total <= limit
    }.count
  }
}
