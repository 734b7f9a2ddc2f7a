internal import TapelineSystem

/// Our ends of the pipes of a program that was just started. The receiver must close the descriptors.
struct SpawnedProgram {
  let child: ChildIdentifier
  let input: Int32
  let output: Int32
  let errors: Int32

  /// The program gets three pipes and nothing else, because all other descriptors are close-on-exec; it leads its own process
  /// group and starts with default signal handling, even for signals that the test runner ignores.
  static func start(
    _ program: String, _ arguments: [String], environment: [[UInt8]]
  ) throws(TestSupportError) -> SpawnedProgram {
    let command = TestDelays.late(program, arguments)
    var pipes: [(read: Int32, write: Int32)] = []
    do throws(SystemCallError) {
      for _ in 0..<3 { pipes.append(try SystemCalls.makePipe(isNonBlocking: false)) }
      var start = ProgramStart([command.program] + command.arguments, environment: environment)
      start.streams = [.descriptor(pipes[0].read), .descriptor(pipes[1].write), .descriptor(pipes[2].write)]
      start.restoredSignals = .all
      start.leadsGroup = true
      let child = try start.start()
      for descriptor in [pipes[0].read, pipes[1].write, pipes[2].write] { SystemCalls.discard(descriptor) }
      return SpawnedProgram(child: child, input: pipes[0].write, output: pipes[1].read, errors: pipes[2].read)
    } catch {
      for pipe in pipes {
        SystemCalls.discard(pipe.read)
        SystemCalls.discard(pipe.write)
      }
      throw TestSupportError(error, "start \(program)")
    }
  }
}
