/// Which parts of an entry are read. The others are skipped, at a multiple of the speed, and count as absent.
///
/// Dates, method, URL, status, sizes and timings are always read, and so are the members `_error`, `_ended`, `_inFlight`,
/// `_tunnel`, `_localStatus` and `_grpc`, `_blocked` (as `BlockedShares`), the `_pseudo` of a CONNECT that follows
/// its method, the bodies and response headers that may say that an operation failed, and the bodies and request headers that may
/// name one.
public struct HAREntryParts: OptionSet, Sendable, Hashable {
  /// A bit for each part.
  public let rawValue: UInt8

  /// Parts by their bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// `text`, `encoding` and `params` of `content` and `postData`.
  public static let bodies = HAREntryParts(rawValue: 1)
  /// Headers, cookies and the query's parameters.
  public static let fields = HAREntryParts(rawValue: 2)
  /// Members that the format does not define.
  public static let custom = HAREntryParts(rawValue: 4)

  /// The title of the entry's page, for readers of whole logs: it is elsewhere in the log.
  package static let pageTitle = HAREntryParts(rawValue: 8)
  /// A row of a page needs the request's headers, and a few of the members that the format does not define.
  package static let row = HAREntryParts(rawValue: 16)
  /// `stats` counts, of the members that the format does not define, the proxy's own time and the number of the connection.
  package static let figures = HAREntryParts(rawValue: 32)
  /// A scan looks at all of an entry, and keeps the values that lint's rules beyond the shape of HAR 1.2 are about.
  package static let shape = HAREntryParts(rawValue: 64)

  /// Everything: an entry that was read can be written again without loss.
  public static let all: HAREntryParts = [.bodies, .fields, .custom]
  /// The parts that a table of exchanges needs.
  public static let overview: HAREntryParts = []
}
