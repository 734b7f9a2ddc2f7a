internal import CTapeline
@unsafe @preconcurrency internal import Glibc

/// This process and its machine.
package enum CurrentProcess {
  package static var id: Int32 { getpid() }

  /// Ends the process at once, with a status: after a crash that it has survived, always with 70.
  package static func exit(_ status: Int32) -> Never {
    Glibc.exit(ProcessRestart.status(status))
  }

  /// The number of processors that are online.
  package static var processorCount: Int {
    max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  /// This machine's own name; `localhost` if it has none.
  package static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "localhost" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Makes all threads share two arenas, and returns freed memory to the system: for a process whose memory must stay flat.
  package static func configureAllocator() {
    tapeline_configure_allocator()
  }

  /// Returns freed memory to the system that lies between memory in use. Who allocates meanwhile may wait some milliseconds.
  package static func giveBackMemory() {
    tapeline_give_back_memory()
  }
}

/// The user that this process belongs to.
package enum CurrentUser {
  package static let root: UInt32 = 0

  package static var id: UInt32 { getuid() }

  /// The user whose rights the process has, and who owns the files that it makes.
  package static var effectiveID: UInt32 { geteuid() }

  /// From the system's list of users; `/` for a user without a home directory.
  package static var homeDirectory: String {
    guard let user = unsafe getpwuid(getuid()), let home = unsafe user.pointee.pw_dir else { return "/" }
    return unsafe String(cString: home)
  }
}

// The C global `environ` is shared mutable state. Nobody in this process calls `setenv`, so reading it is safe at any time.

/// The environment with which this process was started.
package enum ProcessEnvironment {
  /// As text, for variables that we read ourselves; bytes that are not UTF-8 are replaced.
  package static func variables() -> [String: String] {
    var variables: [String: String] = [:]
    for entry in entries() {
      guard let separator = entry.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = String(decoding: entry[..<separator], as: UTF8.self)
      variables[name] = String(decoding: entry[(separator + 1)...], as: UTF8.self)
    }
    return variables
  }

  /// Every `NAME=value`, byte for byte; `assignments` replace the variables that they name. Without those by which a service
  /// manager speaks to this process alone.
  ///
  /// - Parameter removed: the names of variables that are left out.
  package static func entries(
    replacing assignments: [(name: String, value: String)] = [], removing removed: [String] = []
  ) -> [[UInt8]] {
    let prefixes = (assignments.map(\.name) + removed + ServiceManager.variables).map { Array("\($0)=".utf8) }
    var result = inherited().filter { entry in !prefixes.contains { entry.starts(with: $0) } }
    result += assignments.map { Array("\($0.name)=\($0.value)".utf8) }
    return result
  }

  /// One variable; `nil` if it is not set.
  package static func value(of name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  private static func inherited() -> [[UInt8]] {
    var result: [[UInt8]] = []
    var next = unsafe environ
    while let entry = unsafe next.pointee {
      unsafe result.append(Array(UnsafeRawBufferPointer(start: entry, count: strlen(entry))))
      unsafe next += 1
    }
    return result
  }
}

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
