/// Which parts of an entry are read; the others are passed over, at a multiple of the speed, and are as if they were not there.
///
/// Dates, method, URL, status, sizes and timings are always read, and so are the members `_error`, `_ended`, `_inFlight` and `_tunnel`,
/// and of `_blocked` the client's part where it is not 0.
public struct HAREntryParts: OptionSet, Sendable, Hashable {
  /// A bit for each part.
  public let rawValue: UInt8

  /// Parts by their bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// `text`, `encoding` and `params` of `content` and `postData`.
  public static let bodies = HAREntryParts(rawValue: 1)
  /// Headers, cookies and the parameters of the query.
  public static let fields = HAREntryParts(rawValue: 2)
  /// Members that the format does not define.
  public static let custom = HAREntryParts(rawValue: 4)

  /// The title of the entry's page, for readers of whole logs: it stands elsewhere in them.
  package static let pageTitle = HAREntryParts(rawValue: 8)

  /// Everything: what is read can be written again without loss.
  public static let all: HAREntryParts = [.bodies, .fields, .custom]
  /// What a table of exchanges needs.
  public static let overview: HAREntryParts = []
}
