/// The part of a request's body that was asked for before a connection could take it: to find out its length.
struct GatheredBody {
  private var octets: [UInt8] = []
  private var taken = 0
  /// Nothing is sent before all of it is here.
  var isAwaited = false
  /// The source has said its end: nothing comes behind the octets.
  private(set) var isWhole = false

  /// Octets gathered, taken or not.
  var count: Int { octets.count }

  mutating func append(_ chunk: [UInt8]) {
    if octets.isEmpty { octets = chunk } else { octets += chunk }
  }

  mutating func end() {
    isWhole = true
  }

  /// The next octets, in order; `nil` when there are no more.
  mutating func take(atMost limit: Int) -> [UInt8]? {
    guard taken < octets.count else { return nil }
    let end = min(octets.count, taken + limit)
    let piece = taken == 0 && end == octets.count ? octets : Array(octets[taken..<end])
    taken = end
    if taken == octets.count {
      octets = []
      taken = 0
    }
    return piece
  }
}
