internal import Glibc

/// The raw ends of a program that was just started. Whoever takes it closes the descriptors.
struct SpawnedProgram {
  let id: Int32
  let input: Int32
  let output: Int32
  let errors: Int32

  static func start(
    _ program: String, _ arguments: [String], environment: [String]
  ) throws(TestSupportError) -> SpawnedProgram {
    let command = TestDelays.late(program, arguments)
    return try withoutSpawning { () throws(TestSupportError) in
      try startLocked(command.program, command.arguments, environment: environment)
    }
  }

  private static func startLocked(
    _ program: String, _ arguments: [String], environment: [String]
  ) throws(TestSupportError) -> SpawnedProgram {
    var pipes: [Pipe] = []
    do throws(TestSupportError) {
      for _ in 0..<3 { pipes.append(try Pipe()) }
      let id = try spawn(
        program, arguments, environment: environment,
        descriptors: [pipes[0].read, pipes[1].write, pipes[2].write])
      close(pipes[0].read)
      close(pipes[1].write)
      close(pipes[2].write)
      return SpawnedProgram(id: id, input: pipes[0].write, output: pipes[1].read, errors: pipes[2].read)
    } catch {
      for pipe in pipes {
        close(pipe.read)
        close(pipe.write)
      }
      throw error
    }
  }
}

private struct Pipe {
  let read: Int32
  let write: Int32

  init() throws(TestSupportError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw .last("pipe") }
    read = ends[0]
    write = ends[1]
    setCloseOnExec(read)
    setCloseOnExec(write)
  }
}

/// The child gets `descriptors` as 0, 1, 2 and, all others being close-on-exec, nothing else; it leads its own process group
/// and starts with default signal handling, whatever the test runner ignores.
private func spawn(
  _ program: String, _ arguments: [String], environment: [String], descriptors: [Int32]
) throws(TestSupportError) -> Int32 {
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  for (number, descriptor) in descriptors.enumerated() {
    // A duplicate is not close-on-exec. None of ours is below 3, where nothing would be duplicated.
    unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
  }

  var attributes = posix_spawnattr_t()
  unsafe posix_spawnattr_init(&attributes)
  defer { unsafe posix_spawnattr_destroy(&attributes) }
  var all = sigset_t()
  unsafe sigfillset(&all)
  unsafe posix_spawnattr_setsigdefault(&attributes, &all)
  var none = sigset_t()
  unsafe sigemptyset(&none)
  unsafe posix_spawnattr_setsigmask(&attributes, &none)
  unsafe posix_spawnattr_setpgroup(&attributes, 0)
  unsafe posix_spawnattr_setflags(
    &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

  var id: pid_t = 0
  let status = unsafe withCStrings([program] + arguments) { arguments in
    unsafe withCStrings(environment) { environment in
      unsafe posix_spawnp(&id, program, &actions, &attributes, arguments, environment)
    }
  }
  guard status == 0 else { throw .system(call: "start \(program)", code: status) }
  return id
}

/// Calls `body` with a null-terminated array of C strings.
private func withCStrings(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
) -> Int32 {
  var pointers: [UnsafeMutablePointer<CChar>?] = unsafe []
  for string in strings { unsafe pointers.append(strdup(string)) }
  unsafe pointers.append(nil)
  defer { unsafe pointers.forEach { unsafe free($0) } }
  return unsafe pointers.withUnsafeBufferPointer { buffer in
    unsafe buffer.baseAddress.map { unsafe body($0) } ?? EINVAL
  }
}
