internal import Glibc

/// How many descriptors the process may have open at once (RLIMIT_NOFILE).
package enum OpenFileLimit {
  /// The current soft limit; `nil` if the system does not say.
  package static var current: Int? {
    limits.map { Int(clamping: $0.rlim_cur) }
  }

  /// The hard limit, up to which `raise` goes; `nil` if the system does not say.
  package static var highest: Int? {
    limits.map { Int(clamping: $0.rlim_max) }
  }

  /// Raises the soft limit to the hard limit: the usual soft limit was made for `select`. If the system refuses, the limit stays
  /// as it was.
  ///
  /// Programs that we start later inherit it.
  package static func raise() {
    guard var limits else { return }
    limits.rlim_cur = limits.rlim_max
    _ = unsafe setrlimit(resource, &limits)
  }

  private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }

  private static var limits: rlimit? {
    var limits = rlimit()
    return unsafe getrlimit(resource, &limits) == 0 ? limits : nil
  }
}
