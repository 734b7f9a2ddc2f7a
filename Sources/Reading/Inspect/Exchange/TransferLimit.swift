internal import TapelineHAR
internal import TapelineBase

/// The cause of a slow transfer, by `_tcp`: the end of the chain that had the fault, in words.
///
/// A download is slow because of the client's leg, unless that had nothing to send: then because of the server's. An upload is
/// slow because of the server's leg, unless that had nothing to send: then because of the client's.
struct TransferLimit: Hashable, Sendable {
  private let cause: String
  private let leg: Leg
  private let reason: String

  /// A transfer that takes less is not slow, in milliseconds.
  private static let least = 100.0

  /// `nil` if the log does not say, or if the transfer was not slow.
  init?(_ entry: HAREntry) {
    let server = Leg(entry.custom[.tcp]?["server"])
    let client = Leg(entry.custom[.tcp]?["client"])
    let isUpload = server.map(\.sends) ?? client.map { !$0.sends } ?? false
    let (far, near) = isUpload ? (server, client) : (client, server)
    // The far leg is where the bytes go.
    let isFar = far.map { $0.reason != "application" } ?? false
    guard let leg = isFar ? far : near ?? far, max(far?.total ?? 0, near?.total ?? 0) >= Self.least else { return nil }
    let sender = isUpload ? "client" : "server"
    let receiver = isUpload ? "server" : "client"
    self.leg = leg
    reason = leg.reason
    cause =
      switch (leg.reason, isFar) {
      case ("receiver", true): "the \(receiver), which read slowly"
      case ("receiver", false): "tapeline, which did not read for the \(receiver)'s sake"
      case ("sender", _): "tapeline's send buffer to the \(receiver)"
      case ("congestion", true): "congestion on the way to the \(receiver)\(leg.retransmitText)"
      case ("congestion", false): "congestion on the way from the \(sender), whose segments came out of order"
      case ("application", _): "the \(sender), which sent no faster"
      default: leg.reason
      }
  }

  /// Whether the sender had no more to send.
  var isOfSender: Bool { reason == "application" }

  /// `by the client, which read slowly: 1.90s of 2.10s`.
  var text: String {
    "by \(cause): \(DurationText.compact(leg.time(of: reason))) of \(DurationText.compact(leg.total))"
  }

  /// One leg of `_tcp`, if it has limits.
  private struct Leg: Hashable, Sendable {
    let sends: Bool
    /// As in the log.
    let reason: String
    private let limits: HARObject
    private let retransmits: Int

    init?(_ value: HARValue?) {
      guard case .object(let limits)? = value?["limits"], let reason = value?["limitedBy"]?.string else { return nil }
      self.limits = limits
      self.reason = reason
      sends = value?["direction"]?.string == "sending"
      retransmits = (value?["retransmits"] ?? value?["series"]?.array?.last?["retransmits"])?.integer ?? 0
    }

    /// In milliseconds.
    var total: Double { limits.members.compactMap(\.value.double).reduce(0, +) }

    func time(of limit: String) -> Double { limits[limit]?.double ?? 0 }

    var retransmitText: String {
      switch retransmits {
      case 0: ""
      case 1: ", 1 segment sent again"
      default: ", \(retransmits) segments sent again"
      }
    }
  }
}

extension HAREntry {
  /// Whether its response has no pace of its own: events, messages of a call, records.
  var isStream: Bool {
    hasSwitchedProtocols || CallStatus(self) != nil || StreamFormat(self) != nil
  }
}
