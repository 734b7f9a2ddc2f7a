internal import Glibc

/// How many descriptors the process may have open at once.
package enum OpenFileLimit {
  /// The soft limit as it is now; `nil` when the system does not say.
  package static var current: Int? {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return Int(clamping: limit.rlim_cur)
  }
}
