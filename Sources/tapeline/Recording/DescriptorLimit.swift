internal import Glibc

/// The process's limit of open descriptors.
enum DescriptorLimit {
  /// Takes all that the hard limit grants: each exchange needs two descriptors and the usual soft limit was made for `select`.
  ///
  /// Only for a process that starts no others, as they would inherit it.
  static func raise() {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    // A refusal leaves the soft limit as it was, with which the proxy can live.
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
