internal import CTapeline
internal import Glibc

/// This process, and the machine that it runs on.
package enum CurrentProcess {
  package static var id: Int32 { getpid() }

  /// Ends it at once, with a status.
  package static func exit(_ status: Int32) -> Never {
    Glibc.exit(status)
  }

  /// Processors that are in use.
  package static var processorCount: Int {
    max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  /// This machine's own name; `localhost` when it has none.
  package static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "localhost" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Has all threads share two arenas, and gives freed memory back to the system: for a process whose memory must stay flat.
  package static func configureAllocator() {
    tapeline_configure_allocator()
  }
}

/// The user that this process belongs to.
package enum CurrentUser {
  package static var id: UInt32 { getuid() }

  /// Whose rights the process has, and to whom what it makes belongs.
  package static var effectiveID: UInt32 { geteuid() }

  /// As the system's list of users has it; `/` for a user who has none.
  package static var homeDirectory: String {
    guard let user = unsafe getpwuid(getuid()), let home = unsafe user.pointee.pw_dir else { return "/" }
    return unsafe String(cString: home)
  }
}
