internal import Synchronization

/// A value behind a lock.
///
/// Reading or setting `wrappedValue` takes the lock each time; what must happen together goes into one `write`. The lock is not
/// recursive: no closure given to `read` or `write` may call a user's code or use this value again.
@propertyWrapper
@dynamicMemberLookup
public final class Protected<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  /// Protects `value`.
  public init(_ value: Value) {
    mutex = Mutex(value)
  }

  /// Protects the value a property is declared with.
  public convenience init(wrappedValue: Value) {
    self.init(wrappedValue)
  }

  /// The value, read or replaced under the lock.
  public var wrappedValue: Value {
    get { mutex.withLock { $0 } }
    set { mutex.withLock { $0 = newValue } }
  }

  /// The protection itself: `$property.write { … }`.
  public var projectedValue: Protected<Value> { self }

  /// Calls `closure` with the value, under the lock, and returns what it returns.
  public func read<Result: Sendable, Failure: Error>(_ closure: (Value) throws(Failure) -> Result) throws(Failure) -> Result {
    try mutex.withLock { value throws(Failure) in try closure(value) }
  }

  /// Lets `closure` change the value, under the lock, and returns what it returns.
  @discardableResult
  public func write<Result: Sendable, Failure: Error>(
    _ closure: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try mutex.withLock { value throws(Failure) in try closure(&value) }
  }

  /// A member of the value, read or replaced under the lock.
  public subscript<Member: Sendable>(dynamicMember path: any WritableKeyPath<Value, Member> & Sendable) -> Member {
    get { mutex.withLock { $0[keyPath: path] } }
    set { mutex.withLock { $0[keyPath: path] = newValue } }
  }

  /// A member of the value, read under the lock.
  public subscript<Member: Sendable>(dynamicMember path: any KeyPath<Value, Member> & Sendable) -> Member {
    mutex.withLock { $0[keyPath: path] }
  }
}

/// Says yes only to the first caller: for completions that user code might call twice.
final class Once: Sendable {
  private let isTaken = Atomic(false)

  /// Whether the caller is the first.
  func claim() -> Bool {
    !isTaken.exchange(true, ordering: .acquiringAndReleasing)
  }
}
