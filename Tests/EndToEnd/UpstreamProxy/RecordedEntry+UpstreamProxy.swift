/// What an entry says of the way to its origin.
extension RecordedEntry {
  /// `host:port`.
  var upstreamProxy: String? { tree["_upstreamProxy"]?["address"]?.string }
  /// Milliseconds from CONNECT to its answer.
  var tunnelTime: Double? { tree["_upstreamProxy"]?["tunnelTime"]?.number }
}
