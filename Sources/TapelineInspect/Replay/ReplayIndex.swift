internal import TapelineHAR

/// The places of the answers in a capture: by request, in their original order.
package struct ReplayIndex: Sendable {
  /// One recorded exchange.
  package struct Slot: Sendable, Hashable {
    /// Its number in the file.
    package let number: Int
    /// Its byte range in the file.
    package let range: Range<Int>
  }

  package let folding: ReplayKey.Folding
  private var slots: [ReplayKey: [Slot]] = [:]
  /// Exchanges that can be replayed.
  package private(set) var count = 0
  /// Exchanges that cannot be replayed: tunnels, switched protocols, requests without a URL, and exchanges that were in flight.
  package private(set) var leftOut = 0
  private var number = 0

  /// Reads the whole file once; memory holds a URL and a place for each exchange.
  package init(_ file: inout InputFile, folding: ReplayKey.Folding) throws(CaptureError) {
    self.folding = folding
    try file.forEachElement { (element, bytes) throws(HARReadError) in
      guard case .entry = element.kind else { return }
      try add(HAREntry(json: bytes, parts: .overview), at: element.range)
    }
  }

  private mutating func add(_ entry: HAREntry, at range: Range<Int>) {
    number += 1
    guard entry.request.method != "CONNECT", !RecordedEnd.isOutstanding(for: entry), !(100..<200).contains(entry.response.status),
      let key = ReplayKey(method: entry.request.method, url: entry.request.url, folding: folding)
    else {
      leftOut += 1
      return
    }
    count += 1
    slots[key, default: []].append(Slot(number: number, range: range))
  }

  /// The answers to a request, in their original order.
  package subscript(key: ReplayKey) -> [Slot] {
    slots[key] ?? []
  }
}
