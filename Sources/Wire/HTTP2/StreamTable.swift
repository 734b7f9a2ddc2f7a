/// The streams of one connection by their number, in its order.
///
/// A connection opens streams by rising numbers (RFC 9113 5.1.1) and has few at a time, so a search in an ordered list is quicker
/// than a hash, and an insertion is nearly always an append.
///
/// Public although no other package uses it: each module has its own kind of stream, and the compiler (6.3) specialises for
/// other modules what is `public` alone; `@inlinable` has no effect on what is `package`.
public struct StreamTable<Value> {
  @usableFromInline
  var numbers: [HTTP2StreamID]
  /// In the order of `numbers`.
  @usableFromInline
  var storage: [Value]

  @inlinable
  public init() {
    numbers = []
    storage = []
  }

  /// In the order in which the streams were opened.
  @inlinable
  public var values: [Value] { storage }

  @inlinable
  public var isEmpty: Bool { numbers.isEmpty }

  @inlinable
  public var count: Int { numbers.count }

  /// The value of a stream, or `nil` without such a stream. To assign `nil` removes the stream.
  @inlinable
  public subscript(stream: HTTP2StreamID) -> Value? {
    get {
      let index = firstIndex(from: stream)
      return index < numbers.count && numbers[index] == stream ? storage[index] : nil
    }
    set {
      let index = firstIndex(from: stream)
      let isThere = index < numbers.count && numbers[index] == stream
      switch (newValue, isThere) {
      case (let value?, true):
        storage[index] = value
      case (let value?, false):
        numbers.insert(stream, at: index)
        storage.insert(value, at: index)
      case (nil, true):
        numbers.remove(at: index)
        storage.remove(at: index)
      case (nil, false):
        break
      }
    }
  }

  /// The index of the first stream that is not before this one. The newest streams are asked for most.
  @inlinable
  func firstIndex(from stream: HTTP2StreamID) -> Int {
    var low = 0
    var high = numbers.count
    if high > 0, numbers[high - 1] < stream { return high }
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < stream { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension StreamTable: Sendable where Value: Sendable {}
