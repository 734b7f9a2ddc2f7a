internal import CTapeline
internal import Glibc

/// This process and its machine.
package enum CurrentProcess {
  package static var id: Int32 { getpid() }

  /// Ends the process at once, with a status.
  package static func exit(_ status: Int32) -> Never {
    Glibc.exit(status)
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
}

/// The user that this process belongs to.
package enum CurrentUser {
  package static var id: UInt32 { getuid() }

  /// The user whose rights the process has, and who owns the files that it makes.
  package static var effectiveID: UInt32 { geteuid() }

  /// From the system's list of users; `/` for a user without a home directory.
  package static var homeDirectory: String {
    guard let user = unsafe getpwuid(getuid()), let home = unsafe user.pointee.pw_dir else { return "/" }
    return unsafe String(cString: home)
  }
}
