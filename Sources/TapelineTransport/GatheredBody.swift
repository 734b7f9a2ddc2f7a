/// The part of a request's body that was asked for before a connection could take it, to find out the body's length.
struct GatheredBody {
  private var bytes: [UInt8] = []
  private var taken = 0
  /// Nothing is sent before all of it is here.
  var isAwaited = false
  /// The source has said that the body ends: nothing comes after these bytes.
  private(set) var isWhole = false

  /// Bytes gathered, taken or not.
  var count: Int { bytes.count }

  mutating func append(_ chunk: [UInt8]) {
    if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
  }

  mutating func end() {
    isWhole = true
  }

  /// The next bytes, in order; `nil` when there are no more.
  mutating func take(atMost limit: Int) -> [UInt8]? {
    guard taken < bytes.count else { return nil }
    let end = min(bytes.count, taken + limit)
    let piece = taken == 0 && end == bytes.count ? bytes : Array(bytes[taken..<end])
    taken = end
    if taken == bytes.count {
      bytes = []
      taken = 0
    }
    return piece
  }
}
