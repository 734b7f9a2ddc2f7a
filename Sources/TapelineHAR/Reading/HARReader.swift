/// Reads a HAR of any size from pieces of any size, holding no more than one entry and one piece.
///
/// The caller feeds octets and takes events until there is none; then it feeds more, or says that there are no more. `pages`
/// and `entries` may come in any order, a byte order mark is passed over, members beside `log` are left out.
///
/// ```swift
/// var reader = HARReader()
/// while let piece = try file.read() {
///   reader.feed(piece)
///   while let event = try reader.next() { … }
/// }
/// reader.finish()
/// while let event = try reader.next() { … }
/// ```
public struct HARReader: Sendable {
  public enum Event: Sendable, Hashable {
    case version(String)
    case creator(HARCreator)
    case browser(HARCreator)
    case page(HARPage)
    case entry(HAREntry)
    case comment(String)
    /// Any other member of `log`, and a known one that is not of its type.
    case member(HARObject.Member)
  }

  /// Where in the text the position stands.
  enum Place: Sendable {
    case start
    case root(Container)
    case log(Container)
    case pages(Container)
    case entries(Container)
    case end
  }

  /// What may come next in an object or array.
  enum Container: Sendable {
    /// The first member or element, or the end.
    case first
    /// A comma or the end.
    case separator
    /// A member or element: a comma went before.
    case next
    /// The value of this member.
    case value(String)
  }

  /// Octets fed and not yet passed by; `position` is the next to look at.
  var buffer: [UInt8] = []
  var position = 0
  /// Octets of the text before `buffer`.
  var origin = 0
  var isFinished = false
  var place = Place.start
  var hasLog = false
  /// The search for the end of the value at `position`, when it was not all there.
  var scanner: ValueScanner?
  let valueSizeLimit: Int

  /// - Parameter valueSizeLimit: the largest entry, in octets, that is held in memory.
  public init(valueSizeLimit: Int = 1 << 30) {
    self.valueSizeLimit = valueSizeLimit
  }

  /// Takes the next octets of the text.
  public mutating func feed(_ octets: Span<UInt8>) {
    discardPassed()
    unsafe octets.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
  }

  /// Takes the next octets of the text.
  public mutating func feed(_ octets: [UInt8]) {
    feed(octets.span)
  }

  /// Says that the text has ended.
  public mutating func finish() {
    isFinished = true
  }

  private mutating func discardPassed() {
    guard position > 0 else { return }
    origin += position
    buffer.removeFirst(position)
    position = 0
  }

  /// The next event; `nil` when more octets are needed or, after `finish()`, when all is read.
  public mutating func next() throws(HARReadError) -> Event? {
    while true {
      switch try step() {
      case .event(let event): return event
      case .moved: continue
      case .starved: return nil
      }
    }
  }

  enum Step {
    case event(Event)
    case moved
    /// Nothing more can be said of the octets fed so far.
    case starved
  }
}
