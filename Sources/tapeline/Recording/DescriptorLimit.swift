internal import Glibc

/// The process's limit of open descriptors.
enum DescriptorLimit {
  /// Takes all that the hard limit grants: each exchange needs two descriptors and the usual soft limit was made for `select`.
  ///
  /// Once all processes have been started that are to be started: they would inherit it.
  static func raise() {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    // A refusal leaves the soft limit as it was, with which the proxy can live.
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// How many clients can be served under the limit that `raise` takes: each may need a descriptor of its own, one for its origin, and one
  /// for an origin's connection that idles.
  static var connections: Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return leastConnections }
    let available = Int(clamping: limit.rlim_max) - ownDescriptors
    return max(leastConnections, available / 3)
  }

  private static let leastConnections = 8
  /// Standard streams, the log, and what loops and listeners need.
  private static let ownDescriptors = 32
}
